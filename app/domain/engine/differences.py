"""Two documents beside each other: what each says and the other does not, field by field and word by word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

LONGEST = 4_000
"""Words of one field beyond which it is shown whole, without marks: comparing grows with the product of lengths."""

_WORDS = re.compile(r"\S+\s*")
_HIDDEN = frozenset({"kind"})


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words; ``own`` says that only this document has them."""

    text: str
    own: bool


@dataclass(frozen=True, slots=True)
class FieldPair:
    """One field in both documents; a side that lacks it is empty."""

    name: str
    left: tuple[Piece, ...]
    right: tuple[Piece, ...]

    @property
    def differs(self) -> bool:
        """Whether the two sides are not the same text."""
        return any(piece.own for piece in (*self.left, *self.right))


def compare_documents(left: dict[str, Any], right: dict[str, Any]) -> tuple[FieldPair, ...]:
    """Compare two documents' JSON bodies; lists are paired by position, fields by name, in the left one's order."""
    one, other = dict(_fields(left)), dict(_fields(right))
    names = list(one) + [name for name in other if name not in one]
    return tuple(_pair(name, one.get(name, ""), other.get(name, "")) for name in names)


def _pair(name: str, left: str, right: str) -> FieldPair:
    a, b = _WORDS.findall(left), _WORDS.findall(right)
    if len(a) > LONGEST or len(b) > LONGEST:
        same = left == right
        return FieldPair(name, (Piece(left, own=not same),), (Piece(right, own=not same),))
    return FieldPair(name, *_compared(a, b))


def compare_words(left: str, right: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The words of two texts, with those that only one of them has marked as its own."""
    return _compared(_WORDS.findall(left), _WORDS.findall(right))


def _compared(a: list[str], b: list[str]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    ours: list[Piece] = []
    theirs: list[Piece] = []
    for what, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        ours.extend(_piece(a[i:j], own=what != "equal"))
        theirs.extend(_piece(b[k:m], own=what != "equal"))
    return tuple(ours), tuple(theirs)


def _piece(words: list[str], *, own: bool) -> Iterator[Piece]:
    if words:
        yield Piece("".join(words), own)


def _fields(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Leaves of a JSON value as named texts; ids of lists are their places from 1."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in _HIDDEN:
                yield from _fields(item, f"{name}, {_words(key)}" if name else _words(key))
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value, start=1):
            yield from _fields(item, f"{name} {place}")
    elif value is not None and value != "":
        yield name, {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _words(key: str) -> str:
    return key.replace("_", " ")
