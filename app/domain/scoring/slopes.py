"""How a run's scores move along its eras: least-squares slope and the means of its two halves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.domain.scoring.measures import Measure, mean_of, undefined


def slope_of(indices: Sequence[int], values: Sequence[float]) -> Measure:
    """Least-squares slope of values on era index, in points per era.

    Source: ordinary least squares, sum((x - mean x)(y - mean y)) / sum((x - mean x)^2). Undefined for fewer than two
    different eras. Raises ValueError when the two sequences differ in length.
    """
    if len(indices) != len(values):
        raise ValueError(f"a slope needs one value per era: {len(indices)} eras, {len(values)} values")
    if len(set(indices)) < 2:
        return undefined("a slope needs two eras", len(values))
    centre = math.fsum(indices) / len(indices)
    level = math.fsum(values) / len(values)
    spread = math.fsum((x - centre) ** 2 for x in indices)
    together = math.fsum((x - centre) * (y - level) for x, y in zip(indices, values, strict=True))
    return Measure(together / spread, len(values))


def half_means(values: Sequence[float]) -> tuple[Measure, Measure]:
    """Means of the first and the second half of a run's values in era order; a middle value belongs to neither."""
    half = len(values) // 2
    if half == 0:
        reason = "halves need two eras"
        return undefined(reason, len(values)), undefined(reason, len(values))
    return mean_of(values[:half]), mean_of(values[-half:])
