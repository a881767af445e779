"""What people may do to a run after launch, and when; an intervention marks the era and the run for ever."""

from dataclasses import replace
from enum import StrEnum

from app.domain.engine.inputs import Role, StepInput, StepKind
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.protocol.presets import Preset
from app.domain.study import ModelChoice


class InterventionKind(StrEnum):
    """The kinds an operator can make (protocol section 11)."""

    WRITE_BY_HAND = "write_by_hand"
    RETRY = "retry"
    RETRY_CHANGED = "retry_changed"
    SKIP = "skip"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    REDACT = "redact"
    ANNOTATE_EXPOSURE = "annotate_exposure"
    RAISE_BUDGET = "raise_budget"
    IMPORT = "import"
    ANNOTATE = "annotate"

    @property
    def done(self) -> str:
        """What was done, as marks say it: ``written by hand``."""
        return _DONE[self]


_DONE = {
    InterventionKind.WRITE_BY_HAND: "written by hand",
    InterventionKind.RETRY: "asked again",
    InterventionKind.RETRY_CHANGED: "asked again with other settings",
    InterventionKind.SKIP: "skipped",
    InterventionKind.PAUSE: "paused",
    InterventionKind.RESUME: "resumed",
    InterventionKind.CANCEL: "cancelled",
    InterventionKind.REDACT: "redacted",
    InterventionKind.ANNOTATE_EXPOSURE: "exposure noted",
    InterventionKind.RAISE_BUDGET: "budget raised",
    InterventionKind.IMPORT: "imported",
    InterventionKind.ANNOTATE: "noted",
}

SKIPPABLE = frozenset(
    {StepKind.NOTE, StepKind.MEMO, StepKind.ATTACK, StepKind.REPLY, StepKind.CRITIQUE, StepKind.READING}
)
"""Documents that an era can do without: what comes after is given what is there."""


def skip_problem(step: PlannedStep, state: RunState) -> str | None:
    """Why a step may not be skipped, or None if it may.

    Nobody can go on without a briefing, a decision or a review, and somebody must have written a memo.
    """
    if step.kind not in SKIPPABLE:
        return f"{step.key} cannot be skipped: every later step builds on it. Write it by hand, or retry."
    if step.kind is StepKind.MEMO and not state.memos(step.era) and not _memo_may_come(step, state):
        return f"{step.key} cannot be skipped: it is the last memo of its era, and the decision needs one."
    return None


def without_red_team(given: StepInput) -> StepInput:
    """What a board is given when a person decides alone: its document then holds no attack.

    Published Run 001, E6: the board's call timed out and the operator wrote the decision.
    """
    return replace(given, wanted=replace(given.wanted, red_team=False))


def choice_problem(step: PlannedStep, state: RunState, choice: ModelChoice) -> str | None:
    """Why a step may not be asked of another model, or None if it may.

    A controlled study without a stated exception keeps judge and players of different families, here too.
    """
    design = state.design
    if design.preset is not Preset.CONTROLLED or (design.same_family_reason or "").strip():
        return None
    others = {player.family for player in design.players} if step.role is Role.JUDGE else {design.judge.family}
    if step.role is Role.AUTHOR or choice.family not in others:
        return None
    side = "players'" if step.role is Role.JUDGE else "judge's"
    return f"model: {choice.model} is of the {side} family, and this study states no exception. Choose another."


def _memo_may_come(step: PlannedStep, state: RunState) -> bool:
    """Whether another department's memo of the era is still owed."""
    memos = (other for other in state.plan if other.era == step.era and other.kind is StepKind.MEMO)
    return any(other.key != step.key and other.key not in state.artifacts for other in memos)
