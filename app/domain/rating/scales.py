"""What raters score: dimensions with written anchors, each on a scale that is declared and not observed."""

import hashlib
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.domain.protocol.rubrics import SCALE, Rubric
from app.domain.study import canonical_json

MOST_STEPS = 20
LOCKED_BEFORE_OUTCOME = frozenset({"hindsight_leakage"})
"""Dimensions of the protocol's rubrics that are scored before the outcome window opens."""


class ScaleKind(StrEnum):
    """How the values of a scale relate to each other."""

    NUMERIC = "numeric"
    LIKERT = "likert"
    BINARY = "binary"
    NOMINAL = "nominal"

    @property
    def is_ordered(self) -> bool:
        """Whether a difference of two values means anything."""
        return self is not ScaleKind.NOMINAL


class RatingScale(BaseModel):
    """Every value that can be given, in order; ``labels`` name values that are more than their number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: ScaleKind
    values: Annotated[tuple[int, ...], Field(min_length=2, max_length=MOST_STEPS)]
    labels: dict[int, str] = {}

    @model_validator(mode="after")
    def _is_a_scale(self) -> Self:
        if list(self.values) != sorted(set(self.values)):
            raise ValueError("values: write each value once, in ascending order")
        if self.kind is ScaleKind.BINARY and len(self.values) != 2:
            raise ValueError("values: a binary scale has two values")
        if unknown := sorted(set(self.labels) - set(self.values)):
            raise ValueError(f"labels: {unknown[0]} is no value of the scale")
        if self.kind is ScaleKind.NOMINAL and set(self.labels) != set(self.values):
            raise ValueError("labels: every value of a nominal scale needs a label")
        return self

    @property
    def span(self) -> int:
        """Highest less lowest value."""
        return self.values[-1] - self.values[0]

    def label(self, value: int) -> str:
        """The value as a rater reads it."""
        return self.labels.get(value, str(value))


def points_scale(low: int = SCALE[0], high: int = SCALE[1]) -> RatingScale:
    """Whole numbers from low to high; the protocol's 0-10 by default."""
    return RatingScale(kind=ScaleKind.NUMERIC, values=tuple(range(low, high + 1)))


def named_scale(kind: ScaleKind, labels: tuple[str, ...]) -> RatingScale:
    """A scale of labels: Likert steps count from 1, binary and nominal codes from 0."""
    first = 1 if kind is ScaleKind.LIKERT else 0
    named = dict(enumerate(labels, start=first))
    return RatingScale(kind=kind, values=tuple(named), labels=named)


class RatedDimension(BaseModel):
    """One thing rated; one with ``before_outcome`` is locked before the outcome opens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    name: Annotated[str, Field(min_length=1, max_length=80)]
    question: Annotated[str, Field(max_length=600)] = ""
    caution: Annotated[str, Field(max_length=1_000)] = ""
    scale: RatingScale
    anchors: dict[int, str] = {}
    before_outcome: bool = False

    @model_validator(mode="after")
    def _has_anchors_on_its_scale(self) -> Self:
        if unknown := sorted(set(self.anchors) - set(self.scale.values)):
            raise ValueError(f"anchors: {unknown[0]} is no value of the scale of {self.id}")
        return self

    def anchor(self, value: int) -> str:
        """The written anchor at a value, or else the nearest one below, said as such; empty if there is none."""
        below = [point for point in self.anchors if point <= value]
        if not below:
            return ""
        point = max(below)
        return self.anchors[point] if point == value else f"above {point}: {self.anchors[point]}"


class RatingRubric(BaseModel):
    """Everything one rating answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    title: Annotated[str, Field(min_length=1, max_length=120)]
    dimensions: Annotated[tuple[RatedDimension, ...], Field(min_length=1, max_length=12)]

    @model_validator(mode="after")
    def _names_each_dimension_once(self) -> Self:
        ids = [dimension.id for dimension in self.dimensions]
        if len(set(ids)) != len(ids):
            raise ValueError("dimensions: each dimension needs an id of its own")
        return self

    @property
    def version(self) -> str:
        """The start of the SHA-256 of its canonical JSON: any changed word changes it."""
        return hashlib.sha256(canonical_json(self).encode()).hexdigest()[:12]

    @property
    def first_phase(self) -> tuple[RatedDimension, ...]:
        """What is scored and locked before the outcome opens."""
        return tuple(dimension for dimension in self.dimensions if dimension.before_outcome)


def rubric_for_raters(rubric: Rubric) -> RatingRubric:
    """A judge's rubric as people rate it: the same names, questions, anchors and scale."""
    return RatingRubric(
        id=str(rubric.id),
        title=f"The rubric of {rubric.judge}",
        dimensions=tuple(
            RatedDimension(
                id=one.id,
                name=one.name,
                question=one.question,
                caution=one.caution,
                scale=points_scale(),
                anchors=one.anchors,
                before_outcome=one.id in LOCKED_BEFORE_OUTCOME,
            )
            for one in rubric.dimensions
        ),
    )
