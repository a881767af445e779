"""People with accounts, their one-time links and their sessions; tokens are stored as hashes only."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, insert, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from app.domain.auth import Role
from app.domain.ids import UserId
from app.storage.errors import AlreadyThereError, NotFoundError
from app.storage.tables import SessionRow, SignInLinkRow, UserRow


@dataclass(frozen=True, slots=True)
class User:
    """A person with a role."""

    id: UserId
    name: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    has_password: bool


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser's session with its user."""

    user: User
    token_hash: str
    csrf_token: str
    expires_at: datetime
    seen_at: datetime


class Users:
    """The users on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, user: User) -> None:
        """Keep a new user; AlreadyThereError if the name is taken."""
        values = {"id": user.id, "name": user.name, "role": user.role, "created_at": user.created_at}
        try:
            with self._session.begin_nested():
                self._session.execute(insert(UserRow).values(**values))
        except IntegrityError as error:
            raise AlreadyThereError("user", user.name) from error

    def named(self, name: str) -> User:
        """The user of a name; NotFoundError if there is none."""
        row = self._session.exec(select(UserRow).where(UserRow.name == name)).first()
        if row is None:
            raise NotFoundError("user", name)
        return _user(row)

    def get(self, user_id: UUID) -> User:
        """One user; NotFoundError if there is none."""
        row = self._session.get(UserRow, user_id)
        if row is None:
            raise NotFoundError("user", user_id)
        return _user(row)

    def all(self) -> tuple[User, ...]:
        """Every user by name."""
        return tuple(_user(row) for row in self._session.exec(select(UserRow).order_by(col(UserRow.name))))

    def hold_admins(self) -> None:
        """Hold every admin until the transaction ends: of two who disable each other at once, the second sees it."""
        query = select(UserRow.id).where(UserRow.role == Role.ADMIN).order_by(col(UserRow.id))
        self._session.exec(query.with_for_update()).all()

    def password_hash(self, user_id: UserId) -> str | None:
        """The argon2 hash, or None for a user without a password."""
        return self._session.exec(select(UserRow.password_hash).where(UserRow.id == user_id)).first()

    def change(self, user_id: UserId, **values: object) -> None:
        """Set columns of one user."""
        self._session.execute(update(UserRow).where(col(UserRow.id) == user_id).values(**values))

    def add_link(self, token_hash: str, user_id: UserId, expires_at: datetime) -> None:
        """Keep a one-time link."""
        values = {"token_hash": token_hash, "user_id": user_id, "expires_at": expires_at}
        self._session.execute(insert(SignInLinkRow).values(**values))

    def use_link(self, token_hash: str, at: datetime) -> User | None:
        """Spend a link; None if it is unknown, spent, expired, or its user is disabled."""
        query = (
            update(SignInLinkRow)
            .where(
                col(SignInLinkRow.token_hash) == token_hash,
                col(SignInLinkRow.used_at).is_(None),
                col(SignInLinkRow.expires_at) > at,
            )
            .values(used_at=at)
            .returning(col(SignInLinkRow.user_id))
            .execution_options(synchronize_session=False)
        )
        row = self._session.execute(query).first()
        user = self.get(row[0]) if row else None
        return user if user and user.disabled_at is None else None

    def open_session(
        self, token_hash: str, user_id: UserId, csrf_token: str, at: datetime, expires_at: datetime
    ) -> None:
        """Keep a signed-in browser."""
        values = {
            "token_hash": token_hash,
            "user_id": user_id,
            "csrf_token": csrf_token,
            "created_at": at,
            "seen_at": at,
            "expires_at": expires_at,
        }
        self._session.execute(insert(SessionRow).values(**values))

    def session(self, token_hash: str, at: datetime) -> SignedIn | None:
        """The session of a cookie; None if it is unknown, expired, or its user is disabled."""
        query = (
            select(SessionRow, UserRow)
            .join(UserRow, col(UserRow.id) == col(SessionRow.user_id))
            .where(SessionRow.token_hash == token_hash, SessionRow.expires_at > at, col(UserRow.disabled_at).is_(None))
        )
        found = self._session.exec(query).first()
        if found is None:
            return None
        session, user = found
        return SignedIn(_user(user), session.token_hash, session.csrf_token, session.expires_at, session.seen_at)

    def close_session(self, token_hash: str) -> None:
        """Forget a signed-in browser."""
        self._session.execute(delete(SessionRow).where(col(SessionRow.token_hash) == token_hash))

    def close_sessions(self, user_id: UserId, *, but: str = "") -> None:
        """Forget every signed-in browser of a user, except the one whose token's hash is given."""
        of_user = delete(SessionRow).where(col(SessionRow.user_id) == user_id)
        self._session.execute(of_user.where(col(SessionRow.token_hash) != but))

    def forget_expired(self, at: datetime) -> None:
        """Drop sessions and links whose time is over."""
        self._session.execute(delete(SessionRow).where(col(SessionRow.expires_at) <= at))
        self._session.execute(delete(SignInLinkRow).where(col(SignInLinkRow.expires_at) <= at))


def _user(row: UserRow) -> User:
    return User(
        UserId(row.id), row.name, Role(row.role), row.created_at, row.disabled_at, row.password_hash is not None
    )
