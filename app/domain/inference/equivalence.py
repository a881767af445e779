"""Two one-sided t tests: are differences small enough to call two conditions equal?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from app.domain.inference.jackknife import FEWEST_CLUSTERS


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Result of two one-sided tests against +/- margin; `p_value` (the larger) is None with a reason.

    `interval` is the 90 % interval that lies within the margin exactly when p <= 0.05; None below six differences.
    """

    n: int
    difference: float | None
    margin: float
    p_value: float | None
    interval: tuple[float, float] | None
    reason: str | None = None


def two_one_sided_tests(differences: Sequence[float], margin: float) -> Equivalence:
    """Test that the mean of independent differences lies between -margin and +margin.

    Source: Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15:657-680; t with n-1 degrees of
    freedom. Raises ValueError for a margin that is not positive. Undefined for fewer than two differences or when
    they do not vary.
    """
    if not (margin > 0 and math.isfinite(margin)):
        raise ValueError(f"margin: {margin} is not a positive number of points; fix it before launch")
    n = len(differences)
    mean = float(np.mean(differences)) if n else None
    if n < 2 or mean is None:
        return Equivalence(n, mean, margin, None, None, f"two blocks are needed, there {_count(n)}")
    error = float(np.std(differences, ddof=1)) / math.sqrt(n)
    if error <= 1e-12 * max(1.0, abs(mean)):
        return Equivalence(n, mean, margin, None, None, "all blocks differ by the same amount: no spread to test with")
    above = float(stdtr(n - 1, -(mean + margin) / error))
    below = float(stdtr(n - 1, (mean - margin) / error))
    reach = float(stdtrit(n - 1, 0.95)) * error
    interval = (mean - reach, mean + reach) if n >= FEWEST_CLUSTERS else None
    return Equivalence(n, mean, margin, max(above, below), interval)


def _count(n: int) -> str:
    return "is one" if n else "is none"
