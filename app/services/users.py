"""People: adding them, signing them in and out, and ending their rights."""

import secrets
import unicodedata
from datetime import timedelta
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from app.domain.auth import Role
from app.domain.ids import UserId
from app.domain.naming import unseen_problem
from app.services.errors import AlreadyThereError, NotFoundError, RefusedError
from app.services.sign_in_limits import allow_attempt, forget_attempts
from app.services.unit_of_work import Reading, Work
from app.settings import get_settings
from app.storage.users import SignedIn, User

__all__ = ["SignInFailedError", "SignedIn", "User"]

SHORTEST_PASSWORD = 12
LONGEST_NAME = 80


class SignInFailedError(Exception):
    """Name, password or link do not fit; the text does not say which."""


def add_user(work: Work, *, name: str, role: Role) -> User:
    """Give a person an account without a password. Raises AlreadyThereError, or RefusedError for an unfit name.

    A name that differs from another's in capitals or in the width of letters only is taken.
    """
    trimmed = " ".join(name.split())
    if not trimmed or len(trimmed) > LONGEST_NAME:
        raise RefusedError(f"name: write 1 to {LONGEST_NAME} characters")
    if problem := unseen_problem(trimmed):
        raise RefusedError(f"name: {problem}")
    for one in work.users.all():
        if _as_heard(one.name) == _as_heard(trimmed):
            raise AlreadyThereError("user", one.name)
    user = User(UserId(work.new_id()), trimmed, role, work.now, None, has_password=False)
    work.users.add(user)
    return user


def ensure_admin(work: Work, *, name: str) -> User:
    """The account of that name, made as an admin's if it is not there."""
    try:
        return work.users.named(name)
    except NotFoundError:
        return add_user(work, name=name, role=Role.ADMIN)


def create_sign_in_link(work: Work, *, name: str) -> str:
    """The path of a link that signs a person in once, within the set time. Raises NotFoundError or RefusedError."""
    user = work.users.named(name)
    if user.disabled_at is not None:
        raise RefusedError(f"{name} is disabled. Enable the account first.")
    token = secrets.token_urlsafe(32)
    work.users.add_link(_hash(token), user.id, work.now + timedelta(minutes=get_settings().sign_in_link_minutes))
    return f"/sign-in/{token}"


def sign_in_by_link(work: Work, *, token: str, address: str) -> str:
    """Spend a one-time link; the new session's cookie. Raises SignInFailedError or TooManyAttemptsError."""
    allow_attempt(address=address)
    user = work.users.use_link(_hash(token), work.now)
    if user is None:
        raise SignInFailedError("This link was used before, is too old, or was never made. Ask for a new one.")
    return _open_session(work, user)


def sign_in_by_password(work: Work, *, name: str, password: str, address: str) -> str:
    """Check a password; the new session's cookie. Raises SignInFailedError or TooManyAttemptsError."""
    allow_attempt(address=address, account=name)
    user, kept = _account(work, name)
    fits = _verify(kept or _decoy(), password)
    if user is None or kept is None or not fits or user.disabled_at is not None:
        raise SignInFailedError("Name or password do not fit. Try again, or ask for a one-time link.")
    if _hasher().check_needs_rehash(kept):
        work.users.change(user.id, password_hash=_hasher().hash(password))
    forget_attempts(account=name)
    return _open_session(work, user)


def session_of(reading: Reading, cookie: str) -> SignedIn | None:
    """Who a cookie belongs to; None if it is unknown, expired, or its owner is disabled."""
    return reading.users.session(_hash(cookie), reading.now)


def sign_out(work: Work, signed_in: SignedIn) -> None:
    """End one browser's session."""
    work.users.close_session(signed_in.token_hash)


def change_password(work: Work, signed_in: SignedIn, *, old: str, password: str, address: str) -> None:
    """Set one's own password; other sessions end. Raises RefusedError, also where the old one does not fit.

    Raises TooManyAttemptsError: whoever sits down at somebody's open browser may not guess.
    """
    user = signed_in.user
    kept = work.users.password_hash(user.id)
    if kept is not None:
        allow_attempt(address=address, account=user.name)
        if not _verify(kept, old):
            raise RefusedError("old: this is not the password that is set now")
        forget_attempts(account=user.name)
    set_password(work, name=user.name, password=password, staying=signed_in.token_hash)


def forget_password(work: Work, *, name: str) -> None:
    """Take away a person's password, which they lost: a one-time link lets them in and set another."""
    work.users.change(work.users.named(name).id, password_hash=None)


def set_password(work: Work, *, name: str, password: str, staying: str = "") -> None:
    """Set a person's password; sessions end, but that of a token's hash. Raises RefusedError for a short one."""
    if len(password) < SHORTEST_PASSWORD:
        raise RefusedError(f"password: write at least {SHORTEST_PASSWORD} characters")
    user = work.users.named(name)
    work.users.change(user.id, password_hash=_hasher().hash(password))
    work.users.close_sessions(user.id, but=staying)


def disable_user(work: Work, *, name: str) -> None:
    """End a person's rights and sessions at once. Raises RefusedError for the last admin who can still sign in."""
    work.users.hold_admins()
    user = work.users.named(name)
    others = [one for one in work.users.all() if one.role is Role.ADMIN and one.disabled_at is None and one != user]
    if user.role is Role.ADMIN and not others:
        raise RefusedError(f"{name} is the last admin. Make another admin first.")
    work.users.change(user.id, disabled_at=work.now)
    work.users.close_sessions(user.id)


def enable_user(work: Work, *, name: str) -> None:
    """Give a disabled person their rights back; they sign in anew."""
    work.users.change(work.users.named(name).id, disabled_at=None)


def user_by_id(reading: Reading, text: str) -> User:
    """The person of an id as an address holds it. Raises NotFoundError."""
    try:
        return reading.users.get(UUID(text))
    except ValueError:
        raise NotFoundError("user", text) from None


def _account(work: Work, name: str) -> tuple[User | None, str | None]:
    try:
        user = work.users.named(name)
    except NotFoundError:
        return None, None
    return user, work.users.password_hash(user.id)


def _as_heard(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _open_session(work: Work, user: User) -> str:
    work.users.forget_expired(work.now)
    cookie = secrets.token_urlsafe(32)
    ends = work.now + timedelta(hours=get_settings().session_hours)
    work.users.open_session(_hash(cookie), user.id, secrets.token_urlsafe(32), work.now, ends)
    return cookie


def _verify(kept: str, password: str) -> bool:
    try:
        return _hasher().verify(kept, password)
    except (VerifyMismatchError, InvalidHashError):
        return False


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()


@lru_cache(maxsize=1)
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@lru_cache(maxsize=1)
def _decoy() -> str:
    """What a password is checked against where there is none, so that the time taken tells nothing."""
    return _hasher().hash(secrets.token_urlsafe(16))
