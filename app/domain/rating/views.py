"""What a rater's page is built from: values that have no field for anything a rater must not know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.domain.ids import AssignmentId
from app.domain.rating.answers import Answer
from app.domain.rating.pace import Remaining
from app.domain.rating.packets import Packet
from app.domain.rating.scales import RatedDimension, RatingRubric


@dataclass(frozen=True, slots=True)
class ReadingSection:
    """One document as the rater reads it."""

    id: str
    title: str
    text: str
    is_outcome: bool


@dataclass(frozen=True, slots=True)
class ScaleView:
    """One dimension with the value given so far; a locked one can no longer be changed."""

    dimension: RatedDimension
    value: int | None
    is_locked: bool
    is_later: bool
    is_first: bool


@dataclass(frozen=True, slots=True)
class ItemView:
    """The rating page of one item: its number, its texts, its scales, and the rater's own answer."""

    id: AssignmentId
    number: int
    total: int
    is_training: bool
    sections: tuple[ReadingSection, ...]
    scales: tuple[ScaleView, ...]
    answer: Answer
    version: int
    key: str
    outcome_waits: bool
    is_revision: bool
    asks_seen_before: bool
    left: Remaining
    break_hint: bool
    answered: int
    stand_ins: tuple[str, ...]


def sections_for(packet: Packet, *, locked: bool, has_first_phase: bool) -> tuple[ReadingSection, ...]:
    """The sections that may be shown now: the outcome only once the first scores are locked, where there are any."""
    chosen = packet.sections if locked or not has_first_phase else packet.before
    return tuple(ReadingSection(one.id, one.title, one.text, one.outcome) for one in chosen)


def scales_for(rubric: RatingRubric, answer: Answer, locked: Mapping[str, int] | None) -> tuple[ScaleView, ...]:
    """The dimensions in the rubric's order, those of the first phase first; before the lock the others wait."""
    ordered = [*rubric.first_phase, *(one for one in rubric.dimensions if not one.before_outcome)]
    waits = bool(rubric.first_phase) and locked is None
    return tuple(
        ScaleView(
            one,
            (locked or {}).get(one.id, answer.values.get(one.id)),
            is_locked=one.before_outcome and not waits,
            is_later=waits and not one.before_outcome,
            is_first=one.before_outcome,
        )
        for one in ordered
    )


def stand_ins_in(codes: Iterable[str], sections: Iterable[ReadingSection]) -> tuple[str, ...]:
    """The stand-ins that occur in the texts, for showing them as such."""
    texts = [f"{section.title}\n{section.text}" for section in sections]
    return tuple(code for code in sorted(set(codes)) if any(code in text for text in texts))
