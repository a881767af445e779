"""Interventions: what people did to runs, added and never changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlmodel import Session, col, select

from app.domain.engine.interventions import InterventionKind
from app.domain.ids import InterventionId, RunId, StepId, UserId
from app.storage.tables import InterventionRow


@dataclass(frozen=True, slots=True)
class Intervention:
    """One intervention with the text before and after, and the words the judge got, if it was told."""

    id: InterventionId
    run_id: RunId
    step_id: StepId | None
    era: str | None
    kind: InterventionKind
    author_id: UserId | None
    reason: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    judge_told: bool
    judge_words: str | None
    made_at: datetime


class Interventions:
    """The interventions on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, intervention: Intervention) -> None:
        """Keep an intervention for ever."""
        values = {name: getattr(intervention, name) for name in Intervention.__dataclass_fields__}
        self._session.execute(insert(InterventionRow).values(**values))

    def of_run(self, run_id: UUID) -> tuple[Intervention, ...]:
        """A run's interventions from the first on."""
        query = select(InterventionRow).where(InterventionRow.run_id == run_id).order_by(col(InterventionRow.made_at))
        return tuple(as_intervention(row) for row in self._session.exec(query))

    def told_to_judge(self, run_id: UUID, era: str) -> tuple[str, ...]:
        """The exact words a judge gets about interventions in an era, in their order."""
        query = (
            select(InterventionRow.judge_words)
            .where(InterventionRow.run_id == run_id, InterventionRow.era == era, col(InterventionRow.judge_told))
            .order_by(col(InterventionRow.made_at))
        )
        return tuple(words for words in self._session.exec(query) if words)

    def newest(self, *, limit: int, offset: int = 0) -> tuple[Intervention, ...]:
        """Interventions of all runs from the last on."""
        query = select(InterventionRow).order_by(col(InterventionRow.made_at).desc()).limit(limit).offset(offset)
        return tuple(as_intervention(row) for row in self._session.exec(query))


def as_intervention(row: InterventionRow) -> Intervention:
    """A row as the value it holds."""
    fields = {name: getattr(row, name) for name in Intervention.__dataclass_fields__}
    return Intervention(**fields | {"kind": InterventionKind(row.kind)})
