"""Steps: owed work, claimed under a lease that fences out the late."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import and_, func, insert, or_, update
from sqlmodel import Session, col, select

from app.domain.engine.steps import PlannedStep
from app.domain.ids import RunId, StepId, StepKey
from app.storage.errors import NotFoundError
from app.storage.session import changed
from app.storage.tables import RunRow, StepRow

LEASE = timedelta(seconds=30)
"""How long a claim holds without a heartbeat."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A claimed step in one worker's hands; ``tries`` counts answers asked for, ``failures`` calls without one."""

    step_id: StepId
    run_id: RunId
    key: StepKey
    token: UUID
    tries: int
    failures: int
    problem: str | None


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A step as pages show it."""

    id: StepId
    run_id: RunId
    key: StepKey
    kind: str
    era: str
    state: str
    tries: int
    failures: int
    problem: str | None
    ready_at: datetime
    not_before: datetime | None
    claimed_at: datetime | None
    done_at: datetime | None


class Steps:
    """The steps on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, step_id: StepId, run_id: RunId, planned: PlannedStep, at: datetime, *, done: bool = False) -> None:
        """Owe a step; one made by code is done as it is added."""
        self._session.execute(
            insert(StepRow).values(
                id=step_id,
                run_id=run_id,
                key=planned.key,
                kind=planned.kind,
                era=planned.era,
                state="done" if done else "ready",
                ready_at=at,
                sent_at=at,
                done_at=at if done else None,
            )
        )

    def keys(self, run_id: RunId) -> frozenset[StepKey]:
        """The keys of every step the run owed so far."""
        return frozenset(
            StepKey(key) for key in self._session.exec(select(StepRow.key).where(StepRow.run_id == run_id))
        )

    def claim(self, step_id: UUID, token: UUID, worker: str) -> Lease | None:
        """Take a ready step of a running run whose time has come; None if it is not to be had."""
        query = (
            update(StepRow)
            .where(
                col(StepRow.id) == step_id,
                col(StepRow.state) == "ready",
                or_(col(StepRow.not_before).is_(None), col(StepRow.not_before) <= func.now()),
                col(StepRow.run_id) == RunRow.id,
                col(RunRow.state) == "running",
            )
            .values(
                state="claimed",
                lease_token=token,
                lease_expires_at=func.now() + LEASE,
                claimed_at=func.now(),
                worker=worker,
            )
            .returning(
                col(StepRow.id),
                col(StepRow.run_id),
                col(StepRow.key),
                col(StepRow.tries),
                col(StepRow.failures),
                col(StepRow.problem),
            )
            .execution_options(synchronize_session=False)
        )
        row = self._session.execute(query).first()
        if row is None:
            return None
        return Lease(StepId(row[0]), RunId(row[1]), StepKey(row[2]), token, row[3], row[4], row[5])

    def leave(self, lease: Lease, state: str, **values: object) -> bool:
        """Put a claimed step into another state; False if the lease was lost meanwhile."""
        query = (
            update(StepRow)
            .where(
                col(StepRow.id) == lease.step_id,
                col(StepRow.lease_token) == lease.token,
                col(StepRow.state) == "claimed",
            )
            .values(
                state=state, **({} if state == "claimed" else {"lease_token": None, "lease_expires_at": None}), **values
            )
            .execution_options(synchronize_session=False)
        )
        return changed(self._session, query) == 1

    def holds(self, lease: Lease) -> bool:
        """Whether the lease still holds; the step's row stays locked until the transaction ends."""
        query = (
            select(StepRow.id)
            .where(StepRow.id == lease.step_id, StepRow.lease_token == lease.token, StepRow.state == "claimed")
            .with_for_update()
        )
        return self._session.exec(query).first() is not None

    def renew(self, tokens: Sequence[UUID]) -> None:
        """Heartbeat: the leases with these tokens hold again for their full time."""
        self._session.execute(
            update(StepRow)
            .where(col(StepRow.lease_token).in_(tokens), col(StepRow.state) == "claimed")
            .values(lease_expires_at=func.now() + LEASE)
            .execution_options(synchronize_session=False)
        )

    def lapsed(self, *, limit: int) -> tuple[Lease, ...]:
        """Claimed steps whose lease ran out, locked; those another sweep holds are passed over."""
        query = (
            select(StepRow)
            .where(StepRow.state == "claimed", col(StepRow.lease_expires_at) < func.now())
            .order_by(col(StepRow.lease_expires_at))
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return tuple(
            Lease(
                StepId(r.id),
                RunId(r.run_id),
                StepKey(r.key),
                r.lease_token or UUID(int=0),
                r.tries,
                r.failures,
                r.problem,
            )
            for r in self._session.exec(query)
        )

    def overdue(self, *, after: timedelta, limit: int) -> tuple[StepId, ...]:
        """Ready steps of running runs not sent lately, or whose waiting time is over; marks them as sent now."""
        due = and_(
            col(StepRow.state) == "ready",
            or_(col(StepRow.not_before).is_(None), col(StepRow.not_before) <= func.now()),
            or_(
                col(StepRow.sent_at).is_(None),
                col(StepRow.sent_at) < func.now() - after,
                col(StepRow.sent_at) < col(StepRow.not_before),
            ),
        )
        found = (
            select(StepRow.id)
            .join(RunRow, col(RunRow.id) == col(StepRow.run_id))
            .where(due, RunRow.state == "running")
            .order_by(col(StepRow.ready_at))
            .limit(limit)
        )
        query = (
            update(StepRow)
            .where(col(StepRow.id).in_(found), col(StepRow.state) == "ready")
            .values(sent_at=func.now())
            .returning(col(StepRow.id))
            .execution_options(synchronize_session=False)
        )
        return tuple(StepId(row[0]) for row in self._session.execute(query))

    def get(self, step_id: UUID, *, lock: bool = False) -> StepRecord:
        """One step; NotFoundError if there is none. ``lock`` holds it until the transaction ends."""
        query = select(StepRow).where(StepRow.id == step_id)
        row = self._session.exec(query.with_for_update() if lock else query).first()
        if row is None:
            raise NotFoundError("step", step_id)
        return _record(row)

    def of_run(self, run_id: UUID) -> tuple[StepRecord, ...]:
        """A run's steps in the order in which they were owed."""
        query = select(StepRow).where(StepRow.run_id == run_id).order_by(col(StepRow.ready_at), col(StepRow.key))
        return tuple(_record(row) for row in self._session.exec(query))

    def set(self, step_id: StepId, **values: object) -> None:
        """Set columns of one step."""
        self._session.execute(
            update(StepRow)
            .where(col(StepRow.id) == step_id)
            .values(**values)
            .execution_options(synchronize_session=False)
        )


def _record(row: StepRow) -> StepRecord:
    return StepRecord(**{name: getattr(row, name) for name in StepRecord.__dataclass_fields__})
