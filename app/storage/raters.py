"""Raters: slots, invitations that are claimed once, return codes, and sessions of their own."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, insert, update
from sqlalchemy.dialects.postgresql import insert as insert_or
from sqlmodel import Session, col, select

from app.domain.ids import PanelId, RaterId
from app.storage.errors import NotFoundError
from app.storage.rating_tables import RaterClaimRow, RaterInvitationRow, RaterRow, RaterSessionRow


@dataclass(frozen=True, slots=True)
class Rater:
    """One slot; ``name`` is known to the panel's operators only."""

    id: RaterId
    panel_id: PanelId
    slot: int
    name: str | None
    erased_at: datetime | None
    consented_at: datetime | None
    consent_hash: str | None
    released_at: datetime | None
    questions_at: datetime | None
    finished_at: datetime | None
    remarks: str | None
    claimed_at: datetime | None


@dataclass(frozen=True, slots=True)
class RaterSession:
    """A rater's browser."""

    rater_id: RaterId
    token_hash: str
    csrf_token: str


@dataclass(frozen=True, slots=True)
class Invitation:
    """The last invitation of a slot."""

    rater_id: RaterId
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


class Raters:
    """The raters on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, slots: Iterable[tuple[RaterId, PanelId, int]]) -> None:
        """Keep new slots."""
        rows = [{"id": rater, "panel_id": panel, "slot": slot} for rater, panel, slot in slots]
        if rows:
            self._session.execute(insert(RaterRow), rows)

    def get(self, rater_id: UUID) -> Rater:
        """One rater; NotFoundError if there is none."""
        row = self._session.get(RaterRow, rater_id)
        if row is None:
            raise NotFoundError("rater", rater_id)
        return self._rater(row, self._session.get(RaterClaimRow, rater_id))

    def of_panel(self, panel_id: UUID) -> tuple[Rater, ...]:
        """Every rater of a panel by slot."""
        query = (
            select(RaterRow, RaterClaimRow)
            .join(RaterClaimRow, col(RaterClaimRow.rater_id) == col(RaterRow.id), isouter=True)
            .where(RaterRow.panel_id == panel_id)
            .order_by(col(RaterRow.slot))
        )
        return tuple(self._rater(row, claim) for row, claim in self._session.exec(query))

    def change(self, rater_id: RaterId, **values: object) -> None:
        """Set columns of one rater."""
        self._session.execute(update(RaterRow).where(col(RaterRow.id) == rater_id).values(**values))

    def invite(self, rater_id: RaterId, token_hash: str, at: datetime, expires_at: datetime) -> None:
        """Keep a new invitation and revoke the slot's earlier ones."""
        self.revoke(rater_id, at)
        values = {"token_hash": token_hash, "rater_id": rater_id, "made_at": at, "expires_at": expires_at}
        self._session.execute(insert(RaterInvitationRow).values(**values))

    def revoke(self, rater_id: RaterId, at: datetime) -> None:
        """End every invitation of a slot."""
        mine = (col(RaterInvitationRow.rater_id) == rater_id, col(RaterInvitationRow.revoked_at).is_(None))
        self._session.execute(update(RaterInvitationRow).where(*mine).values(revoked_at=at))

    def invitations(self, panel_id: UUID) -> dict[RaterId, Invitation]:
        """The last invitation of each slot."""
        query = (
            select(RaterInvitationRow)
            .join(RaterRow, col(RaterRow.id) == col(RaterInvitationRow.rater_id))
            .where(RaterRow.panel_id == panel_id)
            .order_by(col(RaterInvitationRow.made_at))
        )
        return {
            RaterId(row.rater_id): Invitation(RaterId(row.rater_id), row.made_at, row.expires_at, row.revoked_at)
            for row in self._session.exec(query)
        }

    def invited(self, token_hash: str, at: datetime) -> Rater | None:
        """The rater an invitation is for; None if it is unknown, revoked or expired."""
        query = select(RaterInvitationRow.rater_id).where(
            RaterInvitationRow.token_hash == token_hash,
            col(RaterInvitationRow.revoked_at).is_(None),
            RaterInvitationRow.expires_at > at,
        )
        found = self._session.exec(query).first()
        return self.get(found) if found else None

    def claim(self, rater_id: RaterId, at: datetime) -> bool:
        """Take a slot; False if somebody has it, however many ask at once."""
        query = insert_or(RaterClaimRow).values(rater_id=rater_id, claimed_at=at).on_conflict_do_nothing()
        return self._session.execute(query.returning(RaterClaimRow.rater_id)).first() is not None  # type: ignore[call-overload]

    def returning(self, code_hash: str) -> Rater | None:
        """The rater of a return code, or None."""
        row = self._session.exec(select(RaterRow).where(RaterRow.return_code_hash == code_hash)).first()
        return self.get(row.id) if row else None

    def open_session(self, rater_id: RaterId, token_hash: str, csrf_token: str, expires_at: datetime) -> None:
        """Keep a rater's browser."""
        values = {"token_hash": token_hash, "rater_id": rater_id, "csrf_token": csrf_token, "expires_at": expires_at}
        self._session.execute(insert(RaterSessionRow).values(**values))

    def session(self, token_hash: str, at: datetime) -> RaterSession | None:
        """The session of a cookie; None if it is unknown or expired."""
        row = self._session.get(RaterSessionRow, token_hash)
        if row is None or row.expires_at <= at:
            return None
        return RaterSession(RaterId(row.rater_id), row.token_hash, row.csrf_token)

    def close_session(self, token_hash: str) -> None:
        """Forget one browser."""
        self._session.execute(delete(RaterSessionRow).where(col(RaterSessionRow.token_hash) == token_hash))

    def close_sessions(self, rater_id: RaterId) -> None:
        """Forget every browser of a rater."""
        self._session.execute(delete(RaterSessionRow).where(col(RaterSessionRow.rater_id) == rater_id))

    def forget_expired(self, at: datetime) -> None:
        """Drop sessions whose time is over."""
        self._session.execute(delete(RaterSessionRow).where(col(RaterSessionRow.expires_at) <= at))

    @staticmethod
    def _rater(row: RaterRow, claim: RaterClaimRow | None) -> Rater:
        return Rater(
            id=RaterId(row.id),
            panel_id=PanelId(row.panel_id),
            slot=row.slot,
            name=row.name,
            erased_at=row.erased_at,
            consented_at=row.consented_at,
            consent_hash=row.consent_hash,
            released_at=row.released_at,
            questions_at=row.questions_at,
            finished_at=row.finished_at,
            remarks=row.remarks,
            claimed_at=claim.claimed_at if claim else None,
        )
