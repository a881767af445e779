"""What operators do to a run: retry a step, write it by hand, pause, resume, cancel; each leaves its mark for ever."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.domain.engine.answers import check_artifact
from app.domain.engine.forms import AnswerForm, form_for
from app.domain.engine.inputs import StepInput, StepKind
from app.domain.engine.interventions import InterventionKind, choice_problem, skip_problem, without_red_team
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.protocol.artifacts import Skipped
from app.domain.study import ModelChoice
from app.jobs import Job
from app.providers.clean import clean_json, clean_text
from app.services.claiming import choice_of
from app.services.locked_run import LockedRun
from app.services.marks import InterventionRefusedError, Wish, held_step, leave_mark, planned
from app.services.moving import Origin, move_on, write_artifact
from app.services.registry import model_entry
from app.services.run_states import run_state
from app.services.step_inputs import material_of
from app.services.studies import choose_model
from app.services.unit_of_work import Reading, Work
from app.storage.steps import StepRecord

__all__ = ["InterventionRefusedError", "Wish"]


@dataclass(frozen=True, slots=True)
class StuckStep:
    """A step that needs an operator, with what it was given and the form that it must fill."""

    record: StepRecord
    step: PlannedStep
    state: RunState
    given: StepInput
    form: AnswerForm


def stuck_step(look: Reading, step_id: UUID, *, alone: bool = False) -> StuckStep:
    """What an operator needs to mend a step; ``alone`` for a board that a person writes without a Red Team.

    Raises NotFoundError.
    """
    record = look.steps.get(step_id)
    run = look.runs.get(record.run_id)
    state = run_state(look, run.id, run.study_id, run.number, run.steps_done)
    step = next(step for step in state.plan if step.key == record.key)
    given = _given(look, run.study_id, step, state, alone=alone)
    return StuckStep(record, step, state, given, form_for(given))


def retry_step(work: Work, step_id: UUID, wish: Wish) -> None:
    """Ask the model again, from the first try. Raises InterventionRefusedError if the step no longer waits for it."""
    record, run = held_step(work, step_id, wish)
    begin_anew(work, record)
    leave_mark(work, run, InterventionKind.RETRY, wish, record, before=_stand(record))
    run.write()


def retry_changed(work: Work, step_id: UUID, wish: Wish, *, model: str, temperature: float | None) -> None:
    """Ask again with another model or temperature, for this step alone; its calls say which was asked.

    Raises InterventionRefusedError if the step no longer waits, UnknownModelError for a model that is not registered.
    """
    record, run = held_step(work, step_id, wish)
    head = run.head
    state = run_state(work, head.id, head.study_id, head.number, head.steps_done)
    step = planned(work, run, record)
    before = ModelChoice.model_validate(record.choice) if record.choice else choice_of(step, state)
    after = choose_model(model, temperature)
    if temperature is not None and after.temperature is None:
        raise InterventionRefusedError(f"temperature: {model} takes none. Leave it empty, or choose another model.")
    problem = choice_problem(step, state, after) or _price_problem(state, after)
    if problem:
        raise InterventionRefusedError(problem)
    begin_anew(work, record, choice=after.model_dump(mode="json"))
    changes = {"before": _stand(record) | {"choice": before.model_dump(mode="json")}}
    changes["after"] = {"choice": after.model_dump(mode="json")}
    leave_mark(work, run, InterventionKind.RETRY_CHANGED, wish, record, **changes)
    run.write()


def skip_step(work: Work, step_id: UUID, wish: Wish) -> None:
    """Let the run go on without a document: a mark stands in its place, and later steps are given what is there.

    Raises InterventionRefusedError where the plan does not allow it, or if the step no longer waits.
    """
    record, run = held_step(work, step_id, wish)
    head = run.head
    state = run_state(work, head.id, head.study_id, head.number, head.steps_done)
    step = planned(work, run, record)
    problem = skip_problem(step, state)
    if problem:
        raise InterventionRefusedError(problem)
    skipped = Skipped(instead_of=step.kind, reason=clean_text(wish.reason))
    work.steps.set(record.id, state="done", done_at=work.now)
    write_artifact(work, run, record.id, step, skipped, Origin(written_by=wish.author))
    leave_mark(work, run, InterventionKind.SKIP, wish, record, before=_stand(record), after={"skipped": step.kind})
    move_on(work, run, state.with_artifact(step.key, skipped), step.key)
    run.write()


def annotate_exposure(work: Work, run_id: UUID, wish: Wish, *, seen: Sequence[str]) -> None:
    """Note that a run may have seen other runs or their texts; ``seen`` names them. Allowed at any time."""
    run = LockedRun(work, run_id)
    leave_mark(work, run, InterventionKind.ANNOTATE_EXPOSURE, wish, None, after={"seen": list(seen)})
    run.write()


def write_by_hand(work: Work, step_id: UUID, wish: Wish, body: dict[str, Any], *, alone: bool = False) -> None:
    """An operator writes the document in the model's place; the run goes on.

    ``alone`` takes a board's decision without an attack: nobody independent attacked it, and the mark says so.

    Raises AnswerError if the document does not fit its form, InterventionRefusedError if the step no longer waits.
    """
    record, run = held_step(work, step_id, wish)
    head = run.head
    state = run_state(work, head.id, head.study_id, head.number, head.steps_done)
    step = next(step for step in state.plan if step.key == record.key)
    given = _given(work, head.study_id, step, state, alone=alone)
    artifact = check_artifact(clean_json(body), form_for(given), given)
    work.steps.set(record.id, state="done", done_at=work.now)
    write_artifact(work, run, record.id, step, artifact, Origin(written_by=wish.author))
    before = {"problem": record.problem}
    after: dict[str, Any] = {"artifact": artifact.model_dump(mode="json")}
    if alone:
        after["independent_red_team"] = False
    leave_mark(work, run, InterventionKind.WRITE_BY_HAND, wish, record, before=before, after=after)
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
    leave_mark(work, run, kind, wish, None, before={"state": run.head.state}, after={"state": to})
    run.write()
    return run


def begin_anew(work: Work, record: StepRecord, **changes: object) -> None:
    """Make a step that needed an operator ready as if it had never been tried; its calls stay counted."""
    counts = {"tries": 0, "failures": 0, "problem": None, "not_before": None, "stopped_by": None}
    work.steps.set(record.id, state="ready", ready_at=work.now, sent_at=work.now, **counts, **changes)
    work.enqueue(Job.PERFORM_STEP, record.id)


def _stand(record: StepRecord) -> dict[str, Any]:
    """Where a step stood when somebody intervened."""
    return {name: getattr(record, name) for name in ("state", "problem", "tries", "failures")}


def _given(look: Reading, study_id: UUID, step: PlannedStep, state: RunState, *, alone: bool) -> StepInput:
    given = material_of(look, study_id, state, step)
    return without_red_team(given) if alone and step.kind is StepKind.BOARD else given


def _price_problem(state: RunState, choice: ModelChoice) -> str | None:
    budgets, entry = state.design.budgets, model_entry(choice.model)
    if budgets is None or not budgets.bounds_cost or None not in {entry.price_in, entry.price_out}:
        return None
    return f"model: the price of {choice.model} is not known, and the study's cost is bounded. Choose another."
