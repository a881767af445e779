"""Two conditions compared over blocks of schedule, replicate and player model: effect and interval first, then p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.domain.inference.equivalence import Equivalence, two_one_sided_tests
from app.domain.inference.intervals import Interval, Transform
from app.domain.inference.jackknife import jackknife_interval
from app.domain.inference.permutation import (
    DRAWS,
    PermutationTest,
    Stratum,
    permute_within_strata,
    split_strata,
    stratified_difference,
)
from app.domain.scoring.measures import Measure, sd_of, undefined
from app.domain.scoring.run_values import RunValue

NO_BLOCK = "no block of replicate and player model holds both conditions"
NO_ERA = "no run of these conditions has such an era judged"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Condition `higher` less condition `lower`.

    `effect` is in the statistic's units, `standardized` is the effect over the pooled SD of runs within conditions
    (Cohen's d). `left_out` names runs without a value or without a partner in their block.
    """

    higher: str
    lower: str
    effect: Measure
    standardized: Measure
    interval: Interval
    test: PermutationTest
    blocks: int
    left_out: tuple[str, ...]


def contrast_conditions(
    values: Sequence[RunValue], higher: str, lower: str, *, seed: int, draws: int = DRAWS
) -> Contrast:
    """Compare two conditions: labels permuted within schedule x replicate x player model, one-sided for higher > lower.

    The interval leaves out one block at a time, since a run left out leaves its block without a contrast; by t with
    blocks - 1 degrees of freedom, none for fewer than six blocks.
    """
    kept, strata, left_out = _blocks_of(values, higher, lower)
    effect = stratified_difference(strata)
    has_any = any(value.condition in {higher, lower} and value.measure.value is not None for value in values)
    reason = NO_BLOCK if has_any else NO_ERA
    test = permute_within_strata(strata, seed=seed, draws=draws)
    return Contrast(
        higher=higher,
        lower=lower,
        effect=undefined(reason) if effect is None else Measure(effect, len(kept)),
        standardized=_standardized(effect, kept, higher, lower),
        interval=_interval(strata, effect, reason),
        test=test if has_any else replace(test, reason=reason),
        blocks=len(strata),
        left_out=left_out,
    )


def equivalence_of_conditions(values: Sequence[RunValue], one: str, other: str, margin: float) -> Equivalence:
    """Test that two conditions differ by less than `margin`, on the differences of run means within blocks."""
    _, strata, _ = _blocks_of(values, one, other)
    return two_one_sided_tests([stratum.difference for stratum in strata], margin)


def mean_with_interval(values: Sequence[RunValue]) -> tuple[Measure, Interval]:
    """Mean over the runs of one condition, with the delete-one-run jackknife interval."""
    numbers = np.array([value.measure.value for value in values if value.measure.value is not None])
    n = len(numbers)
    if n == 0:
        reason = "there is no run with a value"
        return undefined(reason), Interval(None, "delete-one-run jackknife", reason)
    mean = float(numbers.mean())
    rest = (numbers.sum() - numbers) / (n - 1) if n > 1 else np.array([np.nan])
    return Measure(mean, n), jackknife_interval(mean, rest, Transform.RAW, unit="run")


def _blocks_of(
    values: Sequence[RunValue], higher: str, lower: str
) -> tuple[list[RunValue], list[Stratum], tuple[str, ...]]:
    chosen = [value for value in values if value.condition in {higher, lower}]
    defined = [value for value in chosen if value.measure.value is not None]
    both = {v.block for v in defined if v.condition == higher} & {v.block for v in defined if v.condition == lower}
    kept = [value for value in defined if value.block in both]
    names = {value.run for value in kept}
    numbers = np.array([value.measure.value for value in kept], dtype=np.float64)
    labels = np.array([value.condition == higher for value in kept], dtype=np.bool_)
    strata = split_strata(numbers, labels, [value.block for value in kept])
    return kept, strata, tuple(value.run for value in chosen if value.run not in names)


def _standardized(effect: float | None, kept: Sequence[RunValue], higher: str, lower: str) -> Measure:
    spreads = [
        sd_of([v.measure.value for v in kept if v.condition == name and v.measure.value is not None], "run")
        for name in (higher, lower)
    ]
    if effect is None or any(spread.value is None for spread in spreads):
        return undefined("a standardized effect needs two runs in each condition", len(kept))
    variance = math.fsum((s.n - 1) * (s.value or 0.0) ** 2 for s in spreads) / math.fsum(s.n - 1 for s in spreads)
    if variance <= 0:
        return undefined("runs do not vary within their conditions", len(kept))
    return Measure(effect / math.sqrt(variance), len(kept))


def _interval(strata: Sequence[Stratum], effect: float | None, reason: str) -> Interval:
    if effect is None:
        return Interval(None, "delete-one-block jackknife", reason)
    rest = [stratified_difference([*strata[:i], *strata[i + 1 :]]) for i in range(len(strata))]
    replicates = np.array([np.nan if each is None else each for each in rest], dtype=np.float64)
    return jackknife_interval(effect, replicates, Transform.RAW, unit="block")
