"""Runs: their state, sums and the lock under which a run moves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import Exists, Select, Update, bindparam, func
from sqlalchemy import select as sql_select
from sqlmodel import col, select

from app.domain.engine.judgings import JudgingPlan
from app.domain.engine.ledger import GENESIS
from app.domain.ids import RunId, StudyId
from app.domain.protocol.budgets import Budget
from app.domain.study import PlannedRun
from app.storage.errors import NotFoundError
from app.storage.session import Session
from app.storage.statements import Names, insert_into, update_by
from app.storage.tables import PauseRow, RunRow

PLAY, JUDGING = "play", "judging"


@dataclass(frozen=True, slots=True)
class RunHead:
    """What a run's lock gives: its study, state, the head of its ledger, and whether any provider is paused.

    Of a run that is being launched nobody asks whether one is.
    """

    id: RunId
    study_id: StudyId
    number: int
    state: str
    steps_done: int
    interventions: int
    ledger_length: int
    ledger_head: str
    has_pauses: bool


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as lists and pages show it.

    ``tokens_reserved`` and ``cost_reserved`` are held for calls in flight; ``cost_presumed`` is what calls whose cost
    will never be known are taken to have cost. ``kind`` is play or judging; only a judging has a ``plan``.
    """

    id: RunId
    study_id: StudyId
    number: int
    kind: str
    plan: dict[str, Any] | None
    name: str
    condition: str
    replicate: int
    player: str
    schedule: str
    state: str
    steps_owed: int
    steps_done: int
    calls_owed: int
    calls_made: int
    calls_lost: int
    tokens_in: int
    tokens_out: int
    cost_usd: float
    cost_unknown: int
    tokens_reserved: int
    cost_reserved: float
    cost_presumed: float
    budget: dict[str, Any] | None
    interventions: int
    ledger_length: int
    ledger_head: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Used:
    """What a run, or all runs of a study, used since ``since``, and what is held for calls in flight."""

    since: datetime
    calls: int
    tokens: int
    cost_usd: float
    tokens_reserved: int
    cost_reserved: float


class Runs:
    """The runs on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(
        self,
        run_id: RunId,
        study_id: StudyId,
        planned: PlannedRun,
        *,
        steps: int,
        calls: int,
        at: datetime,
        budget: Budget | None = None,
    ) -> RunHead:
        """Keep a new, running run; gives its head, which nobody else can move before the commit."""
        values = {
            "id": run_id,
            "study_id": study_id,
            "number": planned.number,
            "name": planned.name,
            "condition": planned.condition,
            "replicate": planned.replicate,
            "player": planned.player.model,
            "schedule": planned.schedule.id,
            "steps_owed": steps,
            "calls_owed": calls,
            "ledger_head": GENESIS,
            "started_at": at,
            "budget": budget.model_dump(mode="json") if budget else None,
        }
        return self._added(values)

    def add_judging(
        self, run_id: RunId, study_id: StudyId, number: int, plan: JudgingPlan, *, name: str, calls: int, at: datetime
    ) -> RunHead:
        """Keep a new, running judging; gives its head."""
        values = {
            "id": run_id,
            "study_id": study_id,
            "number": number,
            "kind": JUDGING,
            "plan": plan.model_dump(mode="json"),
            "name": name,
            "condition": JUDGING,
            "replicate": 1,
            "player": plan.judge.model,
            "schedule": "",
            "steps_owed": calls,
            "calls_owed": calls,
            "ledger_head": GENESIS,
            "started_at": at,
            "budget": plan.budget.model_dump(mode="json") if plan.budget else None,
        }
        return self._added(values)

    def lock(self, run_id: UUID) -> RunHead:
        """Hold the run until the transaction ends; its ledger and steps change only under this lock."""
        return self.ask_lock(run_id)()

    def ask_lock(self, run_id: UUID) -> Callable[[], RunHead]:
        """The same, on one journey with the next statement: call what is given to read the head."""
        asked = self._session.ask(_locked(), {"is_id": run_id})

        def head() -> RunHead:
            if not asked.rows:
                raise NotFoundError("run", run_id)
            row = asked.rows[0]
            return RunHead(RunId(row[0]), StudyId(row[1]), *row[2:])

        return head

    def get(self, run_id: UUID) -> RunRecord:
        """One run; NotFoundError if there is none."""
        row = self._session.get(RunRow, run_id)
        if row is None:
            raise NotFoundError("run", run_id)
        return as_run(row)

    def of_study(self, study_id: UUID) -> tuple[RunRecord, ...]:
        """A study's runs in their order; judgings are not among them."""
        return self._chosen(RunRow.study_id == study_id, RunRow.kind == PLAY)

    def judgings(self, study_id: UUID) -> tuple[RunRecord, ...]:
        """A study's judgings: those of its design first, then checks in the order in which they were started."""
        return self._chosen(RunRow.study_id == study_id, RunRow.kind == JUDGING)

    def every(self, study_id: UUID) -> tuple[RunRecord, ...]:
        """A study's runs, then its judgings."""
        return self._chosen(RunRow.study_id == study_id)

    def numbered(self, study_id: UUID, number: int) -> RunRecord:
        """The run of a number; NotFoundError if there is none."""
        found = self._chosen(RunRow.study_id == study_id, RunRow.number == number)
        if not found:
            raise NotFoundError("run", number)
        return found[0]

    def change(self, run_id: RunId, *, add: Mapping[str, float] | None = None, **values: Any) -> None:
        """Set columns, and add to sums: ``add`` maps a sum's column to what is added."""
        sums = {name: amount for name, amount in (add or {}).items() if amount}
        query = update_by(RunRow, ("id",), tuple(values), tuple(sums))
        self._session.write_later(query, {"is_id": run_id, **values, **sums})

    def change_seen(self, seen: RunHead, *, add: Mapping[str, float], **values: Any) -> None:
        """The same for a run that was not locked: if it is no longer as it was seen, OutrunError is raised."""
        sums = {name: amount for name, amount in add.items() if amount}
        before = {f"is_{name}": getattr(seen, name) for name in (*_SEEN, "has_pauses")}
        self._session.require(_changed_as_seen(tuple(values), tuple(sums)), {**before, **values, **sums})

    def budget(self, run_id: RunId) -> tuple[Budget, Used]:
        """The budget of a run, as raised since its launch, and what the run used of it."""
        query = select(RunRow.budget, RunRow.started_at, *_used()).where(RunRow.id == run_id)
        row = self._session.execute(query).one()
        return Budget.model_validate(row[0] or {}), Used(row[1], *row[2:])

    def count(self, state: str) -> int:
        """How many runs are in a state."""
        return self._session.exec(select(func.count()).select_from(RunRow).where(RunRow.state == state)).one()

    def _added(self, values: Mapping[str, Any]) -> RunHead:
        self._session.write_later(insert_into(RunRow), values)
        return RunHead(
            id=values["id"],
            study_id=values["study_id"],
            number=values["number"],
            state="running",
            steps_done=0,
            interventions=0,
            ledger_length=0,
            ledger_head=GENESIS,
            has_pauses=False,
        )

    def _chosen(self, *conditions: Any) -> tuple[RunRecord, ...]:
        query = select(RunRow).where(*conditions).order_by(col(RunRow.number))
        return tuple(as_run(row) for row in self._session.exec(query))


@lru_cache(maxsize=1)
def _locked() -> Select[Any]:
    columns = [getattr(RunRow, name) for name in _HEAD]
    query = sql_select(*columns, _has_pauses()).where(col(RunRow.id) == bindparam("is_id"))
    return query.with_for_update(of=RunRow)


@lru_cache(maxsize=64)
def _changed_as_seen(values: Names, sums: Names) -> Update:
    query = update_by(RunRow, _SEEN, values, sums)
    return query.where(_has_pauses() == bindparam("is_has_pauses"))


_HEAD = tuple(name for name in RunHead.__dataclass_fields__ if name != "has_pauses")
_SEEN = ("id", "state", "interventions", "ledger_head")
"""What tells whether a run moved: every move is told to its ledger."""


def _has_pauses() -> Exists:
    return sql_select(col(PauseRow.id)).where(col(PauseRow.resumed_at).is_(None)).exists()


def _used() -> tuple[Any, ...]:
    tokens = col(RunRow.tokens_in) + col(RunRow.tokens_out)
    cost = col(RunRow.cost_usd) + col(RunRow.cost_presumed)
    return (col(RunRow.calls_made), tokens, cost, col(RunRow.tokens_reserved), col(RunRow.cost_reserved))


def used_by_study(study_id: UUID) -> Select[Any]:
    """The sums of what a study's runs used."""
    sums = (func.coalesce(func.sum(column), 0) for column in _used())
    return sql_select(*sums).where(col(RunRow.study_id) == study_id)


def as_run(row: RunRow) -> RunRecord:
    """A row as the value it holds."""
    fields = {name: getattr(row, name) for name in RunRecord.__dataclass_fields__}
    return RunRecord(**fields)
