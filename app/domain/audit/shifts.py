"""Paired differences of scores, averaged by run: the common part of every judge check."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from app.domain.inference.intervals import Interval, Transform
from app.domain.inference.jackknife import jackknife_interval
from app.domain.inference.permutation import PermutationTest, flip_signs
from app.domain.scoring.measures import Measure, mean_of, sd_of


@dataclass(frozen=True, slots=True)
class ScorePair:
    """One decision scored twice: ``first`` less ``second`` is the shift; ``run`` is what decisions are grouped by."""

    run: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class Shift:
    """Mean shift over runs in points, its spread and interval, and sign-flip tests of each direction.

    ``p_value`` is two-sided: twice the smaller one-sided p, at most 1; None without a run.
    """

    mean: Measure
    sd: Measure
    pairs: int
    interval: Interval
    above: PermutationTest
    below: PermutationTest

    @property
    def p_value(self) -> float | None:
        """Two-sided p."""
        if self.above.p_value is None or self.below.p_value is None:
            return None
        return min(1.0, 2 * min(self.above.p_value, self.below.p_value))


def shift_of(pairs: Iterable[ScorePair], *, seed: int) -> Shift:
    """Mean of first less second: pairs of a run are averaged first, since they are not independent."""
    by_run: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        by_run[pair.run].append(pair.first - pair.second)
    means = [math.fsum(each) / len(each) for _, each in sorted(by_run.items())]
    mean = mean_of(means, "pair of scores")
    return Shift(
        mean=mean,
        sd=sd_of(means, "run"),
        pairs=sum(len(each) for each in by_run.values()),
        interval=_interval(mean, means),
        above=flip_signs(means, seed=seed),
        below=flip_signs([-each for each in means], seed=seed),
    )


def _interval(mean: Measure, means: list[float]) -> Interval:
    if mean.value is None:
        return Interval(None, "not computed", mean.reason)
    values = np.asarray(means, dtype=np.float64)
    left_out = (values.sum() - values) / max(1, len(values) - 1)
    return jackknife_interval(mean.value, left_out, Transform.RAW, unit="run")
