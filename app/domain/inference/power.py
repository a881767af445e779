"""How likely a design is to find an effect, and the smallest effect it finds often enough."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtri, ndtr, stdtrit

from app.domain.inference.intervals import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
# Gauss-Legendre nodes carried to (0, 1): probabilities at which the chi-square quantiles are taken.
_PROBABILITIES = (_NODES + 1) / 2
_WEIGHTS = _WEIGHTS / 2


def one_sided_power(n: int, effect: float, sd: float, alpha: float = 0.05) -> float:
    """Power of the one-sided one-sample t test of n differences with mean `effect` and standard deviation `sd`.

    The noncentral t distribution, integrated over the sample's standard deviation. With n differences the exact
    permutation test has nearly the same power (Lehmann and Romano 2005, Testing Statistical Hypotheses, section 15.2).
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


def smallest_effect(n: int, sd: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest mean of n differences that the one-sided t test finds with this power, in the units of `sd`.

    Raises ValueError unless alpha < power < 1: only then there is such an effect.
    """
    if not alpha < power < 1:
        raise ValueError(f"power: {power} must lie between alpha ({alpha}) and 1")

    def shortfall(effect: float) -> float:
        return one_sided_power(n, effect, sd, alpha) - power

    highest = sd
    while shortfall(highest) < 0:
        highest *= 2
    return float(brentq(shortfall, 0.0, highest, xtol=1e-9 * sd))


def _sd_ratios(df: int) -> Floats:
    """Sample SD over true SD at the integration nodes."""
    quantiles: Floats = np.sqrt(chdtri(df, 1 - _PROBABILITIES) / df)
    return quantiles
