"""Where a rater stands: consent, training, rating, closing questions, done; and what comes next."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.domain.ids import AssignmentId


class Stage(StrEnum):
    """What the rater's start page shows."""

    CONSENT = "consent"
    TRAINING = "training"
    BLOCKED = "blocked"
    RATING = "rating"
    PAUSED = "paused"
    REVIEW = "review"
    QUESTIONS = "questions"
    DONE = "done"
    CLOSED = "closed"


class PanelState(StrEnum):
    """What may happen on a panel."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class Kind(StrEnum):
    """Whether an assignment counts."""

    TRAINING = "training"
    MAIN = "main"


class Status(StrEnum):
    """What became of an assignment."""

    OPEN = "open"
    SUBMITTED = "submitted"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Step:
    """One assignment as far as the way through the session asks."""

    id: AssignmentId
    kind: Kind
    position: int
    status: Status


@dataclass(frozen=True, slots=True)
class Standing:
    """What decides a rater's next page."""

    panel: PanelState
    consented: bool
    finished: bool
    asks_questions: bool
    questions_answered: bool
    trained: bool
    steps: tuple[Step, ...]


def stage_of(standing: Standing) -> Stage:
    """The stage, earliest unfinished first; a closed panel is over for everybody."""
    if standing.finished:
        return Stage.DONE
    if standing.panel is PanelState.CLOSED:
        return Stage.CLOSED
    if standing.panel is PanelState.PAUSED:
        return Stage.PAUSED
    if not standing.consented:
        return Stage.CONSENT
    if next_step(standing.steps, Kind.TRAINING):
        return Stage.TRAINING
    if not standing.trained:
        return Stage.BLOCKED
    if next_step(standing.steps, Kind.MAIN):
        return Stage.RATING
    if standing.asks_questions and not standing.questions_answered:
        return Stage.QUESTIONS
    return Stage.REVIEW


def next_step(steps: Iterable[Step], kind: Kind) -> Step | None:
    """The first open assignment of a kind, or None when all are answered."""
    waiting = [step for step in steps if step.kind is kind and step.status is Status.OPEN]
    return min(waiting, key=lambda step: step.position, default=None)
