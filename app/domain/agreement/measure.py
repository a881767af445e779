"""What every statistic here is: a function of sums of per-item contributions."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Measure(Protocol):
    """Per-item contributions, and the statistics that follow from any weighted sum of them.

    `contributions` is (items, columns); an item that a measure cannot use has a row of zeros. `evaluate` takes sums
    (replicates, columns) and gives one array (replicates,) per statistic, NaN where the statistic is undefined: point
    estimate, jackknife, bootstrap and weighting by inclusion probability are all the same call.
    """

    @property
    def contributions(self) -> Floats:
        """One row per item, (items, columns)."""
        ...

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give the statistics by name from sums (replicates, columns)."""
        ...


def ratio(numerator: ArrayLike, denominator: ArrayLike, size: ArrayLike = 1.0) -> Floats:
    """Numerator / denominator, NaN where the denominator vanishes against `size`, its natural magnitude."""
    above, below = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    answer = np.full(above.shape, np.nan)
    defined = np.abs(below) > 1e-12 * np.abs(np.asarray(size, np.float64))
    np.divide(above, below, out=answer, where=defined)
    return answer


def point(measure: Measure) -> dict[str, float]:
    """The statistics of the sample."""
    sums = measure.contributions.sum(axis=0)[None, :]
    return {name: float(values[0]) for name, values in measure.evaluate(sums).items()}
