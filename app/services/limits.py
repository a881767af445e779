"""A call's turn at a model with limits: by requests, tokens and calls in flight, in the order in which steps came."""

from app.domain.engine.estimates import TOKENS_OUT
from app.domain.engine.inputs import StepKind
from app.jobs import Job
from app.providers.limits import seconds_until_turn
from app.providers.registry import Limits, ModelEntry
from app.services.unit_of_work import Work
from app.storage.steps import Lease

UNLIMITED = Limits()

SLOT_SECONDS = 15.0
"""A step that waits for a free slot is woken when one is freed; this is for a slot freed by a worker that died."""


class NotNowError(Exception):
    """A call that may not be sent now: its step waits, ready, without counting a failure."""

    def __init__(self, seconds: float, model: str | None = None) -> None:
        super().__init__(f"not now, ask again in {seconds:g} s")
        self.seconds = seconds
        self.model = model


def take_turn(work: Work, entry: ModelEntry, lease: Lease, kind: StepKind, tokens_in: int) -> None:
    """Take a turn at the model. Raises NotNowError; asks nobody for a model without limits."""
    limits = entry.limits
    if limits == UNLIMITED:
        return
    ahead = work.steps.ahead(entry.name, lease)
    if limits.concurrent is not None and ahead >= limits.concurrent - work.steps.in_flight(entry.name):
        raise NotNowError(SLOT_SECONDS, entry.name)
    seconds = seconds_until_turn(entry.name, limits, tokens=tokens_in + TOKENS_OUT[kind], ahead=ahead)
    if seconds:
        raise NotNowError(seconds, entry.name)


def free_slot(work: Work, entry: ModelEntry) -> None:
    """Wake the step that waits longest for a slot of this model."""
    if entry.limits.concurrent is not None:
        for step_id in work.steps.wake((entry.name,), limit=1):
            work.enqueue(Job.PERFORM_STEP, step_id)
