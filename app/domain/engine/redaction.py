"""Taking a text out of a run: the document is blanked, and what others quote of it is found by its fingerprints."""

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from typing import Any, TypeVar

from pydantic import BaseModel

from app.domain.protocol.artifacts import Artifact

M = TypeVar("M", bound=BaseModel)

REDACTED = "[redacted]"

KEPT_FIELDS = frozenset(
    {
        "kind",
        "layer",
        "pooled_layer",
        "dimension",
        "dissent",
        "id",
        "lesson",
        "thesis",
        "persona",
        "date",
        "revises",
        "retires",
        "backs",
        "named_by",
    }
)
"""Ids and dates: they say nothing of a text, and scores, citations and labels hang on them."""

WINDOW = 6
"""Words in a row that count as a quotation; a shorter field counts when it is quoted whole."""

SHORTEST = 3
"""Fields of fewer words are not looked for elsewhere: they would be found everywhere."""

_WORD = re.compile(r"\w+")

Prints = frozenset[str]
"""Fingerprints of runs of words, each as ``<words>:<hash>``; the text cannot be read back from them."""


def blanked(artifact: Artifact) -> Artifact:
    """The same document with every text replaced; numbers, labels and ids stay, so that scores still add up."""
    return _changed(artifact, lambda _: REDACTED)


def fingerprints(artifact: Artifact) -> Prints:
    """What quotations of a document are recognized by."""
    found: set[str] = set()
    for text in _texts(artifact):
        words = _words(text)
        size = min(WINDOW, len(words))
        if size >= SHORTEST:
            found |= {f"{size}:{one}" for one in _hashes([word for word, _, _ in words], size)}
    return frozenset(found)


def masked_text(text: str, prints: Prints) -> str:
    """The text with every quotation replaced by ``[redacted]``."""
    words = _words(text)
    spoken = [word for word, _, _ in words]
    quoted = [False] * len(words)
    for size, hashes in _by_length(prints).items():
        for at, one in enumerate(_hashes(spoken, size)):
            if one in hashes:
                quoted[at : at + size] = [True] * size
    parts: list[str] = []
    end = 0
    before = False
    for (_, start, stop), hidden in zip(words, quoted, strict=True):
        if hidden and not before:
            parts += [text[end:start], REDACTED]
        if hidden:
            end = stop
        before = hidden
    return "".join([*parts, text[end:]])


def masked_json(value: Any, prints: Prints) -> Any:
    """A JSON value with the quotations in all its texts replaced; names of fields stay."""
    match value:
        case str():
            return masked_text(value, prints)
        case list():
            return [masked_json(item, prints) for item in value]
        case dict():
            return {name: masked_json(item, prints) for name, item in value.items()}
        case _:
            return value


def masked_body(body: str, prints: Prints) -> str:
    """A JSON text with the quotations in it replaced, to the letter where there is none.

    A text that is no JSON is taken as it is.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return masked_text(body, prints)
    masked = masked_json(value, prints)
    return body if masked == value else json.dumps(masked, ensure_ascii=False)


def masked_artifact(artifact: Artifact, prints: Prints) -> Artifact:
    """A document with the quotations in its texts replaced."""
    return _changed(artifact, lambda text: masked_text(text, prints))


def _changed(model: M, change: Callable[[str], str]) -> M:
    """A copy that is not checked again: a mask may make a line longer than its writer could."""
    fields = {name: getattr(model, name) for name in type(model).model_fields if name not in KEPT_FIELDS}
    return model.model_copy(update={name: _changed_value(value, change) for name, value in fields.items()})


def _changed_value(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case BaseModel():
            return _changed(value, change)
        case tuple():
            return tuple(_changed_value(item, change) for item in value)
        case str() if type(value) is str:  # labels are enums
            return change(value)
        case _:
            return value


def _texts(artifact: Artifact) -> tuple[str, ...]:
    found: list[str] = []

    def keep(text: str) -> str:
        found.append(text)
        return text

    _changed(artifact, keep)
    return tuple(found)


def _words(text: str) -> list[tuple[str, int, int]]:
    """Words in lower case with where they stand."""
    return [(found[0].casefold(), found.start(), found.end()) for found in _WORD.finditer(text)]


def _hashes(words: list[str], size: int) -> Iterator[str]:
    """The hash of each run of so many words, in their order; a run is a piece of all words in one string of bytes."""
    encoded = [word.encode() for word in words]
    starts = list(accumulate((len(word) + 1 for word in encoded), initial=0))
    whole = b" ".join(encoded)
    for start, end in zip(starts, starts[size:], strict=False):
        yield blake2b(whole[start : end - 1], digest_size=9).hexdigest()


@lru_cache(maxsize=32)
def _by_length(prints: Prints) -> dict[int, frozenset[str]]:
    """The hashes by the number of words they stand for."""
    found: dict[int, set[str]] = {}
    for one in prints:
        size, _, value = one.partition(":")
        found.setdefault(int(size), set()).add(value)
    return {size: frozenset(hashes) for size, hashes in found.items()}
