"""The tables of imports: uploads that wait for a yes, imported studies and what came with their runs."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Column
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from app.storage.tables import Moment


def _json() -> Column[Any]:
    return Column(JSONB, nullable=False)


class ImportDraftRow(SQLModel, table=True):
    """The texts of an upload that was read and shown, and waits to be confirmed."""

    __tablename__ = "import_drafts"
    id: UUID = Field(primary_key=True)
    file: str
    mend: bool
    texts: dict[str, str] = Field(sa_column=_json())
    unread: list[str] = Field(sa_column=_json())
    made_by: UUID = Field(foreign_key="users.id")
    made_at: datetime = Field(sa_type=Moment)


class ImportRow(SQLModel, table=True):
    """An imported study; the fingerprint of its contents keeps it from being imported twice."""

    __tablename__ = "imports"
    study_id: UUID = Field(primary_key=True, foreign_key="studies.id")
    fingerprint: str = Field(unique=True)
    file: str
    notes: list[str] = Field(sa_column=_json())
    made_by: UUID = Field(foreign_key="users.id")
    made_at: datetime = Field(sa_type=Moment)


class ImportedRunRow(SQLModel, table=True):
    """What came with an imported run beyond its eras: lessons, the list of what was not parsed, and every text."""

    __tablename__ = "imported_runs"
    run_id: UUID = Field(primary_key=True, foreign_key="runs.id")
    study_id: UUID = Field(foreign_key="imports.study_id", index=True)
    playbook: list[dict[str, Any]] = Field(sa_column=_json())
    unparsed: list[dict[str, str]] = Field(sa_column=_json())
    texts: dict[str, str] = Field(sa_column=_json())
