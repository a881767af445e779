"""What a design can find: smallest detectable effects and the power of the equivalence test, from published SDs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.inference.power import equivalence_power, smallest_effect
from app.domain.scoring.hypotheses import FAMILY
from app.domain.scoring.measures import Measure, undefined
from app.domain.wording import counted

PUBLISHED_SDS: Mapping[str, float] = {
    "H1": 0.8929,
    "H2": 1.4975,
    "H3": 1.0229,
    "H4": 0.5990,
    "H5a": 0.3125,
}
"""SDs between the four published runs (training eras): slope of T*, mean of T*, mean hindsight, mean gap, pivot rate.

Four runs of different set-ups give a rough SD only; H5b has none, since no layer distance was published.
"""


@dataclass(frozen=True, slots=True)
class DetectableEffect:
    """Smallest effect of one hypothesis found with `power`, alone at `alpha` and first in line under Holm."""

    hypothesis: str
    sd: float | None
    alone: Measure
    under_holm: Measure


def smallest_detectable_effect(
    runs_per_condition: int, sd: float, *, alpha: float = 0.05, power: float = 0.8, correlation: float = 0.0
) -> Measure:
    """Smallest difference between two conditions that the permutation test within blocks finds with this power.

    `sd` is between runs of a condition; `correlation` is that of two runs of a block (0 is the cautious choice). The
    exact test's own power is used, for normal differences; undefined where 2^-blocks > alpha.
    """
    spread = sd * math.sqrt(2 * (1 - correlation))
    return _smallest(runs_per_condition, spread, alpha, power)


def smallest_detectable_mean(runs: int, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> Measure:
    """Smallest mean of one condition's runs that the sign-flip test tells from zero with this power (H4)."""
    return _smallest(runs, sd, alpha, power)


def power_of_equivalence(
    runs_per_condition: int, margin: float, *, sd: float = PUBLISHED_SDS["H3"], correlation: float = 0.0
) -> Measure:
    """Power of one of H3's comparisons at a true difference of zero; all comparisons must pass, so H3 has less."""
    if runs_per_condition < 2:
        return undefined("two blocks are needed", runs_per_condition)
    spread = sd * math.sqrt(2 * (1 - correlation))
    return Measure(equivalence_power(runs_per_condition, spread, margin), runs_per_condition)


def detectable_effects(runs_per_condition: int) -> tuple[DetectableEffect, ...]:
    """Smallest detectable effects of H1, H2, H4 and H5 for a design, in each statistic's units.

    `runs_per_condition` is repetitions x player models. H3 is an equivalence: see power_of_equivalence.
    """
    return tuple(_detectable(name, runs_per_condition) for name in FAMILY if name != "H3")


def _detectable(name: str, runs: int) -> DetectableEffect:
    sd = PUBLISHED_SDS.get(name)
    if sd is None:
        none = undefined("no spread of frontier capture was published")
        return DetectableEffect(name, None, none, none)
    find = smallest_detectable_mean if name == "H4" else smallest_detectable_effect
    return DetectableEffect(name, sd, find(runs, sd), find(runs, sd, alpha=0.05 / len(FAMILY)))


def _smallest(n: int, spread: float, alpha: float, power: float) -> Measure:
    if 2.0**-n > alpha:
        least = f"the smallest possible p is {2.0**-n:.3g}, above {alpha:.3g}"
        return undefined(f"with {counted(n, 'run')} a condition {least}", n)
    return Measure(smallest_effect(n, spread, alpha, power), n)
