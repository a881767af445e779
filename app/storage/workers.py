"""Worker processes as their heartbeats left them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import Session, col, select

from app.storage.tables import WorkerRow


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """One worker process; ``queues`` are those it takes from."""

    name: str
    started_at: datetime
    seen_at: datetime
    queues: tuple[str, ...]


class Workers:
    """The workers on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def beat(self, name: str, started_at: datetime, at: datetime, queues: Collection[str]) -> None:
        """A worker is alive."""
        query = insert(WorkerRow).values(name=name, started_at=started_at, seen_at=at, queues=",".join(sorted(queues)))
        self._session.execute(query.on_conflict_do_update(index_elements=["name"], set_={"seen_at": at}))

    def remove(self, name: str) -> None:
        """A worker that stops says so itself."""
        self._session.execute(delete(WorkerRow).where(col(WorkerRow.name) == name))

    def forget(self, *, unseen_for: timedelta) -> None:
        """Drop workers that were not seen for long."""
        self._session.execute(delete(WorkerRow).where(col(WorkerRow.seen_at) < func.now() - unseen_for))

    def all(self) -> tuple[WorkerRecord, ...]:
        """Every known worker, the last seen first."""
        rows = self._session.exec(select(WorkerRow).order_by(col(WorkerRow.seen_at).desc()))
        return tuple(WorkerRecord(row.name, row.started_at, row.seen_at, tuple(row.queues.split(","))) for row in rows)
