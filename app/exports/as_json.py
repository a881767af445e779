"""Rows as JSON lines: one object a line, UTF-8, never NaN."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID


def json_line(row: Mapping[str, Any]) -> bytes:
    """One row with its line feed; times in UTC, ids as text."""
    text = json.dumps(row, default=_plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Rows as they come."""
    return map(json_line, rows)


def utc(at: datetime) -> str:
    """A time as every export writes it: ISO 8601 in UTC with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return utc(value)
        case UUID() | date():
            return str(value)
        case tuple() | frozenset() | set():
            return list(value)
        case _:
            raise TypeError(f"{type(value).__name__} cannot be written as JSON")
