"""A study's rows as an archive carries them: every table of its runs and panels, streamed out and put back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Select, Table, func, insert, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import SQLModel

from app.domain.ids import StepKey
from app.storage import finding_tables, import_tables
from app.storage.rating_tables import (
    AdjudicationRow,
    AssignmentRow,
    BlindingGuessRow,
    PanelAmendmentRow,
    PanelItemRow,
    PanelRow,
    RaterClaimRow,
    RaterRow,
    RatingRow,
)
from app.storage.session import Session
from app.storage.tables import RunRow, StudyRow, UserRow

Row = Mapping[str, Any]

FETCHED = 200
"""Rows in memory at once."""

FETCHED_LONG = 4
"""The same for rows that hold long texts: one can be a megabyte and more."""

LONG = frozenset({"calls", "artifacts", "interventions", "panel_items"})

ORDERS = {
    "runs": "number",
    "steps": "ready_at",
    "calls": "started_at",
    "artifacts": "written_at",
    "interventions": "made_at",
    "panels": "made_at",
    "panel_items": "key",
    "raters": "slot",
    "ratings": "submitted_at",
}
"""What rows of a table are ordered by, before their key."""

BESIDE_RUNS = (finding_tables, import_tables)
"""Tables that name runs or studies and that nothing else here loads: one that is not loaded would be left out."""

PANEL_TABLES = frozenset(
    str(row.__tablename__)
    for row in (
        PanelRow,
        PanelItemRow,
        PanelAmendmentRow,
        RaterRow,
        RaterClaimRow,
        AssignmentRow,
        RatingRow,
        AdjudicationRow,
        BlindingGuessRow,
    )
)
"""What goes with a study of the panels that rated it: no invitation, no session, no single movement of a rater."""

SECRETS: Mapping[str, Mapping[str, Any]] = {
    "raters": {"name": None, "return_code_hash": None},
    "assignments": {"tab": ""},
}
"""What joins a rater to a person or lets one in: neither leaves in an archive nor is taken from one."""


class Kind(StrEnum):
    """What a column holds."""

    ID = "id"
    TIME = "time"
    WHOLE = "whole number"
    NUMBER = "number"
    YES_NO = "yes or no"
    JSON = "JSON"
    TEXT = "text"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class ColumnShape:
    """A column as an import checks it; ``refers_to`` names the table whose keys it holds."""

    name: str
    kind: Kind
    nullable: bool
    has_default: bool
    refers_to: str | None


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table by its columns; ``key`` are those of its primary key."""

    name: str
    columns: Mapping[str, ColumnShape]
    key: tuple[str, ...]


def shapes() -> dict[str, TableShape]:
    """Every table of an archive, each after those it refers to: studies, runs, all that names them, and panels."""
    return {table.name: _shape(table) for table in _tables()}


def without_secrets(name: str, row: Row) -> dict[str, Any]:
    """A row as it may be in an archive."""
    return {**row, **SECRETS.get(name, {})}


class Archives:
    """The rows of whole studies on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def rows(self, name: str, study_id: UUID) -> Iterator[dict[str, Any]]:
        """The rows of a table that belong to a study, by a cursor that stays in the database."""
        table = SQLModel.metadata.tables[name]
        query = select(table).where(_belongs(table, study_id))
        if "run_id" in table.c:
            runs = SQLModel.metadata.tables["runs"]
            query = query.join(runs, runs.c.id == table.c.run_id).order_by(runs.c.number)
        query = query.order_by(*_order(table))
        rows = self._session.execute(query.execution_options(yield_per=FETCHED_LONG if name in LONG else FETCHED))
        for row in rows.mappings():
            yield without_secrets(name, dict(row))

    def step_keys(self, study_id: UUID) -> dict[UUID, StepKey]:
        """The key of every step of a study, by its id."""
        steps, runs = SQLModel.metadata.tables["steps"], SQLModel.metadata.tables["runs"]
        query = select(steps.c.id, steps.c.key).join(runs, runs.c.id == steps.c.run_id)
        return {row[0]: StepKey(row[1]) for row in self._session.execute(query.where(runs.c.study_id == study_id))}

    def redacted_steps(self, run_id: UUID) -> frozenset[UUID]:
        """The steps of a run whose documents were taken out."""
        table = SQLModel.metadata.tables["redactions"]
        return frozenset(self._session.scalars(select(table.c.step_id).where(table.c.run_id == run_id)))

    def people(self, ids: Sequence[UUID]) -> tuple[dict[str, Any], ...]:
        """Id and name of these people, by name."""
        query = select(_users().c.id, _users().c.name).where(_users().c.id.in_(ids)).order_by(_users().c.name)
        return tuple(dict(row) for row in self._session.execute(query).mappings())

    def people_named(self, study_id: UUID) -> frozenset[UUID]:
        """Everybody whom a study's rows name."""
        found: set[UUID] = set()
        for table in _tables():
            for column in table.columns:
                if _refers_to(column) == "users":
                    query = select(column).where(_belongs(table, study_id), column.is_not(None)).distinct()
                    found.update(self._session.scalars(query))
        return frozenset(found)

    def hold(self, study_id: UUID) -> bool:
        """Be the only one to put in this study until the transaction ends; False while somebody else does."""
        held = select(func.pg_try_advisory_xact_lock(func.hashtextextended(str(study_id), 0)))
        return bool(self._session.execute(held).scalar_one())

    def is_taken(self, name: str, ids: Sequence[UUID]) -> bool:
        """Whether any of these ids is in a table already."""
        table = SQLModel.metadata.tables[name]
        return self._session.execute(select(table.c.id).where(table.c.id.in_(ids)).limit(1)).first() is not None

    def count(self, name: str, ids: Sequence[UUID]) -> int:
        """How many of these ids are in a table."""
        table = SQLModel.metadata.tables[name]
        return int(self._session.execute(select(func.count()).where(table.c.id.in_(ids))).scalar_one())

    def panel_hash(self, panel_id: UUID) -> str | None:
        """The hash of a panel's lock, empty for a draft; None where there is no such panel."""
        table = SQLModel.metadata.tables[str(PanelRow.__tablename__)]
        row = self._session.execute(select(table.c.locked_hash).where(table.c.id == panel_id)).first()
        return None if row is None else row[0] or ""

    def panel_sources(self, study_id: UUID) -> frozenset[str]:
        """Every study that the panels which drew from one study drew from."""
        table = SQLModel.metadata.tables[str(PanelRow.__tablename__)]
        drawn = func.jsonb_array_elements_text(table.c.design["source_ids"])
        return frozenset(self._session.scalars(select(drawn).where(_belongs(table, study_id)).distinct()))

    def names_taken(self, names: Sequence[str]) -> frozenset[str]:
        """Which of these names people have already."""
        return frozenset(self._session.scalars(select(_users().c.name).where(_users().c.name.in_(names))))

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        """Put rows back, exactly as they are given."""
        self._session.execute(insert(SQLModel.metadata.tables[name]), [dict(row) for row in rows])

    def add_person(self, user_id: UUID, name: str, role: str, at: datetime) -> None:
        """A name for what somebody did elsewhere: an account that is disabled from the start."""
        values = {"id": user_id, "name": name, "role": role, "created_at": at, "disabled_at": at}
        self._session.execute(insert(_users()).values(**values))


def _users() -> Table:
    return SQLModel.metadata.tables[str(UserRow.__tablename__)]


def _tables() -> list[Table]:
    """In an order in which they can be filled."""
    own = {str(StudyRow.__tablename__), str(RunRow.__tablename__)}
    return [
        table
        for table in SQLModel.metadata.sorted_tables
        if table.name in own | PANEL_TABLES or any(_refers_to(column) in own for column in table.columns)
    ]


def _belongs(table: Table, study_id: UUID) -> ColumnElement[bool]:
    """Whether a row of the table is the study's, its runs' or a locked panel's that drew from it."""
    if table.name == StudyRow.__tablename__:
        return table.c.id == study_id
    if table.name == PanelRow.__tablename__:
        return table.c.locked.is_not(None) & table.c.design["source_ids"].contains([str(study_id)])
    if "study_id" in table.c:
        return table.c.study_id == study_id
    column = _column_of_owner(table)
    return column.in_(_keys(SQLModel.metadata.tables[str(_refers_to(column))], study_id))


def _keys(table: Table, study_id: UUID) -> Select[Any]:
    return select(table.primary_key.columns[0]).where(_belongs(table, study_id))


def _column_of_owner(table: Table) -> Column[Any]:
    """The column that says to which run, panel, rater or assignment a row belongs."""
    owners = {"runs", *PANEL_TABLES}
    return next(column for column in table.columns if _refers_to(column) in owners)


def _shape(table: Table) -> TableShape:
    columns = {column.name: _column(column) for column in table.columns}
    return TableShape(table.name, columns, tuple(column.name for column in table.primary_key))


def _column(column: Column[Any]) -> ColumnShape:
    kind = Kind.JSON if isinstance(column.type, JSONB) else _KINDS[column.type.python_type]
    if column.table.name == PanelAmendmentRow.__tablename__ and kind is Kind.JSON:
        kind = Kind.VALUE  # an amended field may be a number or a name
    return ColumnShape(column.name, kind, bool(column.nullable), column.default is not None, _refers_to(column))


def _refers_to(column: Column[Any]) -> str | None:
    return next((key.column.table.name for key in column.foreign_keys), None)


def _order(table: Table) -> list[Column[Any]]:
    first = [table.c[ORDERS[table.name]]] if table.name in ORDERS else []
    return [*first, *table.primary_key]


_KINDS = {
    UUID: Kind.ID,
    datetime: Kind.TIME,
    int: Kind.WHOLE,
    float: Kind.NUMBER,
    bool: Kind.YES_NO,
    str: Kind.TEXT,
    object: Kind.TEXT,  # SQLModel's strings do not say what they are
}
