"""A founder's draft revised after its last criticism."""

from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import Decision
from app.providers.rehearsal.attacks import thresholds
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import say
from app.providers.rehearsal.wording import bare, clip

MOST_CRITERIA = 4


def revise(step: StepInput, draft: Decision, draws: Draws) -> Decision:
    """The draft with one more stop criterion, up to four, and a note on what it answers."""
    have = {stop.measure for stop in draft.stop_criteria}
    fresh = [stop for stop in thresholds(step, len(have) + 1, draws) if stop.measure not in have]
    more = fresh[:1] if len(have) < MOST_CRITERIA else []
    point = step.critiques[-1].points[0] if step.critiques else "that it lacked a number"
    note = say(draws, "revision.notes", point=f"“{clip(bare(point), 300)}”")
    first, _, _ = draft.rationale.partition("\n\n")
    return draft.model_copy(update={"stop_criteria": (*draft.stop_criteria, *more), "rationale": f"{first}\n\n{note}"})
