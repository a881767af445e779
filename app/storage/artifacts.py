"""Artifacts: what steps wrote, read back as the typed documents they are."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlmodel import col, select

from app.domain.engine.redaction import masked_artifact
from app.domain.ids import ArtifactId, CallId, RunId, StepId, StepKey, UserId
from app.domain.protocol.artifacts import ARTIFACT, Artifact
from app.storage.errors import NotFoundError
from app.storage.redactions import Redactions
from app.storage.session import Session
from app.storage.statements import insert_into
from app.storage.tables import ArtifactRow


@dataclass(frozen=True, slots=True)
class KeptArtifact:
    """An artifact with its origin: a call, a person, or neither where code wrote it."""

    id: ArtifactId
    run_id: RunId
    step_id: StepId
    key: StepKey
    artifact: Artifact
    body_hash: str
    call_id: CallId | None
    written_by: UserId | None
    written_at: datetime


@dataclass(frozen=True, slots=True)
class ExactBody:
    """A body as it is stored, and the hash that was kept of it."""

    key: str
    body: dict[str, Any]
    body_hash: str


class Artifacts:
    """The artifacts on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, kept: KeptArtifact, era: str, body: dict[str, Any]) -> None:
        """Keep a new artifact by its body, as it was hashed; a second one for a step is refused by its unique key."""
        values = {
            "id": kept.id,
            "run_id": kept.run_id,
            "step_id": kept.step_id,
            "key": kept.key,
            "kind": kept.artifact.kind,
            "era": era,
            "body": body,
            "body_hash": kept.body_hash,
            "call_id": kept.call_id,
            "written_by": kept.written_by,
            "written_at": kept.written_at,
        }
        self._session.write_later(insert_into(ArtifactRow), values)

    def missing(self, run_id: RunId, known: Collection[StepKey]) -> dict[StepKey, Artifact]:
        """The run's artifacts beyond those whose keys are known already."""
        query = select(ArtifactRow.key, ArtifactRow.body).where(ArtifactRow.run_id == run_id)
        if known:
            query = query.where(col(ArtifactRow.key).not_in(known))
        found = {StepKey(key): ARTIFACT.validate_python(body) for key, body in self._session.execute(query)}
        prints = Redactions(self._session).prints(run_id) if found else frozenset()
        return {key: masked_artifact(one, prints) for key, one in found.items()} if prints else found

    def of_run(self, run_id: UUID, *, era: str | None = None) -> tuple[KeptArtifact, ...]:
        """A run's artifacts, or those of one era, in the order of writing; what was redacted is masked in all."""
        query = select(ArtifactRow).where(ArtifactRow.run_id == run_id)
        if era is not None:
            query = query.where(ArtifactRow.era == era)
        kept = tuple(_kept(row) for row in self._session.exec(query.order_by(col(ArtifactRow.written_at))))
        prints = Redactions(self._session).prints(run_id)
        return tuple(replace(one, artifact=masked_artifact(one.artifact, prints)) for one in kept) if prints else kept

    def of_step(self, step_id: UUID) -> KeptArtifact:
        """What a step wrote, unmasked; NotFoundError if it wrote nothing yet."""
        row = self._session.exec(select(ArtifactRow).where(ArtifactRow.step_id == step_id)).first()
        if row is None:
            raise NotFoundError("document of step", step_id)
        return _kept(row)

    def blank(self, artifact_id: ArtifactId, artifact: Artifact) -> None:
        """Put a blanked body in the place of the written one; its hash stays."""
        query = update(ArtifactRow).where(col(ArtifactRow.id) == artifact_id)
        query = query.values(body=artifact.model_dump(mode="json"))
        self._session.execute(query.execution_options(synchronize_session=False))

    def exact(self, run_id: UUID) -> dict[str, ExactBody]:
        """Every body of a run exactly as it is stored, by the artifact's id."""
        query = select(ArtifactRow.id, ArtifactRow.key, ArtifactRow.body, ArtifactRow.body_hash)
        rows = self._session.execute(query.where(ArtifactRow.run_id == run_id))
        return {str(row[0]): ExactBody(*row[1:]) for row in rows}


def _kept(row: ArtifactRow) -> KeptArtifact:
    return KeptArtifact(
        id=ArtifactId(row.id),
        run_id=RunId(row.run_id),
        step_id=StepId(row.step_id),
        key=StepKey(row.key),
        artifact=ARTIFACT.validate_python(row.body),
        body_hash=row.body_hash,
        call_id=CallId(row.call_id) if row.call_id else None,
        written_by=UserId(row.written_by) if row.written_by else None,
        written_at=row.written_at,
    )
