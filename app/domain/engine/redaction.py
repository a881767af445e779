"""Taking a text out of a run: the document is blanked, and what others quote of it is found by its fingerprints."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from app.domain.engine.quotations import REDACTED, Prints, masked_text, prints_of
from app.domain.protocol.artifacts import Artifact

M = TypeVar("M", bound=BaseModel)

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


def blanked(artifact: Artifact) -> Artifact:
    """The same document with every text replaced; numbers, labels and ids stay, so that scores still add up."""
    return _changed(artifact, lambda _: REDACTED)


def fingerprints(artifact: Artifact) -> Prints:
    """What quotations of a document are recognized by."""
    return frozenset(one for text in _texts(artifact) for one in prints_of(text))


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
