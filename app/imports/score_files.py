"""A score file as text cells: decoding, columns and rows, with errors that name file, line and mend."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

ALIASES: Mapping[str, str] = {
    "reported_total": "total",
    "typed_total": "total",
    "grounded": "groundedness",
    "identity": "company",
    "company_name": "company",
}
LARGEST = 20 * 2**20
_UNIT_NOTE = re.compile(r"_10_is_\w+$")


class ScoreFileError(ValueError):
    """A score file cannot be taken as it is; the message names file, line (from 1), problem and mend."""

    def __init__(self, file: str, line: int | str | None, problem: str, mend: str) -> None:
        self.file = file
        self.line = line
        self.problem = problem
        self.mend = mend
        where = file if line is None else f"{file}, line{'s' if isinstance(line, str) else ''} {line}"
        super().__init__(f"{where}: {problem}. {mend}.")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the physical line it ends on, and its cells by canonical column name, stripped."""

    line: int
    cells: Mapping[str, str]

    def get(self, column: str) -> str:
        """Give the cell, empty where the file has no such column."""
        return self.cells.get(column, "")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole score file: its name, its canonical columns in order, its rows."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def require(self, columns: Sequence[str], reason: str) -> None:
        """Refuse the file when one of these columns is missing."""
        missing = [column for column in columns if column not in self.columns]
        if missing:
            named = ", ".join(missing)
            raise ScoreFileError(self.file, 1, f"column missing: {named}", f"Add it to the header; {reason}")


def canonical_name(name: str) -> str:
    """Give the one name of a column or dimension: `grounded`, `hindsight_leakage_10_is_none` and such are variants."""
    plain = _UNIT_NOTE.sub("", name.strip().casefold())
    return ALIASES.get(plain, plain)


def read_sheet(content: bytes, file: str) -> Sheet:
    """Read comma-separated UTF-8 (LF or CRLF, with or without a byte order mark); raise ScoreFileError otherwise."""
    if len(content) > LARGEST:
        raise ScoreFileError(file, None, "the file is larger than 20 MB", "Choose a score table, one line per era")
    lines = _lines(_decode(content, file), file)
    header = next(lines, None)
    if header is None:
        raise ScoreFileError(file, None, "the file is empty", "Choose a score table with a header line")
    columns = _columns(header[1], file)
    rows = tuple(_row(line, cells, columns, file) for line, cells in lines)
    if not rows:
        raise ScoreFileError(file, 1, "there is a header and no era below it", "Add one line per era")
    return Sheet(file, columns, rows)


def _decode(content: bytes, file: str) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ScoreFileError(file, 1, "the text is UTF-16", "Save the file as CSV in UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"0x{content[error.start]:02x}"
        raise ScoreFileError(file, line, f"byte {byte} is not UTF-8 text", "Save the file as CSV in UTF-8") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ScoreFileError(file, line, "a NUL byte stands in the text", "Choose a CSV file, not a binary one")
    return text


def _lines(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            mend = "Check the quotation marks of this line"
            raise ScoreFileError(file, reader.line_num, f"the line is not CSV ({error})", mend) from error
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield reader.line_num, [cell.strip() for cell in cells]


def _columns(header: Sequence[str], file: str) -> tuple[str, ...]:
    if len(header) == 1:
        for separator, name in ((";", "semicolons"), ("\t", "tabs")):
            if separator in header[0]:
                raise ScoreFileError(file, 1, f"columns are separated by {name}", "Save the file with commas")
    columns = tuple(canonical_name(name) for name in header)
    twice = sorted(column for column, count in Counter(columns).items() if column and count > 1)
    if twice:
        raise ScoreFileError(file, 1, f"column {twice[0]} is there twice", "Keep one of them")
    return columns


def _row(line: int, cells: Sequence[str], columns: Sequence[str], file: str) -> Row:
    if len(cells) != len(columns):
        problem = f"{len(cells)} cells, but the header names {len(columns)} columns"
        raise ScoreFileError(file, line, problem, "Add the missing commas, or quote a cell that contains a comma")
    return Row(line, dict(zip(columns, cells, strict=True)))
