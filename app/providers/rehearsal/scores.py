"""Subscores with a plausible spread: recognition above commitment, a slight slope with lessons, a reason each."""

from collections.abc import Mapping

from app.domain.engine.inputs import StepInput
from app.domain.engine.variants import PADDING
from app.domain.protocol.artifacts import Decision, Score
from app.domain.protocol.layers import LayerDistance
from app.domain.protocol.rubrics import SCALE, RubricId, dimensions_of
from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import say
from app.providers.rehearsal.placing import distance
from app.providers.rehearsal.temperaments import Temperament
from app.providers.rehearsal.wording import clip

ORDINARY = (2, 9)
HINDSIGHT = (4, 9)
LEAKAGE = frozenset({"hindsight_leakage", "groundedness"})
NEARNESS = {LayerDistance.MATCH: 0.8, LayerDistance.NEIGHBOUR: 0.3, LayerDistance.MISS: -0.2}
GAP = {LayerDistance.MATCH: 0.0, LayerDistance.NEIGHBOUR: 1.6, LayerDistance.MISS: 2.3}


def score_decision(
    step: StepInput, decision: Decision, rubric: RubricId, pooled: str, temperament: Temperament, draws: Draws
) -> tuple[Score, ...]:
    """The rubric's five subscores in its order."""
    far = distance(step.layers, decision.chain.layer, pooled)
    draw = _record if rubric is RubricId.RECORD else _auditor
    raw = draw(step, decision, far, draws)
    bonus = _bonus(step, decision, temperament)
    return tuple(
        _score(dimension, raw[dimension] - temperament.severity, 0 if dimension in LEAKAGE else bonus, draws)
        for dimension in dimensions_of(rubric)
    )


def typed_total(scores: tuple[Score, ...], draws: Draws) -> int:
    """A total as a judge types it: near twice the sum, seldom equal to it."""
    return min(max(2 * sum(score.value for score in scores) + draws.between(-4, 4), 0), 100)


def _record(step: StepInput, decision: Decision, far: LayerDistance, draws: Draws) -> Mapping[str, float]:
    learned = _learned(step, decision)
    frontier = draws.around(6.3 + NEARNESS[far] + learned / 2, 0.7)
    gap = draws.around(GAP[far], 0.7)
    gap = gap if far is LayerDistance.MATCH else max(gap, -0.6)
    return {
        "frontier_accuracy": frontier,
        "timing": draws.around(5.8 + learned, 0.9),
        "layer_choice": frontier - gap,
        "reinvention_courage": draws.around(6.4 - 1.4 * decision.deferral.deferred + 0.2 * len(decision.end), 0.8),
        "hindsight_leakage": draws.around(6.2 + 0.5 * decision.deferral.deferred, 1.2),
    }


def _auditor(step: StepInput, decision: Decision, far: LayerDistance, draws: Draws) -> Mapping[str, float]:
    learned = _learned(step, decision)
    return {
        "playbook_consistency": draws.around(6.0 + learned, 0.8),
        "plausibility": draws.around(6.4 + 0.5 * decision.deferral.deferred, 0.8),
        "non_consensus": draws.around(5.6 - 0.6 * decision.deferral.deferred, 1.0),
        "layer_choice": draws.around(5.6 + NEARNESS[far], 0.9),
        "groundedness": draws.around(6.5, 0.9),
    }


def _learned(step: StepInput, decision: Decision) -> float:
    """What experience shows in the decision itself, and a little for a Playbook that is kept."""
    kept = len(step.playbook.active) if step.playbook else 0
    return 0.25 * (min(len(decision.stop_criteria), 4) - 2) + 0.6 * min(kept, 18) / 18


def _bonus(step: StepInput, decision: Decision, temperament: Temperament) -> int:
    """Points a partial judge adds; they are added after the ordinary bounds, so that none is cut off below the top."""
    succeeded = step.shown_outcome is not None and step.shown_outcome.is_success
    is_padded = PADDING[0] in decision.rationale
    is_own = bool(temperament.saying) and temperament.saying in decision.rationale
    bonuses = (
        temperament.success_bonus * succeeded,
        temperament.length_bonus * is_padded,
        temperament.own_bonus * is_own,
    )
    return sum(bonuses)


def _score(dimension: str, raw: float, bonus: int, draws: Draws) -> Score:
    lowest, highest = HINDSIGHT if dimension == "hindsight_leakage" else ORDINARY
    value = min(min(max(round(raw), lowest, SCALE[0]), highest) + bonus, SCALE[1])
    tier = "high" if value >= 7 else "mid" if value >= 5 else "low"
    return Score(dimension=dimension, value=value, reason=clip(say(draws, f"reasons.{dimension}.{tier}")))
