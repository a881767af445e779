"""Whether a rater grows stricter or milder along the queue."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio

POSITIONS = 10


class Drift:
    """Slope, in points per ten positions, of (own rating less the mean of the others) on the position in the queue.

    Ordinary least squares per rater over items that somebody else rated too; `positions` is (items, raters), NaN
    where unknown. Undefined for a rater with one position.
    """

    def __init__(self, matrix: RatingMatrix, positions: Floats) -> None:
        self._raters = matrix.raters
        columns = []
        for rater in range(len(matrix.raters)):
            apart = matrix.values[:, rater] - others_mean(matrix.values, rater)
            place = positions[:, rater] / POSITIONS
            used = np.isfinite(apart) & np.isfinite(place)
            x, y = np.where(used, place, 0.0), np.where(used, apart, 0.0)
            columns += [used, x, y, x * x, x * y]
        self.contributions = np.column_stack(columns).astype(np.float64)

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give one slope per rater name."""
        answer = {}
        for number, name in enumerate(self._raters):
            n, x, y, squares, product = sums[:, 5 * number : 5 * number + 5].T
            answer[name] = ratio(n * product - x * y, n * squares - x * x, n * squares)
        return answer


def others_mean(values: Floats, rater: int) -> Floats:
    """Mean rating of everybody else (items,), NaN where nobody else rated."""
    others = np.delete(values, rater, axis=1)
    return ratio(np.nansum(others, axis=1), np.isfinite(others).sum(axis=1))
