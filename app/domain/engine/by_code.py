"""Steps that need no model: a briefing drawn from the record, or carried over from the pilot judge's review."""

from app.domain.engine.material import Library
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.protocol.artifacts import Briefing
from app.domain.protocol.briefings import draw_briefing


class CarriedBriefingMissingError(Exception):
    """The pilot judge's review holds no briefing for the era that follows it."""


def write_by_code(step: PlannedStep, state: RunState, library: Library) -> Briefing:
    """The briefing of a step planned as ``by_code``. Replicates share their draws across conditions and models."""
    design = state.design
    if design.preset.judge_writes_next_briefing:
        return _carried(step, state)
    era = state.schedule.era(step.era)
    seed = f"{design.seed}:{era.id}:r{state.run.replicate}"
    briefing, _ = draw_briefing(library.pool(era), facts=design.briefing_facts, seed=seed)
    return briefing


def _carried(step: PlannedStep, state: RunState) -> Briefing:
    before = state.schedule.before(step.era)
    review = state.review(before.id) if before else None
    if review is None or review.next_briefing is None:
        raise CarriedBriefingMissingError(f"{step.key}: the review before it holds no next_briefing")
    return review.next_briefing
