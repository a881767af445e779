"""Training: calibration items with consensus values, graded per dimension, with feedback only after submitting."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.domain.rating.scales import RatedDimension, RatingRubric, RatingScale

LONG_SCALE = 8
"""From this many steps on a difference of one still passes, as on 0-10."""


class Grade(StrEnum):
    """How near a training rating came to the consensus."""

    PASS = "pass"  # noqa: S105 - a grade
    NEAR = "near"
    MISS = "miss"


class TrainingItem(BaseModel):
    """An item of the frame with the values people agreed on and why; it never enters the sample."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Annotated[str, Field(min_length=1)]
    consensus: dict[str, int]
    reasons: dict[str, str] = {}


class TrainingPlan(BaseModel):
    """The calibration items in order, and the share of missed dimensions above which the start is blocked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    items: tuple[TrainingItem, ...] = ()
    most_missed: Annotated[float, Field(ge=0, le=1)] = 0.3


@dataclass(frozen=True, slots=True)
class Feedback:
    """One dimension of one training item."""

    dimension: RatedDimension
    given: int | None
    consensus: int
    grade: Grade
    reason: str


def grade(scale: RatingScale, given: int | None, consensus: int) -> Grade:
    """On 0-10: a difference of at most 1 passes, 2 is near, 3 or more misses.

    Scales of fewer than eight steps pass on equal values and are near by one; names are equal or missed. A dimension
    left unanswered is missed.
    """
    if given is None:
        return Grade.MISS
    difference = abs(given - consensus)
    if not difference:
        return Grade.PASS
    if not scale.kind.is_ordered or len(scale.values) == 2:
        return Grade.MISS
    allowed = 1 if len(scale.values) >= LONG_SCALE else 0
    return Grade.PASS if difference <= allowed else Grade.NEAR if difference <= allowed + 1 else Grade.MISS


def feedback_on(rubric: RatingRubric, item: TrainingItem, values: Mapping[str, int]) -> tuple[Feedback, ...]:
    """Grades of every dimension that has a consensus value."""
    return tuple(
        Feedback(
            one,
            values.get(one.id),
            item.consensus[one.id],
            grade(one.scale, values.get(one.id), item.consensus[one.id]),
            item.reasons.get(one.id, ""),
        )
        for one in rubric.dimensions
        if one.id in item.consensus
    )


def is_ready(plan: TrainingPlan, rubric: RatingRubric, answers: Mapping[str, Mapping[str, int]]) -> bool:
    """Whether the rater may start: every training item answered, and not too many dimensions missed in all."""
    if any(item.key not in answers for item in plan.items):
        return False
    grades = [one.grade for item in plan.items for one in feedback_on(rubric, item, answers[item.key])]
    return grades.count(Grade.MISS) <= plan.most_missed * len(grades)
