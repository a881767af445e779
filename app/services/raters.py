"""Raters' access: invitations claimed once, personal return codes, sessions of their own, and erasing who they are."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from app.domain.ids import PanelId, RaterId
from app.domain.rating.sessions import PanelState
from app.services.errors import NotFoundError, RefusedError
from app.services.sign_in_limits import allow_attempt
from app.services.unit_of_work import Reading, Work
from app.storage.raters import Rater, RaterSession

__all__ = ["Rater", "RaterSession"]

CODE_LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
CODE_GROUPS, GROUP_LENGTH = 4, 4
SESSION_HOURS = 12
LONGEST_NAME = 120


class InvitationError(Exception):
    """An invitation or return code cannot be used; the text says what to do, and not which part was wrong."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A browser let in: its cookie, and on claiming the return code, shown this once."""

    cookie: str
    code: str | None


def invite_rater(work: Work, panel_id: PanelId, slot: int, *, name: str, days: int) -> str:
    """The path of a link for a slot, good once and for ``days``; an earlier link of the slot ends.

    Raises RefusedError for a panel that takes nobody in or a slot that is taken.
    """
    panel = work.panels.get(panel_id)
    if panel.state not in {PanelState.OPEN, PanelState.PAUSED}:
        raise RefusedError(f"The panel is {panel.state}; lock it before inviting raters.")
    rater = rater_in(work, panel_id, slot)
    if rater.claimed_at is not None:
        raise RefusedError("This slot is taken. If the rater lost the return code, make a new one instead.")
    token = secrets.token_urlsafe(32)
    work.raters.invite(rater.id, _hash(token), work.now, work.now + timedelta(days=days))
    written = " ".join(name.split())[:LONGEST_NAME]
    if written:
        work.raters.change(rater.id, name=written, erased_at=None)
    return f"/rate/join/{token}"


def revoke_invitation(work: Work, panel_id: PanelId, slot: int) -> None:
    """End a slot's invitation."""
    work.raters.revoke(rater_in(work, panel_id, slot).id, work.now)


def reissue_code(work: Work, panel_id: PanelId, slot: int) -> str:
    """A new return code for a rater who lost theirs; open browsers of the rater end. Raises RefusedError."""
    rater = rater_in(work, panel_id, slot)
    if rater.claimed_at is None:
        raise RefusedError("Nobody has claimed this slot yet. Send the invitation instead.")
    work.raters.close_sessions(rater.id)
    return _new_code(work, rater.id)


def release_rater(work: Work, panel_id: PanelId, slot: int) -> None:
    """Let a rater start in spite of the training."""
    work.raters.change(rater_in(work, panel_id, slot).id, released_at=work.now)


def erase_rater(work: Work, panel_id: PanelId, slot: int) -> None:
    """Forget who the rater is; the ratings stay under the pseudonym, and nobody can come back to the slot."""
    rater = rater_in(work, panel_id, slot)
    work.raters.revoke(rater.id, work.now)
    work.raters.close_sessions(rater.id)
    work.raters.change(rater.id, name=None, return_code_hash=None, remarks=None, erased_at=work.now)


def may_claim(reading: Reading, token: str) -> bool:
    """Whether an invitation can still be claimed."""
    rater = reading.raters.invited(_hash(token), reading.now)
    return rater is not None and rater.claimed_at is None


def claim_invitation(work: Work, token: str, *, address: str) -> Entered:
    """Take the slot of an invitation. Raises InvitationError for all but the first, and TooManyAttemptsError."""
    allow_attempt(address=address)
    rater = work.raters.invited(_hash(token), work.now)
    if rater is None or rater.erased_at or not work.raters.claim(rater.id, work.now):
        raise InvitationError(
            "This invitation was used before, has ended, or was never made. If it was you who used it, "
            "come back with your return code; else ask the person who invited you."
        )
    code = _new_code(work, rater.id)
    return Entered(_open(work, rater.id), code)


def come_back(work: Work, code: str, *, address: str) -> Entered:
    """Let a rater in again by the return code. Raises InvitationError or TooManyAttemptsError."""
    allow_attempt(address=address)
    rater = work.raters.returning(_code_hash(code))
    if rater is None:
        raise InvitationError("No rater has this code. Check it letter by letter, or ask for a new one.")
    return Entered(_open(work, rater.id), None)


def rater_session(reading: Reading, cookie: str) -> RaterSession | None:
    """Whose browser it is; None if the session is unknown or over."""
    return reading.raters.session(_hash(cookie), reading.now)


def leave(work: Work, session: RaterSession) -> None:
    """End one browser's session."""
    work.raters.close_session(session.token_hash)


def rater_in(reading: Reading, panel_id: PanelId, slot: int) -> Rater:
    """The rater of a slot. Raises NotFoundError."""
    for rater in reading.raters.of_panel(panel_id):
        if rater.slot == slot:
            return rater
    raise NotFoundError("slot", slot)


def _new_code(work: Work, rater_id: RaterId) -> str:
    groups = ("".join(secrets.choice(CODE_LETTERS) for _ in range(GROUP_LENGTH)) for _ in range(CODE_GROUPS))
    code = "-".join(groups)
    work.raters.change(rater_id, return_code_hash=_code_hash(code))
    return code


def _open(work: Work, rater_id: RaterId) -> str:
    work.raters.forget_expired(work.now)
    cookie = secrets.token_urlsafe(32)
    ends = work.now + timedelta(hours=SESSION_HOURS)
    work.raters.open_session(rater_id, _hash(cookie), secrets.token_urlsafe(32), ends)
    return cookie


def _code_hash(code: str) -> str:
    """Codes carry 78 random bits, so a plain hash cannot be searched; case, spaces and dashes do not matter."""
    return _hash("".join(letter for letter in code.upper() if letter.isalnum()))


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
