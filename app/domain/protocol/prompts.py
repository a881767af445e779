"""Prompt templates: Markdown with ``{{name}}`` places, filled strictly and once, each known by its hash."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

_PLACE = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")


class PromptFillError(ValueError):
    """A template and the values for it do not fit."""


class MissingValueError(PromptFillError):
    """A place in the template has no value."""


class UnusedValueError(PromptFillError):
    """A value has no place in the template."""


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """One template; ``sha256`` is the hex hash of its text in UTF-8."""

    name: str
    text: str
    sha256: str

    @classmethod
    def of(cls, name: str, text: str) -> "PromptTemplate":
        """A template that hashes its own text."""
        return cls(name=name, text=text, sha256=sha256(text.encode()).hexdigest())

    @property
    def places(self) -> frozenset[str]:
        """The names that must be filled."""
        return _places(self.text)


def fill(template: PromptTemplate, values: Mapping[str, str]) -> str:
    """The template's text with every place filled.

    A value is never read for places of its own. Raises MissingValueError or UnusedValueError, naming the template and
    the names, unless the values are exactly the template's places.
    """
    pieces = _pieces(template.text)
    if template.places == values.keys():
        return "".join(values[piece] if index % 2 else piece for index, piece in enumerate(pieces))
    if missing := template.places - values.keys():
        raise MissingValueError(f"prompt {template.name}: give a value for {', '.join(sorted(missing))}")
    unused = values.keys() - template.places
    raise UnusedValueError(f"prompt {template.name}: there is no place for {', '.join(sorted(unused))}")


@lru_cache(maxsize=256)
def _places(text: str) -> frozenset[str]:
    return frozenset(_pieces(text)[1::2])


@lru_cache(maxsize=256)
def _pieces(text: str) -> tuple[str, ...]:
    """Text and place names in turn, text first."""
    return tuple(_PLACE.split(text))
