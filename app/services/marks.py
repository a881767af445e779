"""The mark that an intervention leaves for ever: who, why, before and after, and what the judge is told."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.ledger import EventKind, body_hash
from app.domain.engine.steps import PlannedStep
from app.domain.ids import InterventionId, UserId
from app.services.locked_run import LockedRun
from app.services.run_states import run_state
from app.services.unit_of_work import Work
from app.storage.interventions import Intervention, masked
from app.storage.steps import StepRecord

ACTED = (
    "Somebody acted on this step since you opened its page: it was begun anew and stopped again. Nothing was changed. "
    "Look at what happened, and send this again if you still want it."
)


class InterventionRefusedError(Exception):
    """The intervention does not fit what the run or step is by now; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Who intervenes and why; and what the judge is told, in exactly these words, or None for nothing.

    ``seen_at`` is since when the step was owed as the intervener saw it; None where nobody was shown a step.
    """

    author: UserId
    reason: str
    judge_words: str | None = None
    seen_at: datetime | None = None


def held_step(work: Work, step_id: UUID, wish: Wish) -> tuple[StepRecord, LockedRun]:
    """The step under its run's lock.

    Raises InterventionRefusedError if it no longer needs an operator, or was begun anew since the wish's author saw it.
    """
    run = LockedRun(work, work.steps.get(step_id).run_id)
    record = work.steps.get(step_id)  # its state leaves needs_operator only under the run's lock
    if record.state != "needs_operator":
        raise InterventionRefusedError("The step no longer needs an operator: somebody mended it. Nothing was changed.")
    if wish.seen_at not in {None, record.ready_at}:
        raise InterventionRefusedError(ACTED)
    if run.head.state == "cancelled":
        raise InterventionRefusedError("The run was cancelled. Nothing was changed.")
    return record, run


def planned(work: Work, run: LockedRun, record: StepRecord) -> PlannedStep:
    """The step as its run's plan has it."""
    head = run.head
    state = run_state(work, head.id, head.study_id, head.number, head.steps_done)
    return next(step for step in state.plan if step.key == record.key)


def leave_mark(
    work: Work,
    run: LockedRun,
    kind: InterventionKind,
    wish: Wish,
    record: StepRecord | None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Keep the intervention and chain its hash into the run's ledger; ``write`` of the run is the caller's.

    What was redacted in the run before is masked in its texts from the start.
    """
    prints = work.redactions.prints(run.head.id)
    intervention = masked(
        Intervention(
            id=InterventionId(work.new_id()),
            run_id=run.head.id,
            step_id=record.id if record else None,
            era=record.era if record else None,
            kind=kind,
            author_id=wish.author,
            reason=wish.reason,
            before=before,
            after=after,
            judge_told=wish.judge_words is not None,
            judge_words=wish.judge_words,
            made_at=work.now,
        ),
        prints,
    )
    work.interventions.add(intervention)
    told = {"intervention": str(intervention.id), "kind": str(kind), "author": str(wish.author)}
    texts = intervention.texts
    run.tell(EventKind.INTERVENTION, {**told, "step": record.key if record else None, "sha256": body_hash(texts)})
    run.add(interventions=1)
