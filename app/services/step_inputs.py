"""What a step is given, checked before it is shown: of a run from its own state, of a judging from the judged run's."""

from uuid import UUID

from app.domain.engine.flow import check_flow
from app.domain.engine.inputs import Arms, StepInput, StepKind
from app.domain.engine.judging_material import (
    arms_of,
    asked_about,
    check_judging,
    guessed_at,
    judged_again,
    packet_of,
    pooled_at,
)
from app.domain.engine.judging_state import JudgingState
from app.domain.engine.judgings import Sitting, schedule_asked
from app.domain.engine.material import input_for
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.study import plan_runs
from app.library.reader import anchor_set
from app.services.recall_questions import era_choice
from app.services.run_states import settled_state
from app.services.unit_of_work import Reading
from app.services.worlds import library_of


def input_of(
    look: Reading, study_id: UUID, state: RunState, step: PlannedStep, notes: tuple[str, ...] = ()
) -> StepInput:
    """The material of a step that is about to be asked. Raises InformationFlowError if it would show too much."""
    given = material_of(look, study_id, state, step, notes)
    if not isinstance(state, JudgingState):
        check_flow(given, state.design, state.run, library_of(state.schedule).by_text)
    return given


def material_of(
    look: Reading, study_id: UUID, state: RunState, step: PlannedStep, notes: tuple[str, ...] = ()
) -> StepInput:
    """The material of a step; that of a sitting is always checked. ``notes`` are an operator's words to a judge."""
    if not isinstance(state, JudgingState):
        return input_for(step, state, library_of(state.schedule), notes)
    sitting = state.judging.sittings[step.key]
    if step.kind is StepKind.RECALL:
        schedule = schedule_asked(state.design, sitting.run)
        return asked_about(sitting, schedule, library_of(schedule), era_choice(state, sitting))
    return _of_decision(look, study_id, state, sitting)


def seed_place(state: RunState, step: PlannedStep) -> str:
    """Where a call is drawn: variants of one packet share their seed, so that what differs is the variant's doing."""
    if not isinstance(state, JudgingState):
        return f"{state.run.number}:{step.key}"
    sitting = state.judging.sittings[step.key]
    again = f"{state.judging.purpose}:{sitting.repetition}"
    return f"{sitting.run}:{sitting.step.era}:{state.judging.judge.model}:{again}"


def _of_decision(look: Reading, study_id: UUID, state: JudgingState, sitting: Sitting) -> StepInput:
    record = look.runs.numbered(study_id, sitting.run)
    play = settled_state(look, record)
    library = library_of(play.schedule)
    told = look.interventions.told_to_judge(record.id, sitting.step.era) if record.interventions else ()
    packet = packet_of(sitting, play, library, told)
    if sitting.step.kind is StepKind.GUESS:
        given = guessed_at(packet, _arms(state))
    else:
        given = judged_again(sitting, packet, anchor_set(state.judging.anchors), pooled_at(sitting, play))
    check_judging(given, sitting, play.design, play.run, library.by_text)
    return given


def _arms(state: JudgingState) -> Arms:
    return arms_of(state.design, plan_runs(state.design))
