"""Which documents of its run a step was given: told from its material, and so not from what it was meant to hold."""

from collections.abc import Iterator, Mapping
from itertools import takewhile

from app.domain.engine.inputs import StepInput, StepKind
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.ids import StepKey

SAME_ERA: Mapping[StepKind, tuple[str, ...]] = {
    StepKind.BRIEFING: ("briefing",),
    StepKind.NOTE: ("member_notes",),
    StepKind.MEMO: ("memos",),
    StepKind.ATTACK: ("attack",),
    StepKind.REPLY: ("replies",),
    StepKind.DRAFT: ("drafts",),
    StepKind.CRITIQUE: ("critiques",),
    StepKind.DECISION: ("decision",),
    StepKind.BOARD: ("decision", "attack"),
    StepKind.REVIEW: ("review",),
}
"""The fields of a step's input that hold a document of the same era, by the kind of step that wrote it."""

ERA_BEFORE: Mapping[StepKind, tuple[str, ...]] = {
    StepKind.BRIEFING: ("previous_briefing",),
    StepKind.DECISION: ("previous_decision",),
    StepKind.BOARD: ("previous_decision",),
    StepKind.REVIEW: ("previous_review",),
}
"""The same for documents of the era before."""


def documents_given(given: StepInput, state: RunState) -> tuple[StepKey, ...]:
    """Steps whose documents stand in an input, whole or without what it must not show, in the plan's order."""
    before = state.schedule.before(given.era.id)
    fields = {given.era.id: SAME_ERA, **({before.id: ERA_BEFORE} if before else {})}
    return tuple(
        step.key
        for step in _earlier(given, state)
        if _is_own(step, given) and any(getattr(given, name) for name in fields.get(step.era, {}).get(step.kind, ()))
    )


def lessons_from(given: StepInput, state: RunState) -> tuple[StepKey, ...]:
    """Reviews that wrote the Playbook of an input; none where it holds no lesson."""
    if not (given.playbook and given.playbook.lessons):
        return ()
    return tuple(
        step.key for step in _earlier(given, state) if step.kind is StepKind.REVIEW and step.era != given.era.id
    )


def _earlier(given: StepInput, state: RunState) -> Iterator[PlannedStep]:
    before = takewhile(lambda step: step.key != given.key, state.plan)
    return (step for step in before if step.key in state.artifacts)


def _is_own(step: PlannedStep, given: StepInput) -> bool:
    """A member's note goes to its own department alone."""
    return step.kind is not StepKind.NOTE or step.department == given.department
