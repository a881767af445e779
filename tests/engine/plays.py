"""Runs played in memory with the rehearsal voice, for tests of what each step is given and writes."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from app.domain.engine.answers import read_answer
from app.domain.engine.by_code import write_by_code
from app.domain.engine.flow import check_flow
from app.domain.engine.forms import form_for
from app.domain.engine.inputs import StepInput
from app.domain.engine.material import Library, input_for
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep, next_steps
from app.domain.ids import StepKey
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.protocol.rubrics import RubricId
from app.domain.study import ModelChoice, PlannedRun, StudyDesign
from app.library import reader
from app.providers.chat import ChatRequest, ask
from app.providers.rehearsal import Rehearsal

PLAYER = ModelChoice(model="rehearsal/steady", family="players")
JUDGE = ModelChoice(model="rehearsal/strict", family="judges")
AUTHOR = ModelChoice(model="rehearsal/author", family="authors")

WAYS = [(Preset.PILOT, Briefings.MODEL), (Preset.CONTROLLED, Briefings.DRAWN), (Preset.CONTROLLED, Briefings.MODEL)]
CELLS = [(preset, briefings, condition) for preset, briefings in WAYS for condition in Condition]


@lru_cache
def library() -> Library:
    rubrics = {rubric: reader.rubric(rubric) for rubric in RubricId}
    return Library(reader.layers(), reader.roster(), rubrics, reader.events())


def design(schedule: str = "history-1990-2040", **changes: Any) -> StudyDesign:
    """A design of one run in the controlled way, with the library's personas, unless changed."""
    given = {"name": "Trial", "schedule": reader.schedule(schedule), "players": (PLAYER,), "judge": JUDGE}
    return StudyDesign.model_validate({**given, "author": AUTHOR, "roster": reader.roster(), **changes})


@dataclass
class Play:
    """A run as far as it was played; ``given`` are the inputs of its calls."""

    state: RunState
    given: dict[StepKey, StepInput] = field(default_factory=dict)
    order: list[StepKey] = field(default_factory=list)


def play(plan: StudyDesign, condition: Condition, replicate: int = 1) -> Play:
    """The whole run, each input checked for information flow."""
    run = PlannedRun(number=1, condition=condition, replicate=replicate, player=PLAYER, schedule=plan.schedules[0])
    played = Play(RunState(plan, run, {}))
    while owed := next_steps(played.state.plan, played.state.artifacts.keys()):
        perform(played, owed[0])
    return played


@lru_cache
def whole(preset: Preset, briefings: Briefings, condition: Condition, mapping: Mapping = Mapping.DEPARTMENT) -> Play:
    """A played run of the nine eras; shared between tests: do not change it."""
    return play(design(preset=preset, briefings=briefings, mapping=mapping), condition)


def perform(played: Play, step: PlannedStep) -> None:
    state = played.state
    if step.by_code:
        artifact = write_by_code(step, state, library())
    else:
        given = input_for(step, state, library())
        check_flow(given, state.design, state.run, library().by_text)
        played.given[step.key] = given
        artifact = read_answer(spoken(given), form_for(given), given)
    played.state = RunState(state.design, state.run, {**state.artifacts, step.key: artifact})
    played.order.append(step.key)


def spoken(given: StepInput, seed: str = "1") -> str:
    """What a rehearsal says to a step."""
    form = form_for(given)
    request = ChatRequest("steady", "", "", form.kind, form.schema, None, 1, given, seed)
    return ask(Rehearsal(), request).text
