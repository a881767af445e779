"""What a rater answers: values on the declared scales, confidence, a note; or a reason for skipping."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.domain.rating.scales import RatedDimension, RatingRubric

LONGEST_NOTE = 4_000
WHOLE_NUMBER = re.compile(r"-?\d{1,9}")


class SkipReason(StrEnum):
    """Why an item has no rating: missing data with a reason, never 0."""

    CANNOT_JUDGE = "cannot_judge"
    TEXT_BROKEN = "text_broken"
    RECOGNIZED = "recognized_the_source"
    CONFLICT = "conflict_of_interest"
    OTHER = "other"


class Confidence(StrEnum):
    """How sure a rater is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Answer(BaseModel):
    """A draft or a submitted rating; a draft may lack values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: dict[str, int] = {}
    confidence: Confidence | None = None
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""
    flagged: bool = False
    seen_before: bool | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """An answer as far as it could be read, and what to mend by field."""

    answer: Answer
    problems: dict[str, str]


def read_answer(rubric: RatingRubric, fields: Mapping[str, str]) -> Read:
    """Read form fields: ``v.<dimension>`` for values, then confidence, note, flagged and seen_before.

    What does not fit is left out and named among the problems; nothing is guessed.
    """
    values: dict[str, int] = {}
    problems: dict[str, str] = {}
    for one in rubric.dimensions:
        text = fields.get(f"v.{one.id}", "").strip()
        value = int(text) if WHOLE_NUMBER.fullmatch(text) else None
        if value in one.scale.values:
            values[one.id] = value
        elif text:
            problems[one.id] = f"{one.name}: {text[:20]} is not on the scale; choose one of its values"
    note = fields.get("note", "").replace("\r\n", "\n")
    if len(note) > LONGEST_NOTE:
        problems["note"] = f"note: {len(note):,} characters are more than {LONGEST_NOTE:,}; shorten it"
    confidence = fields.get("confidence", "")
    seen = fields.get("seen_before", "")
    answer = Answer(
        values=values,
        confidence=Confidence(confidence) if confidence in set(Confidence) else None,
        note=note[:LONGEST_NOTE],
        flagged=fields.get("flagged", "") not in {"", "no", "false"},
        seen_before=seen == "yes" if seen in {"yes", "no"} else None,
    )
    return Read(answer, problems)


def missing_values(dimensions: Iterable[RatedDimension], answer: Answer) -> dict[str, str]:
    """The dimensions without a value, each with what to do."""
    return {
        one.id: f"{one.name}: choose a value, or skip the item with a reason"
        for one in dimensions
        if one.id not in answer.values
    }


def with_locked(answer: Answer, locked: Mapping[str, int]) -> Answer:
    """The answer with the values that were locked before the outcome opened, whatever was sent since."""
    return answer.model_copy(update={"values": {**answer.values, **locked}})
