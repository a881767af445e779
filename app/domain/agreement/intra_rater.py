"""How far a rater agrees with herself on items shown twice."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.measure import Floats, Ints, ratio


class IntraRater:
    """From two occasions of the same items (items,), NaN where one is missing, the rater's own error in points.

    within_sd = sqrt(sum of d^2 / 2n); repeatability = 1.96 * sqrt(2) * within_sd; shift = mean of (second - first).
    Source: Bland and Altman (1996), BMJ 312:1654.
    """

    def __init__(self, first: Floats, second: Floats) -> None:
        difference = second - first
        used = np.isfinite(difference)
        difference = np.where(used, difference, 0.0)
        self.contributions = np.column_stack([used, difference, difference**2]).astype(np.float64)

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `within_sd`, `repeatability` and `shift`."""
        n, total, squares = sums.T
        within = np.sqrt(ratio(squares, 2 * n))
        return {"within_sd": within, "repeatability": 1.96 * np.sqrt(2) * within, "shift": ratio(total, n)}


def stack_raters(first: Floats, second: Floats, clusters: Ints) -> tuple[Floats, Floats, Ints]:
    """Put the repeats of all raters (items, raters) under one another, with the cluster of each."""
    raters = first.shape[1]
    return first.T.ravel(), second.T.ravel(), np.tile(clusters, raters)
