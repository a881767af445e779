"""Cohen's kappa of two raters, plain and weighted by distance on the declared scale.

kappa = 1 - n * sum(v T) / sum(v n_a n_b) with disagreement v = 0/1, |c-d| or (c-d) squared; the scale's length cancels,
unused categories change nothing, and values keep their distances. A rater who never varies makes kappa 0; two such
raters leave it undefined. Sources: Cohen (1960), Educ Psychol Meas 20:37-46; Cohen (1968), Psychol Bull 70:213-220.
"""

from __future__ import annotations

import numpy as np

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio
from app.domain.agreement.tables import margins, pair_cells


def disagreement(values: Floats) -> dict[str, Floats]:
    """The three disagreement weightings (K, K) by statistic name."""
    apart = np.abs(values[:, None] - values)
    return {"kappa": (apart > 0).astype(np.float64), "kappa_quadratic": apart**2, "kappa_linear": apart}


class PairKappa:
    """The kappas of two raters from their table of pairs."""

    def __init__(self, matrix: RatingMatrix, first: int, second: int) -> None:
        self.contributions = pair_cells(matrix, first, second)
        self._weights = disagreement(matrix.observed)
        if not matrix.numeric:
            self._weights = {"kappa": self._weights["kappa"]}

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `kappa`, and `kappa_quadratic` and `kappa_linear` for numbers."""
        _, a, b = margins(sums)
        n = a.sum(axis=1)
        answer = {}
        for name, weights in self._weights.items():
            observed = n * (sums @ weights.ravel())
            expected = np.einsum("rk,rk->r", a @ weights, b)
            answer[name] = 1 - ratio(observed, expected, n**2 * max(float(weights.max(initial=0.0)), 1e-300))
        return answer


class PairQuadraticKappa:
    """Quadratic kappa alone, from five sums; what a bootstrap of very many resamples wants.

    1 - E(a-b)^2 / (Var a + Var b + (mean a - mean b)^2), population variances.
    """

    def __init__(self, matrix: RatingMatrix, first: int, second: int) -> None:
        pair = matrix.shifted[:, [first, second]]
        used = np.isfinite(pair[:, 0]) & np.isfinite(pair[:, 1])
        a, b = np.where(used, np.nan_to_num(pair).T, 0.0)
        self.contributions = np.column_stack([used, a, b, a**2 + b**2, a * b])

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `kappa_quadratic` and `bias` (first less second, in points)."""
        n, a, b, squares, product = sums.T
        value = 1 - ratio(n * (squares - 2 * product), n * squares - 2 * a * b, n * squares)
        return {"kappa_quadratic": value, "bias": ratio(a - b, n)}


def kappa_standard_error(table: Floats, weights: Floats) -> float:
    """Asymptotic standard error of a (weighted) kappa from a table (K, K) of counts and agreement weights (K, K).

    Source: Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72:323-327.
    """
    n = table.sum()
    p = table / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float(np.sum(p * weights)), float(rows @ weights @ columns)
    mean = (weights @ columns)[:, None] + rows @ weights
    spread = np.sum(p * (weights * (1 - expected) - mean * (1 - observed)) ** 2)
    spread -= (observed * expected - 2 * expected + observed) ** 2
    return float(np.sqrt(spread / n) / (1 - expected) ** 2)
