"""What a run owes: the whole plan of its steps, those owed now, and how many calls and in what depth."""

from collections.abc import Collection, Iterator
from collections.abc import Mapping as MappingType
from dataclasses import dataclass
from functools import lru_cache

from app.domain.engine.inputs import Role, StepKind
from app.domain.ids import StepKey
from app.domain.once import once_each
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Era, Mode, Schedule
from app.domain.protocol.personas import DEPARTMENTS, Group
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.study import StudyDesign

KEPT_PLANS = 256


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One unit of work; ``needs`` are the steps it waits for; ``by_code`` ones make no model call."""

    key: StepKey
    era: str
    kind: StepKind
    role: Role
    needs: tuple[StepKey, ...]
    department: Group | None = None
    persona: str | None = None
    by_code: bool = False


class RosterMissingError(Exception):
    """The persona mapping plans a step for each persona, and the design names none."""


def step_key(era: str, kind: StepKind, part: str | None = None) -> StepKey:
    """The step's name inside its run, such as ``E3/memo/market_capital``."""
    return StepKey("/".join([era, kind, *([part] if part else [])]))


def plan_steps(design: StudyDesign, condition: Condition, schedule: Schedule) -> tuple[PlannedStep, ...]:
    """Every step of a run on a schedule of the design, in an order in which it can be done.

    Raises RosterMissingError for the persona mapping without a roster.
    """
    return _plan(design.preset, design.briefings, schedule, condition, _voices(design))


def next_steps(plan: tuple[PlannedStep, ...], done: Collection[StepKey]) -> tuple[PlannedStep, ...]:
    """The steps owed now: not done, and everything they need is. Pure: the same answer however often it is asked."""
    return tuple(step for step in plan if step.key not in done and all(map(done.__contains__, step.needs)))


def unlocked_steps(
    plan: tuple[PlannedStep, ...], done: Collection[StepKey], after: StepKey | None
) -> tuple[PlannedStep, ...]:
    """Those of the steps owed now that need ``after``; without it, those that need nothing."""
    waiting = tuple(step for step in plan if (after in step.needs if after else not step.needs))
    return next_steps(waiting, done)


@once_each(KEPT_PLANS)
def steps_by_kind(plan: tuple[PlannedStep, ...]) -> MappingType[tuple[str, StepKind], tuple[PlannedStep, ...]]:
    """The steps of a plan by era and kind, each in the plan's order."""
    found: dict[tuple[str, StepKind], list[PlannedStep]] = {}
    for step in plan:
        found.setdefault((step.era, step.kind), []).append(step)
    return {place: tuple(steps) for place, steps in found.items()}


def count_calls(plan: tuple[PlannedStep, ...]) -> int:
    """Model calls of a plan without faults."""
    return sum(not step.by_code for step in plan)


def sequential_calls(plan: tuple[PlannedStep, ...]) -> int:
    """Model calls on the longest chain of needs: the critical path."""
    depth: dict[StepKey, int] = {}
    for step in plan:
        before = max((depth[need] for need in step.needs), default=0)
        depth[step.key] = before + (not step.by_code)
    return max(depth.values(), default=0)


@dataclass(frozen=True, slots=True)
class _Voices:
    """Who speaks in a context of its own: members by department, executives who answer; empty for departments."""

    members: tuple[tuple[Group, tuple[str, ...]], ...] = ()
    advisers: tuple[str, ...] = ()

    def of(self, department: Group) -> tuple[str, ...]:
        return dict(self.members).get(department, ())


def _voices(design: StudyDesign) -> _Voices:
    if design.mapping is not Mapping.PERSONA:
        return _Voices()
    roster = design.roster
    if roster is None:
        raise RosterMissingError("roster: the persona mapping needs the personas of the study")
    members = tuple((group, tuple(persona.id for persona in roster.of(group))) for group in DEPARTMENTS)
    return _Voices(members, tuple(persona.id for persona in roster.advisers))


@lru_cache(maxsize=KEPT_PLANS)
def _plan(
    preset: Preset, briefings: Briefings, schedule: Schedule, condition: Condition, voices: _Voices
) -> tuple[PlannedStep, ...]:
    steps: list[PlannedStep] = []
    for era in schedule.eras:
        before = schedule.before(era.id)
        steps.append(_briefing(preset, briefings, era, before))
        steps.extend(_deliberation(preset, condition, era, voices))
        steps.extend(_judgement(preset, condition, era))
    return tuple(steps)


def _briefing(preset: Preset, briefings: Briefings, era: Era, before: Era | None) -> PlannedStep:
    needs = (step_key(before.id, StepKind.REVIEW),) if before else ()
    drawn = briefings is Briefings.DRAWN and era.mode is not Mode.FORECAST
    carried = preset.judge_writes_next_briefing and before is not None
    role = Role.JUDGE if preset.judge_writes_next_briefing else Role.AUTHOR
    key = step_key(era.id, StepKind.BRIEFING)
    return PlannedStep(key, era.id, StepKind.BRIEFING, role, needs, by_code=drawn or carried)


def _deliberation(preset: Preset, condition: Condition, era: Era, voices: _Voices) -> Iterator[PlannedStep]:
    briefing = step_key(era.id, StepKind.BRIEFING)
    if condition.founder_revises:
        calls = sum(1 for _ in _deliberation(preset, Condition.FULL, era, voices))
        yield from _revisions(era, briefing, calls)
        return
    if not condition.has_departments:
        yield _step(era, StepKind.DECISION, Role.PLAYER, (briefing,))
        return
    table = tuple(step_key(era.id, StepKind.MEMO, department) for department in DEPARTMENTS)
    for key, department in zip(table, DEPARTMENTS, strict=True):
        yield from _department(era, key, department, briefing, voices)
    if preset.board_in_one_call:
        yield _step(era, StepKind.BOARD, Role.PLAYER, table)
        return
    if condition.has_red_team:
        yield _step(era, StepKind.ATTACK, Role.PLAYER, table)
        table = (step_key(era.id, StepKind.ATTACK),)
    for adviser in voices.advisers:
        yield _step(era, StepKind.REPLY, Role.PLAYER, table, persona=adviser)
    replies = tuple(step_key(era.id, StepKind.REPLY, adviser) for adviser in voices.advisers)
    yield _step(era, StepKind.DECISION, Role.PLAYER, replies or table)


def _department(
    era: Era, memo: StepKey, department: Group, briefing: StepKey, voices: _Voices
) -> Iterator[PlannedStep]:
    members = voices.of(department)
    for member in members:
        yield _step(era, StepKind.NOTE, Role.PLAYER, (briefing,), department=department, persona=member)
    needs = tuple(step_key(era.id, StepKind.NOTE, member) for member in members)
    yield PlannedStep(memo, era.id, StepKind.MEMO, Role.PLAYER, needs or (briefing,), department)


def _revisions(era: Era, briefing: StepKey, calls: int) -> Iterator[PlannedStep]:
    """Draft, criticize, revise and so on; the last of ``calls`` is the decision."""
    needs = (briefing,)
    for number in range(calls - 1):
        kind = StepKind.CRITIQUE if number % 2 else StepKind.DRAFT
        key = step_key(era.id, kind, str(number // 2 + 1))
        yield PlannedStep(key, era.id, kind, Role.PLAYER, needs)
        needs = (key,)
    yield _step(era, StepKind.DECISION, Role.PLAYER, needs)


def _judgement(preset: Preset, condition: Condition, era: Era) -> Iterator[PlannedStep]:
    board = preset.board_in_one_call and condition.has_departments
    decided = step_key(era.id, StepKind.BOARD if board else StepKind.DECISION)
    yield _step(era, StepKind.REVIEW, Role.JUDGE, (decided,))
    if preset.has_second_reading and condition.has_departments:
        yield _step(era, StepKind.READING, Role.JUDGE, (step_key(era.id, StepKind.REVIEW),))


def _step(
    era: Era,
    kind: StepKind,
    role: Role,
    needs: tuple[StepKey, ...],
    *,
    department: Group | None = None,
    persona: str | None = None,
) -> PlannedStep:
    return PlannedStep(step_key(era.id, kind, persona), era.id, kind, role, needs, department, persona)
