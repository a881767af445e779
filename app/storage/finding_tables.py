"""The tables of the leakage audit: what probes counted in documents, passages found, what people decided."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Column, Index, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from app.storage.tables import Moment


def _text() -> Column[Any]:
    return Column(Text, nullable=False)


class ProbeCountRow(SQLModel, table=True):
    """One probe's count in one document; a version of a probe counts a document once."""

    __tablename__ = "probe_counts"
    __table_args__ = (UniqueConstraint("artifact_id", "probe", "version"),)
    id: UUID = Field(primary_key=True)
    run_id: UUID = Field(foreign_key="runs.id", index=True)
    artifact_id: UUID = Field(foreign_key="artifacts.id")
    key: str
    era: str
    probe: str
    version: str
    words: int
    hits: int
    numbers: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB(none_as_null=True), nullable=True))
    made_at: datetime = Field(sa_type=Moment)


class FindingRow(SQLModel, table=True):
    """A marked passage: ``starts_at`` and ``ends_at`` count characters of the document's field at ``path``."""

    __tablename__ = "findings"
    id: UUID = Field(primary_key=True)
    run_id: UUID = Field(foreign_key="runs.id", index=True)
    artifact_id: UUID = Field(foreign_key="artifacts.id", index=True)
    probe: str
    version: str
    path: str
    starts_at: int
    ends_at: int
    quote: str = Field(sa_column=_text())
    about: str = Field(sa_column=_text())
    state: str
    why: str = Field(sa_column=_text())


class FindingDecisionRow(SQLModel, table=True):
    """What a person decided about a passage a probe left open; never removed, and the last one counts.

    It names the passage and not a finding's row, so that it holds for the next version of the probe too.
    """

    __tablename__ = "finding_decisions"
    __table_args__ = (Index("finding_decisions_of_passage", "artifact_id", "probe", "path", "starts_at", "ends_at"),)
    id: UUID = Field(primary_key=True)
    run_id: UUID = Field(foreign_key="runs.id", index=True)
    artifact_id: UUID = Field(foreign_key="artifacts.id")
    probe: str
    path: str
    starts_at: int
    ends_at: int
    is_hit: bool
    reason: str = Field(sa_column=_text())
    author_id: UUID = Field(foreign_key="users.id")
    made_at: datetime = Field(sa_type=Moment)


class RunAuditRow(SQLModel, table=True):
    """A finished run that was audited by these versions of the probes."""

    __tablename__ = "run_audits"
    __table_args__ = (UniqueConstraint("run_id", "versions"),)
    id: UUID = Field(primary_key=True)
    run_id: UUID = Field(foreign_key="runs.id")
    versions: str
    made_at: datetime = Field(sa_type=Moment)
