"""What a study's rows say of how it went: every call and intervention in brief, for comparing with the design."""

from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from app.domain.engine.deviations import CallFact, InterventionFact
from app.domain.engine.interventions import InterventionKind
from app.domain.engine.quotations import masked_text
from app.storage.redactions import Redactions
from app.storage.tables import CallRow, InterventionRow, RunRow, StepRow


class StudyFacts:
    """The facts of a study on one session: reads only."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def calls(self, study_id: UUID) -> tuple[CallFact, ...]:
        """Every call of a study's runs, in the order of sending, without its texts."""
        columns: tuple[Any, ...] = (
            CallRow.id, CallRow.run_id, StepRow.key, CallRow.state, CallRow.model_asked, CallRow.model_reported,
            CallRow.settings, CallRow.template_hashes,
        )  # fmt: skip
        query = (
            select(*columns)
            .join(StepRow, col(StepRow.id) == col(CallRow.step_id))
            .join(RunRow, col(RunRow.id) == col(CallRow.run_id))
            .where(RunRow.study_id == study_id)
            .order_by(col(CallRow.started_at), col(CallRow.attempt), col(CallRow.id))
        )
        return tuple(CallFact(*row) for row in self._session.execute(query))

    def interventions(self, study_id: UUID) -> tuple[InterventionFact, ...]:
        """Every intervention on a study's runs, the first first; what was redacted is masked in reasons."""
        columns: tuple[Any, ...] = (
            InterventionRow.run_id, StepRow.key, InterventionRow.kind, InterventionRow.reason
        )  # fmt: skip
        query = (
            select(*columns)
            .join(RunRow, col(RunRow.id) == col(InterventionRow.run_id))
            .join(StepRow, col(StepRow.id) == col(InterventionRow.step_id), isouter=True)
            .where(RunRow.study_id == study_id)
            .order_by(col(InterventionRow.made_at), col(InterventionRow.id))
        )
        made = self._session.execute(query).all()
        prints = Redactions(self._session).prints_of(row[0] for row in made)
        return tuple(
            InterventionFact(run_id, key, InterventionKind(kind), masked_text(reason, prints.get(run_id, frozenset())))
            for run_id, key, kind, reason in made
        )

    def step_ids(self, study_id: UUID, keys: frozenset[tuple[UUID, str]]) -> dict[tuple[UUID, str], UUID]:
        """The ids of these steps, by run and key."""
        columns: tuple[Any, ...] = (StepRow.run_id, StepRow.key, StepRow.id)
        query = select(*columns).join(RunRow, col(RunRow.id) == col(StepRow.run_id)).where(RunRow.study_id == study_id)
        query = query.where(col(StepRow.key).in_({key for _, key in keys}))
        return {(run_id, key): step for run_id, key, step in self._session.execute(query) if (run_id, key) in keys}
