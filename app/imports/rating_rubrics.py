"""A rubric of one's own, written in TOML: dimensions with a scale of points, steps, two values or names."""

import tomllib
from typing import Any

from pydantic import ValidationError

from app.domain.naming import seen_whole
from app.domain.rating.scales import (
    MOST_STEPS,
    RatedDimension,
    RatingRubric,
    RatingScale,
    ScaleKind,
    named_scale,
    points_scale,
)

EXAMPLE = """title = "What kind of lesson is this?"

[[dimensions]]
id = "kind"
name = "Kind of lesson"
question = "What is the lesson about?"
kind = "nominal"
labels = ["technology and market", "buyer and workflow", "verification", "other"]

[[dimensions]]
id = "changed"
name = "Did the business change?"
kind = "binary"
labels = ["no", "yes"]

[[dimensions]]
id = "caution"
name = "Caution"
kind = "likert"
labels = ["none", "little", "some", "much", "all building waits"]

[[dimensions]]
id = "clarity"
name = "Clarity"
kind = "numeric"
from = 0
to = 10
anchors = { 0 = "cannot be understood", 10 = "could be acted on tomorrow" }
"""


class RubricFileError(ValueError):
    """A rubric cannot be read; the message names the dimension, the field and the mend."""


def read_rubric(text: str) -> RatingRubric:
    """The rubric in a TOML text such as EXAMPLE. Raises RubricFileError."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits, and nests without end
        raise RubricFileError(f"rubric: not TOML ({error})") from error
    dimensions = data.get("dimensions")
    if not isinstance(dimensions, list) or not dimensions:
        raise RubricFileError("rubric: no dimensions; write at least one [[dimensions]]")
    made = tuple(_dimension(entry, number) for number, entry in enumerate(dimensions, start=1))
    try:
        return RatingRubric(id=data.get("id", "custom"), title=seen_whole(data.get("title", "Rubric")), dimensions=made)
    except ValidationError as error:
        raise RubricFileError(f"rubric: {_first_words(error)}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise RubricFileError(f"rubric, title: {error}") from error


def _dimension(entry: Any, number: int) -> RatedDimension:
    if not isinstance(entry, dict):
        raise RubricFileError(f"rubric, dimension {number}: write it as a [[dimensions]] table")
    name = entry.get("id", number)
    try:
        return RatedDimension(
            id=entry.get("id", ""),
            name=seen_whole(entry.get("name", "")),
            question=entry.get("question", ""),
            scale=_scale(entry),
            anchors={int(point): text for point, text in entry.get("anchors", {}).items()},
            before_outcome=entry.get("before_outcome", False),
        )
    except ValidationError as error:
        raise RubricFileError(f"rubric, dimension {name}: {_first_words(error)}") from error
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise RubricFileError(f"rubric, dimension {name}: {error}") from error


def _scale(entry: dict[str, Any]) -> RatingScale:
    kind = ScaleKind(entry.get("kind", "numeric"))
    if kind is ScaleKind.NUMERIC:
        low, high = int(entry.get("from", 0)), int(entry.get("to", 10))
        if not 0 < high - low < MOST_STEPS:
            raise ValueError(f"from and to: write whole numbers with 2 to {MOST_STEPS} values from one to the other")
        return points_scale(low, high)
    labels = entry.get("labels", [])
    if not isinstance(labels, list) or not labels:
        raise ValueError(f"a {kind} scale needs labels, a list of texts")
    return named_scale(kind, tuple(seen_whole(str(label)) for label in labels))


def _first_words(error: ValidationError) -> str:
    item = error.errors(include_url=False, include_input=False, include_context=False)[0]
    field = ".".join(str(part) for part in item["loc"])
    message = str(item["msg"]).removeprefix("Value error, ")
    return f"{field}: {message}" if field else message
