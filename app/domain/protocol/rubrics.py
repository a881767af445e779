"""Rubrics: dimensions with written anchors, on the one scale that prompt, schema and validator share."""

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from app.domain.protocol.eras import Mode

SCALE = (0, 10)
"""Lowest and highest subscore, both allowed: integers."""

ANCHOR_POINTS = (0, 3, 5, 7, 10)
"""Where every dimension has a written anchor."""


class RubricId(StrEnum):
    """The two rubrics, never averaged or set against each other."""

    RECORD = "record"
    AUDITOR = "auditor"


STANDARD_ANCHORS = "standard"
"""The anchors under which every first judge scores: those written in the rubrics themselves."""

RECORD_DIMENSIONS = ("frontier_accuracy", "timing", "layer_choice", "reinvention_courage", "hindsight_leakage")
AUDITOR_DIMENSIONS = ("playbook_consistency", "plausibility", "non_consensus", "layer_choice", "groundedness")


def rubric_of(mode: Mode) -> RubricId:
    """The rubric that judges eras of a mode (protocol section 6)."""
    return RubricId.RECORD if mode.has_outcome else RubricId.AUDITOR


def dimensions_of(rubric: RubricId) -> tuple[str, ...]:
    """The five dimension ids of a rubric in its order."""
    return RECORD_DIMENSIONS if rubric is RubricId.RECORD else AUDITOR_DIMENSIONS


class Dimension(BaseModel):
    """One thing scored: a question, and what 0, 3, 5, 7 and 10 mean; ``caution`` says what a gated pilot earns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    question: str
    anchors: dict[int, str]
    caution: str

    @model_validator(mode="after")
    def _has_every_anchor(self) -> Self:
        if tuple(sorted(self.anchors)) != ANCHOR_POINTS:
            raise ValueError(f"dimension {self.id}: anchors must be written at {ANCHOR_POINTS}")
        return self


class Rubric(BaseModel):
    """A judge's five dimensions; ``version`` changes with any word in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: RubricId
    judge: str
    version: str
    dimensions: tuple[Dimension, ...]

    @model_validator(mode="after")
    def _has_its_dimensions(self) -> Self:
        if tuple(dimension.id for dimension in self.dimensions) != dimensions_of(self.id):
            raise ValueError(f"rubric {self.id}: dimensions must be {', '.join(dimensions_of(self.id))}")
        return self


class AnchorSet(BaseModel):
    """One way to write the anchors of both rubrics: the same dimensions and questions, other words at 0 to 10.

    Scores under different anchors are different scores: they are shown beside each other and never averaged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    about: str
    rubrics: dict[RubricId, Rubric]
