"""Statements of the engine's hot path, each built once a process: building them costs more than sending them."""

from functools import lru_cache
from typing import Any

from sqlalchemy import Insert, Table, Update, bindparam, insert, update
from sqlmodel import SQLModel

Names = tuple[str, ...]


@lru_cache(maxsize=64)
def insert_into(row: type[SQLModel]) -> Insert:
    """Insert one or more rows; the values are given at execution."""
    return insert(table_of(row))


@lru_cache(maxsize=256)
def update_by(row: type[SQLModel], where: Names, values: Names, sums: Names = ()) -> Update:
    """Set ``values`` and add to ``sums`` where each column of ``where`` equals its parameter ``is_<column>``."""
    columns = table_of(row).c
    added: dict[str, Any] = {name: columns[name] + bindparam(name) for name in sums}
    query = update(table_of(row)).values({name: bindparam(name) for name in values} | added)
    for name in where:
        query = query.where(columns[name] == bindparam(f"is_{name}"))
    return query


def table_of(row: type[SQLModel]) -> Table:
    """The table behind a row class."""
    table = row.__table__  # type: ignore[attr-defined]  # SQLModel sets it on classes with table=True
    assert isinstance(table, Table)
    return table
