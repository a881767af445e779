"""Rows as comma-separated values: streamed, with a header, and with no cell that a spreadsheet would run."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from app.exports.as_json import utc

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - spreadsheets take both widths
"""What a text must not begin with: spreadsheets take the rest of it for a formula and run it."""


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The header, then a line a row; values that are not among ``columns`` are left out."""
    yield _line(columns)
    for row in rows:
        yield _line([cell(row.get(name)) for name in columns])


def cell(value: Any) -> str | int | float:
    """A value as a cell: None is empty, yes and no for truth, JSON for what has parts; text is made safe."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return value
        case _:
            return safe_text(_text(value))


def safe_text(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def _text(value: Any) -> str:
    match value:
        case datetime():
            return utc(value)
        case str() | UUID():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False, sort_keys=True, default=list)


def _line(cells: Sequence[str | int | float]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue().encode("utf-8", "replace")
