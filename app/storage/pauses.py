"""Pauses: accounts at providers that ran out, and since when."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import Session, col, select

from app.domain.ids import UserId
from app.storage.session import changed
from app.storage.tables import PauseRow


@dataclass(frozen=True, slots=True)
class Pause:
    """An account that nobody may use now; ``model`` is the one whose call was refused, ``reason`` the provider's."""

    account: str
    model: str
    reason: str
    paused_at: datetime


class Pauses:
    """The pauses on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def begin(self, pause_id: UUID, pause: Pause) -> None:
        """Pause an account; one that is paused already stays as it is."""
        values = {"id": pause_id} | {name: getattr(pause, name) for name in Pause.__dataclass_fields__}
        query = insert(PauseRow).values(**values)
        where = col(PauseRow.resumed_at).is_(None)
        self._session.execute(query.on_conflict_do_nothing(index_elements=["account"], index_where=where))

    def end(self, account: str, at: datetime, by: UserId | None) -> bool:
        """End the pause of an account; False if there is none."""
        query = update(PauseRow).where(col(PauseRow.account) == account, col(PauseRow.resumed_at).is_(None))
        query = query.values(resumed_at=at, resumed_by=by).execution_options(synchronize_session=False)
        return changed(self._session, query) == 1

    def current(self) -> tuple[Pause, ...]:
        """Every account paused now, the longest first."""
        columns = [getattr(PauseRow, name) for name in Pause.__dataclass_fields__]
        query = select(*columns).where(col(PauseRow.resumed_at).is_(None)).order_by(col(PauseRow.paused_at))
        return tuple(Pause(*cast("tuple[str, str, str, datetime]", row)) for row in self._session.execute(query))
