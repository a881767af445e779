"""Two raters' ratings as a table of pairs of values, the sums that kappa, Spearman and Kendall share."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats

LARGEST = 2**23


def fits_tables(matrix: RatingMatrix, tables: int = 1) -> bool:
    """Whether `tables` of items * values squared stay within 64 MB; beyond it rank statistics have no interval."""
    return tables * len(matrix.values) * max(1, len(matrix.observed)) ** 2 <= LARGEST


def pair_cells(matrix: RatingMatrix, first: int, second: int, *, complete: bool = False) -> Floats:
    """One row of indicators per item (items, K*K) for the values that two raters gave; zeros where one is missing.

    With `complete` only items that every rater rated count.
    """
    kinds, items = len(matrix.observed), len(matrix.values)
    a, b = matrix.codes[:, first], matrix.codes[:, second]
    used = (a >= 0) & (b >= 0)
    if complete:
        used &= matrix.rated == len(matrix.raters)
    cells = np.zeros((items, kinds * kinds))
    cells[np.flatnonzero(used), (a * kinds + b)[used]] = 1.0
    return cells


def margins(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """The tables (replicates, K, K) of flat `sums`, and how often each rater gave each value (replicates, K)."""
    kinds = round(np.sqrt(sums.shape[1]))
    tables = sums.reshape(len(sums), kinds, kinds)
    return tables, tables.sum(axis=2), tables.sum(axis=1)


def centered_ranks(counts: Floats) -> Floats:
    """Mid-ranks of each value less their mean (replicates, K), for counts of the values in ascending order."""
    ranks: Floats = np.cumsum(counts, axis=1) - counts / 2 - counts.sum(axis=1, keepdims=True) / 2
    return ranks
