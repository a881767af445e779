"""What operators do to a run: retry a step, write it by hand, pause, resume, cancel; each leaves its mark for ever."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.domain.engine.answers import check_artifact
from app.domain.engine.forms import AnswerForm, form_for
from app.domain.engine.inputs import StepInput
from app.domain.engine.interventions import InterventionKind
from app.domain.engine.ledger import EventKind, body_hash
from app.domain.engine.material import input_for
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.ids import InterventionId, UserId
from app.jobs import Job
from app.providers.clean import clean_json
from app.services.locked_run import LockedRun
from app.services.moving import Origin, move_on, write_artifact
from app.services.run_states import library, run_state
from app.services.unit_of_work import Reading, Work
from app.storage.interventions import Intervention
from app.storage.steps import StepRecord


class InterventionRefusedError(Exception):
    """The intervention does not fit what the run or step is by now; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Who intervenes and why; and what the judge is told, in exactly these words, or None for nothing."""

    author: UserId
    reason: str
    judge_words: str | None = None


@dataclass(frozen=True, slots=True)
class StuckStep:
    """A step that needs an operator, with what it was given and the form that it must fill."""

    record: StepRecord
    step: PlannedStep
    state: RunState
    given: StepInput
    form: AnswerForm


def stuck_step(look: Reading, step_id: UUID) -> StuckStep:
    """What an operator needs to mend a step. Raises NotFoundError."""
    record = look.steps.get(step_id)
    run = look.runs.get(record.run_id)
    state = run_state(look, run.id, run.study_id, run.number, run.steps_done)
    step = next(step for step in state.plan if step.key == record.key)
    given = input_for(step, state, library())
    return StuckStep(record, step, state, given, form_for(given))


def retry_step(work: Work, step_id: UUID, wish: Wish) -> None:
    """Ask the model again, from the first try. Raises InterventionRefusedError if the step no longer waits for it."""
    record, run = _held(work, step_id)
    before = {"state": record.state, "problem": record.problem, "tries": record.tries, "failures": record.failures}
    work.steps.set(
        record.id,
        state="ready",
        tries=0,
        failures=0,
        problem=None,
        not_before=None,
        ready_at=work.now,
        sent_at=work.now,
    )
    _leave_mark(work, run, InterventionKind.RETRY, wish, record, before=before)
    run.write()
    work.enqueue(Job.PERFORM_STEP, record.id)


def write_by_hand(work: Work, step_id: UUID, wish: Wish, body: dict[str, Any]) -> None:
    """An operator writes the document in the model's place; the run goes on.

    Raises AnswerError if the document does not fit its form, InterventionRefusedError if the step no longer waits.
    """
    record, run = _held(work, step_id)
    head = run.head
    state = run_state(work, head.id, head.study_id, head.number, head.steps_done)
    step = next(step for step in state.plan if step.key == record.key)
    given = input_for(step, state, library())
    artifact = check_artifact(clean_json(body), form_for(given), given)
    work.steps.set(record.id, state="done", done_at=work.now)
    write_artifact(work, run, record.id, step, artifact, Origin(written_by=wish.author))
    before = {"problem": record.problem}
    after = {"artifact": artifact.model_dump(mode="json")}
    _leave_mark(work, run, InterventionKind.WRITE_BY_HAND, wish, record, before=before, after=after)
    move_on(work, run, state.with_artifact(step.key, artifact), step.key)
    run.write()


def pause_run(work: Work, run_id: UUID, wish: Wish) -> None:
    """No further step of the run is claimed; calls in flight end and are recorded."""
    _set_state(work, run_id, wish, InterventionKind.PAUSE, wanted=("running",), to="paused")


def resume_run(work: Work, run_id: UUID, wish: Wish) -> None:
    """The run's steps may be claimed again."""
    run = _set_state(work, run_id, wish, InterventionKind.RESUME, wanted=("paused",), to="running")
    for record in work.steps.of_run(run.head.id):
        if record.state == "ready":
            work.enqueue(Job.PERFORM_STEP, record.id)


def cancel_run(work: Work, run_id: UUID, wish: Wish) -> None:
    """The run ends where it is; what it wrote stays."""
    _set_state(work, run_id, wish, InterventionKind.CANCEL, wanted=("running", "paused"), to="cancelled")


def _set_state(
    work: Work, run_id: UUID, wish: Wish, kind: InterventionKind, wanted: tuple[str, ...], to: str
) -> LockedRun:
    run = LockedRun(work, run_id)
    if run.head.state not in wanted:
        raise InterventionRefusedError(f"The run is {run.head.state} by now. Look at the page again.")
    run.set(state=to)
    _leave_mark(work, run, kind, wish, None, before={"state": run.head.state}, after={"state": to})
    run.write()
    return run


def _held(work: Work, step_id: UUID) -> tuple[StepRecord, LockedRun]:
    """The step under its run's lock, if it still needs an operator."""
    run = LockedRun(work, work.steps.get(step_id).run_id)
    record = work.steps.get(step_id)  # its state leaves needs_operator only under the run's lock
    if record.state != "needs_operator":
        raise InterventionRefusedError("The step no longer needs an operator: somebody mended it. Nothing was changed.")
    if run.head.state == "cancelled":
        raise InterventionRefusedError("The run was cancelled. Nothing was changed.")
    return record, run


def _leave_mark(
    work: Work,
    run: LockedRun,
    kind: InterventionKind,
    wish: Wish,
    record: StepRecord | None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    intervention = Intervention(
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
    )
    work.interventions.add(intervention)
    told = {"intervention": str(intervention.id), "kind": str(kind), "author": str(wish.author)}
    texts = {"reason": wish.reason, "before": before, "after": after, "judge_words": wish.judge_words}
    run.tell(EventKind.INTERVENTION, {**told, "step": record.key if record else None, "sha256": body_hash(texts)})
    run.add(interventions=1)
