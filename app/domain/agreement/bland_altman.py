"""Bland and Altman's bias and limits of agreement of two raters, in points.

bias = mean of (first - second); limits = bias -/+ 1.96 standard deviations of the differences. Source: Bland and
Altman (1986), Lancet i:307-310.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio


class PairDifferences:
    """Bias and limits from the sums: items both rated, differences, squared differences."""

    def __init__(self, matrix: RatingMatrix, first: int, second: int) -> None:
        differences = matrix.values[:, first] - matrix.values[:, second]
        used = np.isfinite(differences)
        differences = np.where(used, differences, 0.0)
        self.contributions = np.column_stack([used, differences, differences**2]).astype(np.float64)

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `bias`, `loa_low` and `loa_high`."""
        n, total, squares = sums.T
        bias = ratio(total, n)
        deviation = np.sqrt(np.maximum(ratio(squares - total * np.nan_to_num(bias), n - 1), 0.0))
        return {"bias": bias, "loa_low": bias - 1.96 * deviation, "loa_high": bias + 1.96 * deviation}


@dataclass(frozen=True)
class Limits:
    """Limits of agreement in points, with the classical intervals for independent items."""

    bias: float
    deviation: float
    low: float
    high: float
    bias_error: float
    low_ci95: tuple[float, float]
    high_ci95: tuple[float, float]


def limits_of_agreement(first: Floats, second: Floats, *, multiplier: float = 1.96) -> Limits:
    """Limits for two vectors of finite ratings of at least two items, n-1 in the standard deviation.

    Intervals use the paper's standard error sqrt(3 s^2 / n) of a limit and t with n-1 degrees of freedom.
    """
    differences = first - second
    n = len(differences)
    bias, deviation = float(differences.mean()), float(differences.std(ddof=1))
    low, high = bias - multiplier * deviation, bias + multiplier * deviation
    reach = float(stdtrit(n - 1, 0.975)) * deviation * np.sqrt(3 / n)
    return Limits(
        bias=bias,
        deviation=deviation,
        low=low,
        high=high,
        bias_error=deviation / float(np.sqrt(n)),
        low_ci95=(low - reach, low + reach),
        high_ci95=(high - reach, high + reach),
    )
