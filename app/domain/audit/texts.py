"""An artifact's prose as fields, each with its path, so that a finding can be marked where it stands."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from pydantic import BaseModel

NOT_PROSE = frozenset(
    {
        "kind",
        "id",
        "layer",
        "date",
        "lesson",
        "thesis",
        "dimension",
        "pooled_layer",
        "revises",
        "retires",
        "dissent",
        "named_by",
    }
)
"""Fields that hold ids, dates or labels."""

LONGEST_SENTENCE = 800
"""Characters to either side of a passage: what never ends is no sentence, and is read anew for each date in it."""

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'’”)]*\s+(?=[\"'“(]*[A-Z0-9])|\n+")


@dataclass(frozen=True, slots=True)
class TextField:
    """One piece of prose; ``path`` is such as ``theses.0.chain.capability``."""

    path: str
    text: str


def texts_of(artifact: BaseModel) -> tuple[TextField, ...]:
    """The prose of any artifact in its fields' order: no ids, labels or dates of items."""
    return tuple(_walk("", artifact))


def text_fields(text: str, path: str = "text") -> tuple[TextField, ...]:
    """A plain text as fields, for documents that are not artifacts."""
    return (TextField(path, text),)


def words_in(fields: Iterable[TextField]) -> int:
    """How many words; a hyphenated word is one."""
    return sum(len(_WORD.findall(field.text)) for field in fields)


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence that holds ``start`` to ``end``, at most LONGEST_SENTENCE from either."""
    first, last = max(0, start - LONGEST_SENTENCE), min(len(text), end + LONGEST_SENTENCE)
    for match in _SENTENCE_END.finditer(text, first, last):
        if match.end() <= start:
            first = match.end()
        elif match.start() >= end:
            last = match.start()
            break
    return first, last


def _walk(path: str, value: object) -> Iterator[TextField]:
    if isinstance(value, BaseModel):
        for name, inner in value:
            if name not in NOT_PROSE:
                yield from _walk(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from _walk(f"{path}.{index}", inner)
    elif isinstance(value, str) and not isinstance(value, Enum):
        yield TextField(path, value)
