"""What a report is made of; every string is shown as it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from app.domain.scoring.measures import Measure
from app.domain.wording import written

NONE = "–"
LONGEST_WORD = 32
"""Characters in a row that may stand on a line without a place to break."""

BREAK = "\u200b"
_LONG = re.compile(rf"\S{{{LONGEST_WORD}}}(?=\S)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


class Align(StrEnum):
    """How a column stands."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``share`` is its part of the width, 0 as wide as its content."""

    name: str
    share: int = 0
    align: Align = Align.LEFT


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with their values, one a line."""

    rows: tuple[tuple[str, str], ...]
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; ``marked`` are the numbers of rows, from 0, that carry an intervention."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    note: str = ""
    marked: tuple[int, ...] = ()
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs; ``label`` stands before the first."""

    paragraphs: tuple[str, ...]
    label: str = ""
    kind: Literal["prose"] = "prose"


@dataclass(frozen=True, slots=True)
class Listed:
    """Points under a label."""

    label: str
    items: tuple[str, ...]
    kind: Literal["list"] = "list"


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot, by the name of its file, with the table it is drawn from named beside; ``width`` in % of the line."""

    name: str
    caption: str
    width: int = 57
    kind: Literal["picture"] = "picture"


Block = Facts | Table | Prose | Listed | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the first or second level with what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 1
    on_new_page: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report; ``mark`` stands on every page of it, empty for none."""

    title: str
    subtitle: str
    mark: str
    footer: str
    sections: tuple[Section, ...]


def prose(text: str, label: str = "") -> Prose:
    """A text with its paragraphs where it has blank lines or line ends."""
    parts = tuple(part.strip() for part in re.split(r"\n+", text) if part.strip())
    return Prose(tuple(shown(part) for part in parts) or (NONE,), label)


def shown(text: str) -> str:
    """A text that fits on paper: long words may break, characters that steer are left out."""
    return _LONG.sub(lambda found: found[0] + BREAK, _CONTROL.sub(" ", text))


def number(measure: Measure, digits: int = 1, *, signed: bool = False) -> str:
    """A measure with so many digits, a dash where it is undefined."""
    if measure.value is None:
        return NONE
    return plain(measure.value, digits, signed=signed)


def plain(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """A number with a true minus, a dash for none."""
    if value is None:
        return NONE
    return written(value, f"%{'+' if signed else ''}.{digits}f")


def words(name: str) -> str:
    """An id as words."""
    return name.replace("_", " ")


def joined(parts: Sequence[str]) -> str:
    """Texts in a row, a dash for none."""
    return ", ".join(parts) if parts else NONE
