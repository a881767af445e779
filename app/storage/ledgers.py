"""Ledgers: a run's chained events, appended under the run's lock."""

from collections.abc import Sequence
from typing import cast
from uuid import UUID

from sqlmodel import col, select

from app.domain.engine.ledger import EventKind, LedgerEvent
from app.domain.ids import RunId
from app.storage.session import Session
from app.storage.statements import insert_into
from app.storage.tables import LedgerRow


class Ledgers:
    """The ledgers on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def append(self, run_id: RunId, events: Sequence[LedgerEvent]) -> None:
        """Add the next events of a run's chain."""
        rows = [
            {
                "run_id": run_id,
                "seq": event.seq,
                "kind": event.kind,
                "at": event.at,
                "body": dict(event.body),
                "previous": event.previous,
                "hash": event.hash,
            }
            for event in events
        ]
        self._session.write_later(insert_into(LedgerRow), rows)

    def of_run(self, run_id: UUID) -> tuple[LedgerEvent, ...]:
        """The whole chain of a run."""
        query = select(LedgerRow).where(LedgerRow.run_id == run_id).order_by(col(LedgerRow.seq))
        return tuple(
            LedgerEvent(row.seq, _kind(row.kind), row.at, row.body, row.previous, row.hash)
            for row in self._session.exec(query)
        )


def _kind(name: str) -> EventKind:
    """A name that is no kind is kept as it is: it was changed behind the software's back, and verifying says so."""
    return EventKind(name) if name in set(EventKind) else cast("EventKind", name)
