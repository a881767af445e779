"""Rows of an archive on their way in: types, references and hashes are checked before the database sees any."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from app.domain.protocol.artifacts import ARTIFACT
from app.imports.archive import ArchiveError, OpenArchive, first_problem
from app.storage.archives import ColumnShape, Kind, TableShape

PEOPLE = "people"
KEYED = ("steps", "artifacts")
"""Tables whose rows have a key of their own within a run."""

UPDATE = "Export it with a checkout like this one, or bring this one up to date"


@dataclass
class RowReader:
    """Reads an archive's tables in their order and remembers which ids there were, so that nothing points outside."""

    archive: OpenArchive
    seen: dict[str, set[UUID]] = field(default_factory=dict)
    _lines: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def people(self) -> dict[UUID, str]:
        """Names of everybody whom the rows name, by id."""
        found = {}
        for number, row in self.archive.rows(PEOPLE):
            name = row.get("name")
            if not isinstance(name, str) or not 0 < len(name) <= 200 or "\0" in name:
                raise self.error(PEOPLE, number, "name is no name")
            found[_as_id(row.get("id"), self, PEOPLE, number)] = name
        self.seen["users"] = set(found)
        return found

    def rows(self, shape: TableShape) -> Iterator[dict[str, Any]]:
        """The rows of a table as the database takes them."""
        seen = self.seen.setdefault(shape.name, set())
        for number, row in self.archive.rows(shape.name):
            checked = self._row(shape, number, row)
            self._refuse_repeated(shape, number, checked)
            if shape.columns[shape.key[0]].kind is Kind.ID:
                seen.add(checked[shape.key[0]])
            if shape.name == "artifacts":
                self._check_artifact(number, checked)
            yield checked

    def error(self, table: str, number: int, problem: str) -> ArchiveError:
        """An error in a line of a table."""
        return ArchiveError(f"data/{table}.jsonl", f"line {number}: {problem}")

    def _row(self, shape: TableShape, number: int, row: Mapping[str, Any]) -> dict[str, Any]:
        strangers = sorted(set(row) - set(shape.columns))
        if strangers:
            problem = f"line {number}: {strangers[0][:60]} is unknown here: the archive comes from another version"
            raise ArchiveError(f"data/{shape.name}.jsonl", problem, UPDATE)
        missing = [name for name, one in shape.columns.items() if name not in row and not _may_be_missing(one)]
        if missing:
            raise self.error(shape.name, number, f"{missing[0]} is missing")
        return {name: self._value(shape, number, shape.columns[name], value) for name, value in row.items()}

    def _value(self, shape: TableShape, number: int, column: ColumnShape, value: Any) -> Any:
        if value is None:
            if column.nullable or column.kind is Kind.JSON:  # a JSON column takes null as a value
                return None
            raise self.error(shape.name, number, f"{column.name} is empty")
        if not _TESTS[column.kind](value):
            raise self.error(shape.name, number, f"{column.name} is no {column.kind}")
        if column.kind is Kind.ID:
            value = _as_id(value, self, shape.name, number)
        if column.refers_to is not None and value not in self.seen.get(column.refers_to, set()):
            raise self.error(shape.name, number, f"{column.name} names something that is not in the archive")
        return datetime.fromisoformat(value) if column.kind is Kind.TIME else value

    def _refuse_repeated(self, shape: TableShape, number: int, row: Mapping[str, Any]) -> None:
        """An id, and the key of a step or document within its run, may stand in one line only."""
        names = ("run_id", "key") if shape.name in KEYED else ()
        for place in filter(None, (shape.key, names)):
            value = (shape.name, place, *(row.get(name) for name in place))
            first = self._lines.setdefault(value, number)
            if first != number:
                raise self.error(shape.name, number, f"the same {' and '.join(place)} as in line {first}")

    def _check_artifact(self, number: int, row: Mapping[str, Any]) -> None:
        try:
            document = ARTIFACT.validate_python(row["body"])
        except ValidationError as error:
            problem = f"body is no document this checkout knows ({first_problem(error)})"
            raise self.error("artifacts", number, problem) from error
        if document.kind != row["kind"]:
            raise self.error("artifacts", number, "kind is not the body's")


def _may_be_missing(column: ColumnShape) -> bool:
    """An archive from before a column was added says nothing of it."""
    return column.nullable or column.has_default


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _as_id(value: Any, reader: RowReader, table: str, number: int) -> UUID:
    try:
        return UUID(value)
    except (ValueError, AttributeError, TypeError) as error:
        raise reader.error(table, number, "an id is no id") from error


_TESTS: Mapping[Kind, Callable[[Any], bool]] = {
    Kind.ID: lambda value: isinstance(value, str),
    Kind.TIME: lambda value: isinstance(value, str) and _is_time(value),
    Kind.WHOLE: lambda value: isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63,
    Kind.NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    Kind.YES_NO: lambda value: isinstance(value, bool),
    Kind.TEXT: lambda value: isinstance(value, str) and "\0" not in value,
    Kind.JSON: lambda value: isinstance(value, dict | list),
    Kind.VALUE: lambda _: True,
}
