"""Scales on which an interval is built before it is carried back to the statistic's own units."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EDGE = 1e-9


class Transform(StrEnum):
    """A monotone scale; each has an open range in which it is finite."""

    RAW = "raw scale"
    FISHER_Z = "Fisher z"
    LOG = "log scale"
    LOGIT = "logit scale"

    def holds(self, values: Floats) -> bool:
        """Whether every value lies well inside the open range of this scale."""
        low, high = _OPEN_RANGE[self]
        return bool(np.all((values > low + EDGE) & (values < high - EDGE)))

    def forward(self, values: Floats) -> Floats:
        """Carry values in the statistic's units onto this scale."""
        if self is Transform.FISHER_Z:
            return np.arctanh(values)
        if self is Transform.LOG:
            return np.log(values)
        if self is Transform.LOGIT:
            return np.log(values / (1 - values))
        return values

    def back(self, values: Floats) -> Floats:
        """Undo `forward`."""
        if self is Transform.FISHER_Z:
            return np.tanh(values)
        if self is Transform.LOG:
            return np.exp(values)
        if self is Transform.LOGIT:
            return 1 / (1 + np.exp(-values))
        return values

    def clip(self, values: Floats) -> Floats:
        """Keep bounds found on the raw scale inside the statistic's possible range."""
        low, high = _POSSIBLE[self]
        return np.clip(values, low, high)


_OPEN_RANGE = {
    Transform.RAW: (-np.inf, np.inf),
    Transform.FISHER_Z: (-1.0, 1.0),
    Transform.LOG: (0.0, np.inf),
    Transform.LOGIT: (0.0, 1.0),
}
# Chance-corrected coefficients have 1 as their upper bound and no common lower one.
_POSSIBLE = _OPEN_RANGE | {Transform.FISHER_Z: (-np.inf, 1.0)}


@dataclass(frozen=True)
class Interval:
    """An interval with the name of its method, or the reason why there is none."""

    bounds: tuple[float, float] | None
    method: str
    reason: str | None = None
