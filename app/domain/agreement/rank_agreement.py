"""Spearman's rho of two raters and Kendall's W of all, with ties, from tables of pairs of values.

Spearman: Pearson's correlation of mid-ranks. W = sum over items of squared deviations of rank sums, over its largest
possible value given the ties; undefined when no rater varies. Sources: Spearman (1904), Am J Psychol 15:72-101;
Kendall and Gibbons (1990), Rank Correlation Methods, 5th ed., chapter 6.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio
from app.domain.agreement.tables import centered_ranks, margins, pair_cells


class PairSpearman:
    """Spearman's rho of two raters over the items both rated."""

    def __init__(self, matrix: RatingMatrix, first: int, second: int) -> None:
        self.contributions = pair_cells(matrix, first, second)

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `spearman`."""
        product, spread_a, spread_b = _rank_sums(sums)
        size = np.maximum(sums.sum(axis=1), 1.0) ** 3
        return {"spearman": ratio(product, np.sqrt(spread_a * spread_b), size)}


class KendallW:
    """Kendall's W over the complete items, corrected for ties."""

    def __init__(self, matrix: RatingMatrix) -> None:
        self._raters = len(matrix.raters)
        cells = [pair_cells(matrix, a, b, complete=True) for a, b in matrix.pairs]
        self.contributions = np.hstack(cells) if cells else np.zeros((len(matrix.values), 1))
        self._width = len(matrix.observed) ** 2

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `kendall_w`."""
        m = self._raters
        products, spreads = np.zeros(len(sums)), np.zeros(len(sums))
        for start in range(0, sums.shape[1] if m > 1 else 0, max(self._width, 1)):
            product, spread_a, spread_b = _rank_sums(sums[:, start : start + self._width])
            products += product
            spreads += (spread_a + spread_b) / (m - 1)
        size = np.maximum(sums.sum(axis=1), 1.0) ** 3
        return {"kendall_w": ratio(spreads + 2 * products, m * spreads, size)}


def _rank_sums(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Sum of products of centred ranks, and of squares for each rater (replicates,)."""
    tables, a, b = margins(sums)
    ranks_a, ranks_b = centered_ranks(a), centered_ranks(b)
    carried = np.matmul(ranks_a[:, None, :], tables)[:, 0, :]
    return (
        np.einsum("rk,rk->r", carried, ranks_b),
        np.einsum("rk,rk,rk->r", a, ranks_a, ranks_a),
        np.einsum("rk,rk,rk->r", b, ranks_b, ranks_b),
    )


def direct_spearman(a: Floats, b: Floats) -> float:
    """Spearman's rho of two vectors of finite numbers; NaN when one does not vary or there are fewer than two."""
    if len(a) < 2:
        return np.nan
    x, y = _centered(a), _centered(b)
    return float(ratio(x @ y, np.sqrt((x @ x) * (y @ y))))


def direct_kendall_w(values: Floats, *, ties: bool = True) -> float:
    """Kendall's W of complete ratings (items, raters); `ties` off divides by the tie-free maximum."""
    items, raters = values.shape
    centered = np.column_stack([_centered(column) for column in values.T])
    spread = (centered.sum(axis=1) ** 2).sum()
    largest = (centered**2).sum() if ties else raters * (items**3 - items) / 12
    return float(ratio(spread, raters * largest))


def _centered(values: Floats) -> Floats:
    """Mid-ranks of a vector less their mean."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = centered_ranks(counts.astype(np.float64)[None, :])[0][place]
    return ranks


def kendall_w_test(w: float, items: int, raters: int) -> tuple[float, float]:
    """Chi-square raters*(items-1)*W with items-1 degrees of freedom, and its p-value."""
    statistic = raters * (items - 1) * w
    return statistic, float(chdtrc(items - 1, statistic))
