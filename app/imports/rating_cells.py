"""Rows and cells of a ratings file, with every problem tied to its line and a way to mend it."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 10_000_000
MOST_ROWS = 200_000
MOST_COLUMNS = 10_000
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "."}
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
DELIMITERS = (",", ";", "\t")


class RatingsError(ValueError):
    """A ratings file cannot be used; `line` counts from 1, None for the file as a whole."""

    def __init__(self, message: str, mend: str, line: int | None = None) -> None:
        self.message, self.mend, self.line = message, mend, line
        place = f"line {line}: " if line is not None else ""
        super().__init__(f"{place}{message}. To mend it: {mend}.")


@dataclass(frozen=True)
class Rows:
    """The header's cells and the rows below it as (line, cells), read one at a time."""

    header: list[str]
    delimiter: str
    below: Iterator[tuple[int, list[str]]]


def read_rows(path: Path, *, most_bytes: int = MOST_BYTES, most_rows: int = MOST_ROWS) -> Rows:
    """Open a CSV file separated by commas, semicolons or tabs.

    No more than `most_bytes` are ever read. Raises RatingsError for a file that is missing, empty, too large or not
    UTF-8 text; while rows are taken, for a row of another width than the header, and for more than `most_rows`.
    """
    text = _text(_content(path, most_bytes))
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first:
        raise RatingsError("the file is empty", "give a header line and one line per item or rating")
    delimiter = max(DELIMITERS, key=first.count)
    rows = _rows(text, delimiter, most_rows)
    header = [cell.strip() for cell in next(rows)[1]]
    if len(header) < 2:
        raise RatingsError(
            "there is only one column", "separate columns by commas, semicolons or tabs, with one rater per column", 1
        )
    if len(header) > MOST_COLUMNS:
        raise RatingsError(
            f"there are more than {MOST_COLUMNS} columns", "give one item or rating per line, with raters in columns", 1
        )
    return Rows(header, delimiter, _same_width(rows, len(header), delimiter))


def _content(path: Path, most_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise RatingsError(f"{path} cannot be opened: {reason}", "check the path and its permissions") from error
    if len(content) > most_bytes:
        raise RatingsError(
            f"the file is larger than {most_bytes / 1e6:g} MB",
            "keep only the columns item, rater, value, dimension and cluster, or split it by dimension",
        )
    return content


def _text(content: bytes) -> str:
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RatingsError("the text is not UTF-8", "save the file as 'CSV UTF-8'", line) from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise RatingsError("there is a zero byte, so this is no text file", "export the table as CSV", line)
    return text


def _rows(text: str, delimiter: str, most_rows: int) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    taken = 0
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            taken += 1
            if taken > most_rows + 1:
                raise RatingsError(f"there are more than {most_rows} rows", "split the file by dimension")
            yield reader.line_num, cells
    except csv.Error as error:
        raise RatingsError(
            f"this is not CSV ({error})", "close every quotation mark and double those inside a cell", reader.line_num
        ) from error


def _same_width(rows: Iterator[tuple[int, list[str]]], width: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    for line, raw in rows:
        cells = [cell.strip() for cell in raw]
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if len(cells) != width:
            mend = "give every row as many cells as the header, empty where a rating is missing"
            if len(cells) > width and delimiter == ",":
                mend += "; a decimal comma must stand in quotation marks, or separate columns by semicolons"
            raise RatingsError(f"{len(cells)} cells where the header has {width}", mend, line)
        yield line, cells


@dataclass
class CellTexts:
    """The distinct texts of all ratings, each with the line where it first stood: a cell is kept as a small number."""

    first_lines: dict[str, int] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)

    def code(self, text: str, line: int) -> int:
        """Number of this text, -1 for a missing rating."""
        if text.lower() in MISSING:
            return -1
        if text not in self.codes:
            self.codes[text] = len(self.codes)
            self.first_lines[text] = line
        return self.codes[text]

    def values(self, scale: tuple[float, float] | None) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """Value of each code, with NaN appended for -1; and the names in order where values are not numbers.

        Raises RatingsError for numbers among names, mixed decimal signs, and numbers outside `scale`.
        """
        texts = list(self.codes)
        numbers = [text for text in texts if NUMBER.fullmatch(text)]
        if texts and not numbers and scale is None:
            names = tuple(sorted(texts))
            return np.array([*(float(names.index(text)) for text in texts), np.nan]), names
        for text in texts:
            if not NUMBER.fullmatch(text):
                raise RatingsError(
                    f"'{text}' is not a number, other ratings are" if numbers else f"'{text}' is not a number",
                    "write a number, or leave the cell empty where the rating is missing",
                    self.first_lines[text],
                )
        self._check_decimals(texts)
        found = np.array([*(float(text.replace(",", ".")) for text in texts), np.nan])
        self._check_scale(texts, found, scale)
        return found, ()

    def _check_decimals(self, texts: list[str]) -> None:
        commas = [text for text in texts if "," in text]
        points = [text for text in texts if "." in text]
        if commas and points:
            comma, dot = commas[0], points[0]
            later = max(comma, dot, key=lambda text: self.first_lines[text])
            earlier = comma if later == dot else dot
            raise RatingsError(
                f"'{later}' and '{earlier}' (line {self.first_lines[earlier]}) use different decimal signs",
                "write all numbers with a point, or all with a comma",
                self.first_lines[later],
            )

    def _check_scale(self, texts: list[str], found: NDArray[np.float64], scale: tuple[float, float] | None) -> None:
        for text, value in zip(texts, found, strict=False):
            if not np.isfinite(value):
                raise RatingsError(f"'{text}' is too large", "write a rating of the scale", self.first_lines[text])
            if scale is not None and not scale[0] <= value <= scale[1]:
                raise RatingsError(
                    f"{text} lies outside the scale {scale[0]:g} to {scale[1]:g}",
                    "mend the rating, or declare the scale that was used with --scale LOW HIGH",
                    self.first_lines[text],
                )
