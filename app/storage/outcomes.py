"""How a study's answers ended that were no whole answers: refused by the model, or cut off, per condition."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.storage.tables import CallRow, RunRow


@dataclass(frozen=True, slots=True)
class StopCount:
    """Answers of one condition and model that ended so, discarded ones too; ``stop`` is refused or truncated."""

    condition: str
    model: str
    stop: str
    calls: int


class Outcomes:
    """The outcomes on one session: reads only."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of_study(self, study_id: UUID) -> tuple[StopCount, ...]:
        """The counts of a study, by condition and model; nothing for whole answers."""
        groups: tuple[Any, ...] = (col(RunRow.condition), col(CallRow.model_asked), col(CallRow.stop))
        columns: tuple[Any, ...] = (*groups, func.count())
        query = (
            select(*columns)
            .join(RunRow, col(RunRow.id) == col(CallRow.run_id))
            .where(RunRow.study_id == study_id, col(CallRow.stop) != "complete")
            .group_by(*groups)
            .order_by(*groups)
        )
        return tuple(StopCount(*row) for row in self._session.execute(query))
