"""Krippendorff's alpha for nominal, ordinal, interval and ratio values.

alpha = 1 - Do/De over the n ratings of items with two ratings or more: Do is the mean squared difference of ratings
of the same item (each item's pairs divided by m-1), De that of all n(n-1) pairs. Undefined when all n are equal.
Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, University of Pennsylvania.
"""

from __future__ import annotations

import numpy as np

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio


def _pairable(matrix: RatingMatrix) -> tuple[Floats, Floats]:
    """Ratings per item (items,), 0 where there is no pair, and 1/(m-1), 0 likewise."""
    usable = matrix.rated >= 2
    each = np.where(usable, matrix.rated, 0).astype(np.float64)
    return each, np.where(usable, 1.0 / np.maximum(matrix.rated - 1, 1), 0.0)


class IntervalAlpha:
    """Alpha with the squared difference, from four sums: n, sum, sum of squares, within-item disagreement."""

    def __init__(self, matrix: RatingMatrix) -> None:
        each, share = _pairable(matrix)
        values = np.where((each > 0)[:, None], np.nan_to_num(matrix.shifted), 0.0)
        total, squares = values.sum(axis=1), (values**2).sum(axis=1)
        within = 2 * (each * squares - total**2) * share
        self.contributions = np.column_stack([each, total, squares, within])

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `alpha_interval`."""
        n, total, squares, within = sums.T
        between = 2 * (n * squares - total**2)
        return {"alpha_interval": 1 - ratio((n - 1) * within, between, n * squares)}


class NominalAlpha:
    """Alpha with 0 for equal and 1 for different, from the counts of each value (K) and the disagreement within."""

    def __init__(self, matrix: RatingMatrix) -> None:
        each, share = _pairable(matrix)
        counts = matrix.counts * (each > 0)[:, None]
        within = (each**2 - (counts**2).sum(axis=1)) * share
        self.contributions = np.column_stack([within, counts])

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `alpha_nominal`."""
        within, counts = sums[:, 0], sums[:, 1:]
        n = counts.sum(axis=1)
        between = n**2 - (counts**2).sum(axis=1)
        return {"alpha_nominal": 1 - ratio((n - 1) * within, between, n**2)}


class OrdinalAlpha:
    """Alpha with the squared difference of mid-ranks in the pooled ratings, which is Krippendorff's ordinal metric.

    (Sum of n_g from c to k, less half of n_c and n_k, equals the mid-rank of k less that of c.) The sums are the
    counts of each value (K) and the coincidences of each unequal pair of values that occurs (P).
    """

    def __init__(self, matrix: RatingMatrix) -> None:
        each, share = _pairable(matrix)
        counts = matrix.counts * (each > 0)[:, None]
        first, second = np.triu_indices(counts.shape[1], 1)
        met = (counts > 0).astype(np.float64)
        occurs = (met.T @ met)[first, second] > 0
        self._first, self._second, self._kinds = first[occurs], second[occurs], counts.shape[1]
        coincidences = 2 * counts[:, self._first] * counts[:, self._second] * share[:, None]
        self.contributions = np.hstack([counts, coincidences])

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `alpha_ordinal`."""
        counts, coincidences = sums[:, : self._kinds], sums[:, self._kinds :]
        n = counts.sum(axis=1)
        ranks = np.cumsum(counts, axis=1) - counts / 2 - n[:, None] / 2
        gaps = ranks[:, self._first] - ranks[:, self._second]
        within = np.einsum("rp,rp,rp->r", coincidences, gaps, gaps)
        spread, center = np.einsum("rk,rk,rk->r", counts, ranks, ranks), np.einsum("rk,rk->r", counts, ranks)
        return {"alpha_ordinal": 1 - ratio((n - 1) * within, 2 * (n * spread - center**2), n**4)}


def ratio_alpha(matrix: RatingMatrix) -> float:
    """Alpha with ((c - k) / (c + k)) squared, for values above zero; NaN where undefined."""
    ordinal = OrdinalAlpha(matrix)
    sums, kinds = ordinal.contributions.sum(axis=0), len(matrix.observed)
    first, second = np.triu_indices(kinds, 1)
    values, counts = matrix.observed, sums[:kinds]
    gaps = ((values[:, None] - values) / (values[:, None] + values)) ** 2
    met = (matrix.counts[matrix.pairable] > 0).astype(np.float64)
    occurs = (met.T @ met)[first, second] > 0
    within = float(sums[kinds:] @ gaps[first[occurs], second[occurs]])
    n = counts.sum()
    return float(1 - ratio((n - 1) * within, counts @ gaps @ counts, n**2))


def direct_alphas(matrix: RatingMatrix) -> dict[str, float]:
    """Ordinal and nominal alpha without tables, for data with very many distinct values; NaN where undefined."""
    codes = matrix.codes[matrix.pairable]
    present = codes >= 0
    counts = np.bincount(codes[present], minlength=len(matrix.observed)).astype(np.float64)
    ranks = np.where(present, (np.cumsum(counts) - counts / 2)[codes], np.nan)
    ranked = matrix.with_values(np.full_like(matrix.values, np.nan))
    ranked.values[matrix.pairable] = ranks
    interval = IntervalAlpha(ranked)
    each = present.sum(axis=1)
    equal = (codes[:, :, None] == codes[:, None, :]) & present[:, :, None] & present[:, None, :]
    within = float(((each**2 - equal.sum(axis=(1, 2))) / (each - 1)).sum())
    n = counts.sum()
    ordinal = interval.evaluate(interval.contributions.sum(axis=0)[None, :])["alpha_interval"][0]
    nominal = 1 - ratio((n - 1) * within, n**2 - (counts**2).sum(), n**2)
    return {"alpha_ordinal": float(ordinal), "alpha_nominal": float(nominal)}
