"""A run under its lock: events are chained and sums added, and all of it is written once."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from app.domain.engine.ledger import EventKind, LedgerEvent, link
from app.services.unit_of_work import Work
from app.storage.runs import RunHead
from app.storage.session import OutrunError


class LockedRun:
    """Holds a run's row until the transaction ends; ``write`` must be called once, last.

    The lock is taken by the next statement of the transaction, whichever it is, just before it. With ``seen``, the head
    that an earlier transaction left, nothing is asked: ``write`` fails with OutrunError if the run has moved since.
    """

    def __init__(self, work: Work, run_id: UUID, seen: RunHead | None = None) -> None:
        self._work = work
        self._seen = seen
        self._head = seen
        self._asked = None if seen else work.runs.ask_lock(run_id)
        self._events: list[LedgerEvent] = []
        self._sums: dict[str, float] = {}
        self._values: dict[str, Any] = {}

    @classmethod
    def added(cls, work: Work, head: RunHead) -> "LockedRun":
        """A run that this transaction added: nobody else knows it, so it needs no lock."""
        run = cls(work, head.id, head)
        run._seen = None
        return run

    @property
    def head(self) -> RunHead:
        """The run as it was when the lock was taken, or as it was seen. Raises NotFoundError."""
        # not functools.cached_property: before Python 3.12 it holds one lock for all runs while this one is waited for,
        # and whoever holds the run then waits for that lock
        if self._head is None:
            assert self._asked is not None
            self._head = self._asked()
        return self._head

    @property
    def left(self) -> RunHead:
        """The run as this transaction leaves it, once written and committed."""
        changed = {name: value for name, value in self._values.items() if name in RunHead.__dataclass_fields__}
        added = {name: getattr(self.head, name) + int(self.pending(name)) for name in ("steps_done", "interventions")}
        return replace(self.head, **added, **changed)

    def lock(self) -> None:
        """Take the lock now if the run was only seen: before anything else is held. Raises OutrunError."""
        if self._seen is not None:
            seen, self._seen = self._seen, None
            if self._work.runs.lock(seen.id) != seen:
                raise OutrunError

    def tell(self, kind: EventKind, body: Mapping[str, Any]) -> None:
        """Add an event to the run's ledger."""
        last = self._events[-1] if self._events else None
        seq = (last.seq if last else self.head.ledger_length) + 1
        self._events.append(link(seq, kind, self._work.now, body, last.hash if last else self.head.ledger_head))

    def add(self, **amounts: float | None) -> None:
        """Add to the run's sums; None adds nothing."""
        for name, amount in amounts.items():
            self._sums[name] = self._sums.get(name, 0) + (amount or 0)

    def hold(self, tokens: int, cost_usd: float | None, *, presumed: bool = False) -> None:
        """Hold the most a call may use; ``presumed`` takes it back from what was presumed used."""
        self.add(tokens_reserved=tokens, cost_reserved=cost_usd)
        if presumed:
            self.add(cost_presumed=-(cost_usd or 0.0))

    def release(self, tokens: int, cost_usd: float | None, *, presumed: bool) -> None:
        """Give back what was held for a call; ``presumed`` counts its cost as used, since the real one is not known."""
        self.hold(-tokens, -(cost_usd or 0.0))
        if presumed:
            self.add(cost_presumed=cost_usd)

    def pending(self, name: str) -> float:
        """What was added to a sum in this transaction and is not written yet."""
        return self._sums.get(name, 0)

    def set(self, **values: Any) -> None:
        """Set columns of the run."""
        self._values |= values

    def write(self) -> None:
        """Append the events, bring the run up to date and tell open pages."""
        if self._events:
            self.set(ledger_length=self._events[-1].seq, ledger_head=self._events[-1].hash)
        if self._seen is not None:  # before the events: theirs would be the numbers of others' if the run has moved
            self._work.runs.change_seen(self._seen, add=self._sums, **self._values)
        elif self._sums or self._values:
            self._work.runs.change(self.head.id, add=self._sums, **self._values)
        if self._events:
            self._work.ledgers.append(self.head.id, self._events)
        self._work.announce(self.head.id, self.head.study_id)
