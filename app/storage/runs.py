"""Runs: their state, sums and the lock under which a run moves."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, func
from sqlalchemy import select as sql_select
from sqlmodel import col, select

from app.domain.engine.ledger import GENESIS
from app.domain.ids import RunId, StudyId
from app.domain.study import PlannedRun
from app.storage.errors import NotFoundError
from app.storage.session import Session
from app.storage.statements import insert_into, update_by
from app.storage.tables import RunRow


@dataclass(frozen=True, slots=True)
class RunHead:
    """What a run's lock gives: its study, state and the head of its ledger."""

    id: RunId
    study_id: StudyId
    number: int
    state: str
    steps_done: int
    ledger_length: int
    ledger_head: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as lists and pages show it."""

    id: RunId
    study_id: StudyId
    number: int
    name: str
    condition: str
    replicate: int
    player: str
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
    interventions: int
    ledger_length: int
    ledger_head: str
    started_at: datetime
    finished_at: datetime | None


class Runs:
    """The runs on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(
        self, run_id: RunId, study_id: StudyId, planned: PlannedRun, *, steps: int, calls: int, at: datetime
    ) -> None:
        """Keep a new, running run."""
        values = {
            "id": run_id,
            "study_id": study_id,
            "number": planned.number,
            "name": planned.name,
            "condition": planned.condition,
            "replicate": planned.replicate,
            "player": planned.player.model,
            "steps_owed": steps,
            "calls_owed": calls,
            "ledger_head": GENESIS,
            "started_at": at,
        }
        self._session.write_later(insert_into(RunRow), values)

    def lock(self, run_id: UUID) -> RunHead:
        """Hold the run until the transaction ends; its ledger and steps change only under this lock."""
        row = self._session.execute(_locked(), {"is_id": run_id}).first()
        if row is None:
            raise NotFoundError("run", run_id)
        return RunHead(RunId(row[0]), StudyId(row[1]), *row[2:])

    def get(self, run_id: UUID) -> RunRecord:
        """One run; NotFoundError if there is none."""
        row = self._session.get(RunRow, run_id)
        if row is None:
            raise NotFoundError("run", run_id)
        return as_run(row)

    def of_study(self, study_id: UUID) -> tuple[RunRecord, ...]:
        """A study's runs in their order."""
        query = select(RunRow).where(RunRow.study_id == study_id).order_by(col(RunRow.number))
        return tuple(as_run(row) for row in self._session.exec(query))

    def change(self, run_id: RunId, *, add: Mapping[str, float] | None = None, **values: Any) -> None:
        """Set columns, and add to sums: ``add`` maps a sum's column to what is added."""
        sums = {name: amount for name, amount in (add or {}).items() if amount}
        query = update_by(RunRow, ("id",), tuple(values), tuple(sums))
        self._session.write_later(query, {"is_id": run_id, **values, **sums})

    def count(self, state: str) -> int:
        """How many runs are in a state."""
        return self._session.exec(select(func.count()).select_from(RunRow).where(RunRow.state == state)).one()


@lru_cache(maxsize=1)
def _locked() -> Select[Any]:
    columns = [getattr(RunRow, name) for name in RunHead.__dataclass_fields__]
    return sql_select(*columns).where(col(RunRow.id) == bindparam("is_id")).with_for_update()


def as_run(row: RunRow) -> RunRecord:
    """A row as the value it holds."""
    fields = {name: getattr(row, name) for name in RunRecord.__dataclass_fields__}
    return RunRecord(**fields)
