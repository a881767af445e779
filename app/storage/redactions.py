"""Redactions: what was taken out of runs, and how quotations of it are recognized."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, insert, or_
from sqlmodel import Session, col, select

from app.domain.engine.quotations import Prints
from app.domain.ids import ArtifactId, RunId, StepId
from app.storage.tables import RedactionRow, RunRow

JUDGING = "judging"


class Redactions:
    """The redactions on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, artifact_id: ArtifactId, run_id: RunId, step_id: StepId, prints: Prints, at: datetime) -> None:
        """Keep what recognizes a document that was blanked."""
        values = {"artifact_id": artifact_id, "run_id": run_id, "step_id": step_id, "prints": sorted(prints)}
        self._session.execute(insert(RedactionRow).values(**values, made_at=at))

    def prints(self, run_id: UUID) -> Prints:
        """Fingerprints of everything that was taken out of a run, or that a judging was shown; empty for nearly all."""
        study = select(RunRow.study_id).where(RunRow.id == run_id, RunRow.kind == JUDGING).scalar_subquery()
        shown = select(RunRow.id).where(RunRow.study_id == study)
        query = select(RedactionRow.prints)
        query = query.where(or_(col(RedactionRow.run_id) == run_id, col(RedactionRow.run_id).in_(shown)))
        return frozenset(one for prints in self._session.exec(query) for one in prints)

    def prints_of(self, run_ids: Iterable[UUID]) -> dict[UUID, Prints]:
        """The same of several runs; those of which nothing was taken out are left out."""
        return {run_id: prints for run_id in set(run_ids) if (prints := self.prints(run_id))}

    def prints_of_studies(self, study_ids: Iterable[UUID]) -> Prints:
        """Fingerprints of everything that was taken out of the runs of several studies."""
        query = select(RedactionRow.prints).join(RunRow, col(RunRow.id) == col(RedactionRow.run_id))
        found = self._session.exec(query.where(col(RunRow.study_id).in_(tuple(study_ids))))
        return frozenset(one for prints in found for one in prints)

    def count(self, run_id: UUID) -> int:
        """How many documents of a run were blanked."""
        query = select(func.count()).select_from(RedactionRow).where(RedactionRow.run_id == run_id)
        return self._session.exec(query).one()

    def of_step(self, step_id: UUID) -> bool:
        """Whether what a step wrote was blanked."""
        query = select(RedactionRow.artifact_id).where(col(RedactionRow.step_id) == step_id)
        return self._session.exec(query).first() is not None

    def artifacts(self, run_id: UUID) -> frozenset[UUID]:
        """The documents of a run that were blanked."""
        query = select(RedactionRow.artifact_id).where(RedactionRow.run_id == run_id)
        return frozenset(self._session.exec(query))
