"""One measured number, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """A finite value, or None with the reason; never both, never NaN. `n` is the number of observations behind it."""

    value: float | None
    n: int = 0
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("a measure has either a value or the reason why it has none")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError("the value of a measure is finite; give None with a reason instead")


def undefined(reason: str, n: int = 0) -> Measure:
    """Give the measure that has no value, with its reason."""
    return Measure(None, n, reason)


def mean_of(values: Sequence[float], what: str = "value") -> Measure:
    """Arithmetic mean; undefined for no values."""
    if not values:
        return undefined(f"there is no {what}")
    return Measure(math.fsum(values) / len(values), len(values))


def sd_of(values: Sequence[float], what: str = "value") -> Measure:
    """Sample standard deviation with n-1; undefined for fewer than two values."""
    if len(values) < 2:
        return undefined(f"a standard deviation needs two {what}s; there is {len(values) or 'none'}", len(values))
    centre = math.fsum(values) / len(values)
    squares = math.fsum((value - centre) ** 2 for value in values)
    return Measure(math.sqrt(squares / (len(values) - 1)), len(values))
