"""How likely a design is to find an effect, and the smallest effect it finds often enough."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np
from scipy.special import chdtri, ndtr, stdtrit

from app.domain.inference.intervals import Floats

ENUMERATED = 12
"""Up to so many differences the power of the exact test is drawn from its definition."""

EXACTNESS = 1e-9
"""How closely the smallest effect is found, in SDs."""

DRAWS = 10_000
SEED = 1
"""How many samples the power of the exact test is drawn from, and the seed they come from."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
# Gauss-Legendre nodes carried to (0, 1): probabilities at which the chi-square quantiles are taken.
_PROBABILITIES = (_NODES + 1) / 2
_WEIGHTS = _WEIGHTS / 2


def one_sided_power(n: int, effect: float, sd: float, alpha: float = 0.05) -> float:
    """Power of the one-sided one-sample t test of n differences with mean `effect` and standard deviation `sd`.

    The noncentral t distribution, integrated over the sample's standard deviation.
    """
    centre = effect * math.sqrt(n) / sd
    critical = float(stdtrit(n - 1, 1 - alpha))
    return float(_WEIGHTS @ ndtr(centre - critical * _sd_ratios(n - 1)))


def equivalence_power(n: int, sd: float, margin: float, difference: float = 0.0, alpha: float = 0.05) -> float:
    """Power of two one-sided t tests of n differences with standard deviation `sd` whose true mean is `difference`.

    Source: Phillips 1990, Journal of Pharmacokinetics and Biopharmaceutics 18:137-144, integrated over the sample's
    standard deviation.
    """
    root = math.sqrt(n) / sd
    reach = float(stdtrit(n - 1, 1 - alpha)) * _sd_ratios(n - 1)
    inside = ndtr((margin - difference) * root - reach) - ndtr((-margin - difference) * root + reach)
    return float(_WEIGHTS @ np.maximum(inside, 0.0))


def flip_power(n: int, effect: float, sd: float, alpha: float = 0.05) -> float:
    """Power of the exact sign-flip (or paired permutation) test of n normal differences; 0 where 2^-n > alpha.

    For few differences the test can only take a few p-values and finds less than the t test does, so its power is
    drawn from its own definition; beyond 12 differences it is that of the t test to within a point.
    """
    if 2.0**-n > alpha:
        return 0.0
    if n > ENUMERATED:
        return one_sided_power(n, effect, sd, alpha)
    return float(np.mean(_critical_effects(n, alpha) < effect / sd))


def smallest_effect(n: int, sd: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest mean of n normal differences that the exact sign-flip test finds with this power, in the units of `sd`.

    Raises ValueError unless alpha < power < 1, and where no effect can be found because 2^-n > alpha.
    """
    if not alpha < power < 1:
        raise ValueError(f"power: {power} must lie between alpha ({alpha}) and 1")
    if 2.0**-n > alpha:
        raise ValueError(f"with {n} differences the smallest possible p is {2.0**-n:.3g}, above alpha ({alpha:.3g})")
    if n <= ENUMERATED:
        return float(np.quantile(_critical_effects(n, alpha), power)) * sd

    def shortfall(effect: float) -> float:
        return one_sided_power(n, effect, sd, alpha) - power

    lowest, highest = 0.0, sd
    while shortfall(highest) < 0:
        lowest, highest = highest, 2 * highest
    while highest - lowest > EXACTNESS * sd:
        middle = (lowest + highest) / 2
        lowest, highest = (middle, highest) if shortfall(middle) < 0 else (lowest, middle)
    return highest


@cache
def _critical_effects(n: int, alpha: float) -> Floats:
    """For each drawn sample of n standard normals, the shift in SDs above which the exact test rejects.

    A flip of the subset A has a mean at least as large as the observed one exactly when the mean of A, shifted, is not
    positive. With c = floor(alpha 2^n) such flips allowed, the unflipped one among them, the test rejects when the
    shift exceeds the c-th largest of -mean(A) over the non-empty subsets.
    """
    subsets = np.array(list(product((0.0, 1.0), repeat=n)))[1:]
    averages = (subsets / subsets.sum(axis=1, keepdims=True)).T
    allowed = math.floor(alpha * 2**n)
    generator = np.random.default_rng(SEED)
    found = [
        np.partition(generator.standard_normal((DRAWS // 10, n)) @ -averages, -allowed, axis=1)[:, -allowed]
        for _ in range(10)
    ]
    return np.concatenate(found)


def _sd_ratios(df: int) -> Floats:
    """Sample SD over true SD at the integration nodes."""
    quantiles: Floats = np.sqrt(chdtri(df, 1 - _PROBABILITIES) / df)
    return quantiles
