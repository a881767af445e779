"""Steps: owed work, claimed under a lease that fences out the late."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import Insert, Interval, Update, and_, bindparam, func, or_, update
from sqlmodel import col, select

from app.domain.engine.steps import PlannedStep
from app.domain.ids import RunId, StepId, StepKey
from app.settings import get_settings
from app.storage.errors import NotFoundError
from app.storage.session import Session
from app.storage.statements import insert_into, update_by
from app.storage.tables import CallRow, RunRow, StepRow


@dataclass(frozen=True, slots=True)
class Claim:
    """Who claims, and the fresh token that fences out everyone else."""

    token: UUID
    worker: str


@dataclass(frozen=True, slots=True)
class Lease:
    """A claimed step in one worker's hands.

    ``attempts`` counts every call, the coming one too; ``tries`` answers that did not fit, ``failures`` calls without
    an answer, both since an operator last looked. ``choice`` is the model an operator chose for this step alone.
    """

    step_id: StepId
    run_id: RunId
    key: StepKey
    token: UUID
    attempts: int
    tries: int
    failures: int
    problem: str | None
    ready_at: datetime
    choice: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A step as pages show it.

    ``waits_for`` names the model that may not be asked now, ``stopped_by`` whose budget was reached.
    """

    id: StepId
    run_id: RunId
    key: StepKey
    kind: str
    era: str
    state: str
    attempts: int
    tries: int
    failures: int
    problem: str | None
    ready_at: datetime
    not_before: datetime | None
    claimed_at: datetime | None
    done_at: datetime | None
    choice: dict[str, Any] | None
    waits_for: str | None
    stopped_by: str | None


class Steps:
    """The steps on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, step_id: StepId, run_id: RunId, planned: PlannedStep, at: datetime, *, done: bool = False) -> None:
        """Owe a step; one made by code is done as it is added."""
        values = {"state": "done" if done else "ready", "done_at": at if done else None}
        self._session.write_later(insert_into(StepRow), _new(step_id, run_id, planned, at) | values)

    def add_claimed(self, step_id: StepId, run_id: RunId, planned: PlannedStep, at: datetime, claim: Claim) -> Lease:
        """Owe a step and take it at once."""
        values = _new(step_id, run_id, planned, at) | {"lease_token": claim.token, "worker": claim.worker}
        self._session.write_later(_insert_claimed(), values | {"lease": _lease()})
        return Lease(
            step_id,
            run_id,
            planned.key,
            claim.token,
            attempts=1,
            tries=0,
            failures=0,
            problem=None,
            ready_at=at,
        )

    def claim(self, step_id: UUID, claim: Claim) -> Lease | None:
        """Take a ready step of a running run whose time has come; None if it is not to be had."""
        values = {"is_id": step_id, "token": claim.token, "by": claim.worker, "lease": _lease()}
        rows = self._session.ask(_claiming(), values).rows
        if not rows:
            return None
        found, run_id, key, *others = rows[0]
        return Lease(StepId(found), RunId(run_id), StepKey(key), claim.token, *others)

    def leave(self, lease: Lease, state: str, **values: object) -> bool:
        """Put a claimed step into another state; False if the lease was lost, or another attempt made, meanwhile."""
        return self._session.ask(*_leaving(lease, state, values)).changed == 1

    def leave_surely(self, lease: Lease, state: str, **values: object) -> None:
        """The same without waiting for the answer: if the lease was lost, the transaction fails with OutrunError."""
        self._session.require(*_leaving(lease, state, values))

    def renew(self, tokens: Sequence[UUID]) -> None:
        """Heartbeat: the leases with these tokens hold again for their full time."""
        self._session.execute(
            update(StepRow)
            .where(col(StepRow.lease_token).in_(tokens), col(StepRow.state) == "claimed")
            .values(lease_expires_at=func.now() + _lease())
            .execution_options(synchronize_session=False)
        )

    def held_by_worker(self) -> dict[str, int]:
        """How many claimed steps each worker holds a lease of that did not lapse: its calls in flight."""
        query = (
            select(StepRow.worker, func.count())
            .where(StepRow.state == "claimed", col(StepRow.lease_expires_at) >= func.now())
            .group_by(col(StepRow.worker))
        )
        return {worker: held for worker, held in self._session.exec(query) if worker is not None}

    def lapsed(self, *, limit: int) -> tuple[tuple[StepId, RunId], ...]:
        """Claimed steps whose lease ran out, with their runs; unlocked: release them under their run's lock."""
        query = (
            select(StepRow.id, StepRow.run_id)
            .where(StepRow.state == "claimed", col(StepRow.lease_expires_at) < func.now())
            .order_by(col(StepRow.lease_expires_at))
            .limit(limit)
        )
        return tuple((StepId(step_id), RunId(run_id)) for step_id, run_id in self._session.execute(query))

    def release(self, step_id: StepId) -> int | None:
        """Make a step whose lease ran out ready again; gives its failures with this one, None if it is held or left."""
        query = (
            update(StepRow)
            .where(
                col(StepRow.id) == step_id, col(StepRow.state) == "claimed", col(StepRow.lease_expires_at) < func.now()
            )
            .values(
                state="ready",
                sent_at=func.now(),
                failures=StepRow.failures + 1,
                lease_token=None,
                lease_expires_at=None,
            )
            .returning(col(StepRow.failures))
            .execution_options(synchronize_session=False)
        )
        return self._session.execute(query).scalar_one_or_none()

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
            .with_for_update(skip_locked=True, of=StepRow)  # who holds one is about to claim it, or does not go on
        )
        query = (
            update(StepRow)
            .where(col(StepRow.id).in_(found), col(StepRow.state) == "ready")
            .values(sent_at=func.now())
            .returning(col(StepRow.id))
            .execution_options(synchronize_session=False)
        )
        return tuple(StepId(row[0]) for row in self._session.execute(query))

    def ahead(self, model: str, lease: Lease) -> int:
        """How many steps of running runs wait for a model since before this one."""
        query = (
            select(func.count())
            .select_from(StepRow)
            .join(RunRow, col(RunRow.id) == col(StepRow.run_id))
            .where(
                StepRow.waits_for == model,
                StepRow.state == "ready",
                col(StepRow.ready_at) < lease.ready_at,
                StepRow.id != lease.step_id,
                RunRow.state == "running",
            )
        )
        return self._session.exec(query).one()

    def in_flight(self, model: str) -> int:
        """Calls to a model that were sent and whose step's lease is live; holds the count until the transaction ends.

        Whoever counts next sees this transaction's call: a count and the call it allows are one act.
        """
        self._session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"concurrent:{model}", 0))))
        query = (
            select(func.count())
            .select_from(StepRow)
            .join(CallRow, and_(col(CallRow.step_id) == col(StepRow.id), col(CallRow.attempt) == col(StepRow.attempts)))
            .where(
                StepRow.state == "claimed",
                col(StepRow.lease_expires_at) > func.now(),
                CallRow.state == "sent",
                CallRow.model_asked == model,
            )
        )
        return self._session.exec(query).one()

    def wake(self, models: Sequence[str], *, limit: int) -> tuple[StepId, ...]:
        """Let the oldest steps that wait for one of these models try again at once; gives them, to be sent."""
        found = (
            select(StepRow.id)
            .join(RunRow, col(RunRow.id) == col(StepRow.run_id))
            .where(col(StepRow.waits_for).in_(models), StepRow.state == "ready", RunRow.state == "running")
            .order_by(col(StepRow.ready_at))
            .limit(limit)
            .with_for_update(skip_locked=True, of=StepRow)
        )
        query = (
            update(StepRow)
            .where(col(StepRow.id).in_(found))
            .values(not_before=None, sent_at=func.now())
            .returning(col(StepRow.id))
            .execution_options(synchronize_session=False)
        )
        return tuple(StepId(row[0]) for row in self._session.execute(query))

    def waiting_for(self, models: Sequence[str]) -> int:
        """How many steps wait for one of these models."""
        query = select(func.count()).select_from(StepRow)
        query = query.where(col(StepRow.waits_for).in_(models), StepRow.state == "ready")
        return self._session.exec(query).one()

    def stopped(self, runs: Sequence[UUID], by: str) -> tuple[StepRecord, ...]:
        """Steps of these runs that a reached budget stopped; read them under their runs' locks."""
        query = select(StepRow).where(col(StepRow.run_id).in_(runs), StepRow.stopped_by == by)
        query = query.where(StepRow.state == "needs_operator").execution_options(populate_existing=True)
        return tuple(_record(row) for row in self._session.exec(query.order_by(col(StepRow.ready_at))))

    def get(self, step_id: UUID, *, lock: bool = False) -> StepRecord:
        """One step; NotFoundError if there is none. ``lock`` holds it until the transaction ends."""
        query = select(StepRow).where(StepRow.id == step_id).execution_options(populate_existing=True)
        row = self._session.exec(query.with_for_update() if lock else query).first()
        if row is None:
            raise NotFoundError("step", step_id)
        return _record(row)

    def of_run(self, run_id: UUID) -> tuple[StepRecord, ...]:
        """A run's steps in the order in which they were owed."""
        query = select(StepRow).where(StepRow.run_id == run_id).order_by(col(StepRow.ready_at), col(StepRow.key))
        return tuple(_record(row) for row in self._session.exec(query))

    def unfinished(self, study_id: UUID) -> tuple[StepRecord, ...]:
        """A study's steps that are owed and not done, the oldest first."""
        query = (
            select(StepRow)
            .join(RunRow, col(RunRow.id) == col(StepRow.run_id))
            .where(RunRow.study_id == study_id, StepRow.state != "done")
            .order_by(col(StepRow.ready_at))
        )
        return tuple(_record(row) for row in self._session.exec(query))

    def set(self, step_id: StepId, **values: object) -> None:
        """Set columns of one step."""
        self._session.execute(
            update(StepRow)
            .where(col(StepRow.id) == step_id)
            .values(**values)
            .execution_options(synchronize_session=False)
        )


def _leaving(lease: Lease, state: str, values: Mapping[str, object]) -> tuple[Update, dict[str, object]]:
    new = {**values, "state": state}
    if state != "claimed":
        new |= {"lease_token": None, "lease_expires_at": None}
    query = update_by(StepRow, ("id", "lease_token", "attempts", "state"), tuple(new))
    held = {"is_id": lease.step_id, "is_lease_token": lease.token, "is_state": "claimed"}
    return query, new | held | {"is_attempts": lease.attempts}


def _lease() -> timedelta:
    return timedelta(seconds=get_settings().lease_seconds)


_LEASED = ("run_id", "key", "attempts", "tries", "failures", "problem", "ready_at", "choice")


_NEW = ("id", "run_id", "key", "kind", "era", "ready_at", "sent_at")


def _new(step_id: StepId, run_id: RunId, planned: PlannedStep, at: datetime) -> dict[str, object]:
    values = (step_id, run_id, planned.key, planned.kind, planned.era, at, at)
    return dict(zip(_NEW, values, strict=True))


@lru_cache(maxsize=1)
def _insert_claimed() -> Insert:
    """A new step, claimed by the database's clock."""
    given: dict[str, object] = {name: bindparam(name) for name in (*_NEW, "lease_token", "worker")}
    until = func.now() + bindparam("lease", type_=Interval())
    lease = {"state": "claimed", "attempts": 1, "claimed_at": func.now(), "lease_expires_at": until}
    return insert_into(StepRow).values(given | lease)


@lru_cache(maxsize=1)
def _claiming() -> Update:
    """A ready step of a running run whose time has come is claimed, and what its lease holds given back."""
    return (
        update(StepRow)
        .where(
            col(StepRow.id) == bindparam("is_id"),
            col(StepRow.state) == "ready",
            or_(col(StepRow.not_before).is_(None), col(StepRow.not_before) <= func.now()),
            col(StepRow.run_id) == RunRow.id,
            col(RunRow.state) == "running",
        )
        .values(
            state="claimed",
            attempts=StepRow.attempts + 1,
            lease_token=bindparam("token"),
            lease_expires_at=func.now() + bindparam("lease", type_=Interval()),
            claimed_at=func.now(),
            worker=bindparam("by"),
            waits_for=None,
            stopped_by=None,
        )
        .returning(col(StepRow.id), *(getattr(StepRow, name) for name in _LEASED))
    )


def _record(row: StepRow) -> StepRecord:
    return StepRecord(**{name: getattr(row, name) for name in StepRecord.__dataclass_fields__})
