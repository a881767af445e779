"""Statements of the engine's hot path, each built once a process: building them costs more than sending them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import Dialect, Insert, Select, Table, Update, bindparam, insert, update
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.sql.compiler import Compiled, SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from sqlmodel import SQLModel

Names = tuple[str, ...]
Values = Mapping[str, Any]
Statement = Insert | Update | Select[Any]
Convert = Callable[[Any], Any]
TakenApart = tuple[str, Values, tuple[tuple[str, Convert | None], ...]]
"""The SQL, the values fixed in it, and for each of its places a value's name and how such values are converted."""

_DIALECT: Dialect = PGDialect_psycopg()  # type: ignore[no-untyped-call]
_PLACE = re.compile(r"%\((\w+)\)s|%%")
_NUMBERED = re.compile(r"\$(\d+)")


@dataclass(frozen=True, slots=True)
class Sent:
    """A statement as it is sent: SQL with numbered places, and their values in order."""

    sql: str
    values: tuple[Any, ...]


@lru_cache(maxsize=64)
def insert_into(row: type[SQLModel]) -> Insert:
    """Insert one or more rows; the values are given at execution, those left out have the columns' defaults."""
    columns = table_of(row).columns
    defaults = {column.name: column.default for column in columns}
    scalars = {name: one.arg for name, one in defaults.items() if isinstance(one, ScalarElementColumnDefault)}
    return insert(table_of(row)).values(scalars)


@lru_cache(maxsize=256)
def update_by(row: type[SQLModel], where: Names, values: Names, sums: Names = ()) -> Update:
    """Set ``values`` and add to ``sums`` where each column of ``where`` equals its parameter ``is_<column>``."""
    columns = table_of(row).c
    added: dict[str, Any] = {name: columns[name] + bindparam(name) for name in sums}
    query = update(table_of(row)).values({name: bindparam(name) for name in values} | added)
    for name in where:
        query = query.where(columns[name] == bindparam(f"is_{name}"))
    return query


def as_sent(statement: Statement, values: Values | Sequence[Values]) -> Sent:
    """A statement of this module and its values as psycopg takes them raw, for sending without SQLAlchemy's execution.

    Several rows of the same columns become one insert.
    """
    if isinstance(values, Mapping):
        sql, fixed, places = _compiled(statement, tuple(values))
    else:
        sql, fixed, places = _compiled_rows(statement, tuple(values[0]), len(values))
        values = {f"{name}_m{row}": value for row, one in enumerate(values) for name, value in one.items()}
    given = {**fixed, **values}
    return Sent(sql, tuple(convert(given[name]) if convert else given[name] for name, convert in places))


def merged(needed: Sequence[Sent], others: Sequence[Sent]) -> Sent:
    """One statement that does what these updates and inserts do, each on rows of its own, or fails and does nothing.

    It fails where one of the ``needed`` ones, updates, touches no row. All of them see the database before any.
    """
    values = tuple(value for one in (*needed, *others) for value in one.values)
    return Sent(_merged(tuple(one.sql for one in needed), tuple(one.sql for one in others)), values)


@lru_cache(maxsize=256)
def _merged(needed: Names, others: Names) -> str:
    """The outer query divides by nought where a needed part touched no row."""
    parts, taken = [], 0
    for number, sql in enumerate((*needed, *others)):
        part = _NUMBERED.sub(partial(_moved, taken), sql)
        taken += len(set(_NUMBERED.findall(sql)))
        parts.append(f"part{number} AS ({part}{' RETURNING 1' if number < len(needed) else ''})")
    touched = " AND ".join(f"EXISTS (TABLE part{number})" for number in range(len(needed)))
    return f"WITH {', '.join(parts)} SELECT 1 / ({touched})::int"


def _moved(by: int, place: re.Match[str]) -> str:
    return f"${int(place[1]) + by}"


@lru_cache(maxsize=512)
def _compiled(statement: Statement, names: Names) -> TakenApart:
    """A statement for one set of names."""
    columns = None if isinstance(statement, Select) else names
    return _taken_apart(statement.compile(dialect=_DIALECT, column_keys=columns), names)


@lru_cache(maxsize=256)
def _compiled_rows(statement: Statement, names: Names, rows: int) -> TakenApart:
    """The same for an insert of several rows, whose parameters carry the row's number."""
    assert isinstance(statement, Insert)
    several = insert(statement.table).values([dict.fromkeys(names)] * rows)
    numbered = tuple(f"{name}_m{row}" for row in range(rows) for name in names)
    return _taken_apart(several.compile(dialect=_DIALECT), numbered)


def _taken_apart(compiled: Compiled, names: Names) -> TakenApart:
    assert isinstance(compiled, SQLCompiler)
    order: dict[str, int] = {}

    def numbered(place: re.Match[str]) -> str:
        return f"${order.setdefault(place[1], len(order) + 1)}" if place[1] else "%"

    sql = _PLACE.sub(numbered, compiled.string)
    fixed = {name: value for name, value in compiled.params.items() if name not in names}
    binds = compiled.binds
    places = tuple((name, binds[name].type.dialect_impl(_DIALECT).bind_processor(_DIALECT)) for name in order)
    return sql, fixed, places


def table_of(row: type[SQLModel]) -> Table:
    """The table behind a row class."""
    table = row.__table__  # type: ignore[attr-defined]  # SQLModel sets it on classes with table=True
    assert isinstance(table, Table)
    return table
