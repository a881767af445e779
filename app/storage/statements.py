"""Statements of the engine's hot path, each built once a process: building them costs more than sending them."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Dialect, Insert, Select, Table, Update, bindparam, insert, update
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.sql.compiler import Compiled, SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from sqlmodel import SQLModel

Names = tuple[str, ...]
Values = Mapping[str, Any]
Statement = Insert | Update | Select[Any]
TakenApart = tuple[str, Values, dict[str, Callable[[Any], Any]]]
"""The SQL, the values fixed in the statement, and how values of some types are converted."""

_DIALECT: Dialect = PGDialect_psycopg()  # type: ignore[no-untyped-call]


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


def as_sent(statement: Statement, values: Values | Sequence[Values]) -> tuple[str, Values]:
    """A statement of this module and its values as psycopg takes them, for sending without SQLAlchemy's execution.

    Several rows of the same columns become one insert.
    """
    if isinstance(values, Mapping):
        sql, fixed, convert = _compiled(statement, tuple(values))
    else:
        sql, fixed, convert = _compiled_rows(statement, tuple(values[0]), len(values))
        values = {f"{name}_m{row}": value for row, one in enumerate(values) for name, value in one.items()}
    sent = {**fixed, **values}
    for name, converted in convert.items():
        sent[name] = converted(sent[name])
    return sql, sent


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
    convert: dict[str, Callable[[Any], Any]] = {}
    for name, bind in compiled.binds.items():
        processor = bind.type.dialect_impl(_DIALECT).bind_processor(_DIALECT)
        if processor is not None:
            convert[name] = processor
    fixed = {name: value for name, value in compiled.params.items() if name not in names}
    return compiled.string, fixed, convert


def table_of(row: type[SQLModel]) -> Table:
    """The table behind a row class."""
    table = row.__table__  # type: ignore[attr-defined]  # SQLModel sets it on classes with table=True
    assert isinstance(table, Table)
    return table
