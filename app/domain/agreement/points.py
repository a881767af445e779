"""Agreement in points: shares of items within 0, 1 or 2 points, and the mean absolute difference."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio


class Points:
    """From the sums: pairable items, items whose ratings lie within t points of each other, mean pair differences."""

    def __init__(self, matrix: RatingMatrix) -> None:
        usable = matrix.rated >= 2
        lowest = np.where(np.isfinite(matrix.values), matrix.values, np.inf).min(axis=1, initial=np.inf)
        highest = np.where(np.isfinite(matrix.values), matrix.values, -np.inf).max(axis=1, initial=-np.inf)
        spread = np.where(usable, highest - lowest, np.inf)
        self._numeric = matrix.numeric
        columns: list[Floats] = [usable.astype(np.float64), (spread <= 0).astype(np.float64)]
        if matrix.numeric:
            # Broken values such as 6.3 and 7.3 must count as one point apart despite rounding in binary.
            columns += [(spread <= points + 1e-9).astype(np.float64) for points in (1, 2)]
            columns.append(mean_pair_difference(matrix))
        self.contributions = np.column_stack(columns)

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `exact`, and for numbers `within_1`, `within_2` (all raters of an item) and `mad` (points)."""
        names = ["exact", "within_1", "within_2", "mad"][: sums.shape[1] - 1]
        return {name: ratio(sums[:, column + 1], sums[:, 0]) for column, name in enumerate(names)}


def mean_pair_difference(matrix: RatingMatrix) -> Floats:
    """Mean absolute difference over the pairs of ratings of each item (items,), 0 where there is no pair.

    Sorted ratings x_1 <= ... <= x_m have the sum of (2j - m - 1) * x_j as the sum of their pair differences.
    """
    ordered = np.sort(matrix.shifted, axis=1)
    each = matrix.rated[:, None]
    place = 2 * np.arange(1, ordered.shape[1] + 1) - each - 1
    total = np.where(np.isfinite(ordered), place * np.nan_to_num(ordered), 0.0).sum(axis=1)
    count = each[:, 0]
    return np.where(count >= 2, 2 * total / np.maximum(count * (count - 1), 1), 0.0)
