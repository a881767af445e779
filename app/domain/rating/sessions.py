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
    unfinished = (
        (standing.finished, Stage.DONE),
        (standing.panel is PanelState.CLOSED, Stage.CLOSED),
        (standing.panel is PanelState.PAUSED, Stage.PAUSED),
        (not standing.consented, Stage.CONSENT),
        (next_step(standing.steps, Kind.TRAINING) is not None, Stage.TRAINING),
        (not standing.trained, Stage.BLOCKED),
        (next_step(standing.steps, Kind.MAIN) is not None, Stage.RATING),
        (standing.asks_questions and not standing.questions_answered, Stage.QUESTIONS),
    )
    return next((stage for holds, stage in unfinished if holds), Stage.REVIEW)


def next_step(steps: Iterable[Step], kind: Kind) -> Step | None:
    """The first open assignment of a kind, or None when all are answered."""
    waiting = [step for step in steps if step.kind is kind and step.status is Status.OPEN]
    return min(waiting, key=lambda step: step.position, default=None)
