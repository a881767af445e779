"""Intraclass correlations and errors of measurement by two-way analysis of variance on complete items.

Definitions and names after McGraw and Wong (1996), Psychological Methods 1:30-46: A is absolute agreement, C is
consistency; 1 is one rater, k the mean of the panel. ICC(1) and ICC(k) are the one-way forms of Shrout and Fleiss
(1979), Psychological Bulletin 86:420-428. Negative values are given as computed.
"""

from __future__ import annotations

import numpy as np

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio


class Anova:
    """Mean squares of complete items from the sums n, per-rater totals, squared item totals and squares."""

    def __init__(self, matrix: RatingMatrix) -> None:
        self.raters = len(matrix.raters)
        complete = matrix.rated == self.raters
        values = np.where(complete[:, None], np.nan_to_num(matrix.shifted), 0.0)
        self.contributions = np.column_stack([complete, values, values.sum(axis=1) ** 2, (values**2).sum(axis=1)])

    def mean_squares(self, sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Mean squares (replicates,) of items, raters, residual, and within items (one-way)."""
        k, n, totals = self.raters, sums[:, 0], sums[:, 1:-2]
        items, squares = sums[:, -2] / k, sums[:, -1]
        mean = ratio(totals.sum(axis=1) ** 2, n * k)
        columns = ratio((totals**2).sum(axis=1), n)
        return (
            ratio(items - mean, n - 1),
            ratio(columns - mean, np.full_like(n, k - 1)),
            ratio(squares - items - columns + mean, (n - 1) * (k - 1)),
            ratio(squares - items, n * (k - 1)),
        )

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give the coefficients, and `sem` (agreement), `sem_consistency` and `sdd` in points.

        sem is the square root of rater plus residual variance, so that ICC(A,1) = item variance / (item variance +
        sem squared); sem_consistency leaves rater variance out (de Vet et al. 2006, J Clin Epidemiol 59:1033-1039).
        sdd = 1.96 * sqrt(2) * sem.
        """
        k, n = self.raters, sums[:, 0]
        rows, columns, residual, within = self.mean_squares(sums)
        severity = ratio(columns - residual, n)
        size = ratio(sums[:, -1], n)
        gain = rows - residual
        sem = np.sqrt(np.maximum(residual + severity, 0.0))
        return {
            "icc_a1": ratio(gain, rows + (k - 1) * residual + k * severity, size),
            # Beyond this pole the formula gives coefficients above 1.
            "icc_ak": np.where(rows + severity > 0, ratio(gain, rows + severity, size), np.nan),
            "icc_c1": ratio(gain, rows + (k - 1) * residual, size),
            "icc_ck": ratio(gain, rows, size),
            "icc_1": ratio(rows - within, rows + (k - 1) * within, size),
            "icc_k": ratio(rows - within, rows, size),
            "sem": sem,
            "sem_consistency": np.sqrt(np.maximum(residual, 0.0)),
            "sdd": 1.96 * np.sqrt(2) * sem,
        }


def spearman_brown(single: float, raters: int) -> float | None:
    """Reliability of the mean of `raters` from that of one; None at or below -1/(raters-1), where it has no limit."""
    below = 1 + (raters - 1) * single
    return raters * single / below if below > 1e-9 else None
