"""Ratings as a matrix of items by raters, with what the statistics share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from app.domain.agreement.measure import Floats, Ints

WIDEST_DETECTED_SCALE = 100


@dataclass(frozen=True, eq=False)
class RatingMatrix:
    """One dimension's first ratings: `values` is (items, raters), NaN where a rating is missing.

    `clusters` gives each item the code of its run; `clustered` says whether those came with the data or every item
    stands for itself. `numeric` is False for names coded as numbers: only nominal statistics then mean anything.
    """

    values: Floats
    raters: tuple[str, ...]
    clusters: Ints
    clustered: bool = False
    numeric: bool = True

    @cached_property
    def rated(self) -> Ints:
        """Number of ratings of each item (items,)."""
        counted: Ints = np.isfinite(self.values).sum(axis=1)
        return counted

    @cached_property
    def pairable(self) -> Ints:
        """Positions of the items with two ratings or more."""
        return np.flatnonzero(self.rated >= 2)

    @cached_property
    def complete(self) -> Ints:
        """Positions of the items that every rater rated."""
        return np.flatnonzero(self.rated == len(self.raters))

    @cached_property
    def observed(self) -> Floats:
        """The distinct values that occur, ascending (K,)."""
        return np.unique(self.values[np.isfinite(self.values)])

    @cached_property
    def codes(self) -> Ints:
        """Position of each rating in `observed` (items, raters), -1 where missing."""
        found = np.searchsorted(self.observed, np.where(np.isfinite(self.values), self.values, 0.0))
        return np.where(np.isfinite(self.values), found, -1)

    @cached_property
    def counts(self) -> Floats:
        """How often each observed value was given to each item (items, K)."""
        categories, items = len(self.observed), len(self.values)
        present = self.codes >= 0
        cells = (np.arange(items)[:, None] * categories + self.codes)[present]
        return np.bincount(cells, minlength=items * categories).reshape(items, categories).astype(np.float64)

    @cached_property
    def shifted(self) -> Floats:
        """Values less a whole number near their mean: whole-number scales stay exact, others lose no digits."""
        finite = self.values[np.isfinite(self.values)]
        return self.values - (np.round(finite.mean()) if finite.size else 0.0)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every pair of rater positions."""
        return [(a, b) for a in range(len(self.raters)) for b in range(a + 1, len(self.raters))]

    @property
    def active(self) -> list[int]:
        """Positions of the raters who rated anything; of all raters when nobody did."""
        present = np.isfinite(self.values).any(axis=0)
        return [int(rater) for rater in np.flatnonzero(present if present.any() else ~present)]

    def only(self, columns: Sequence[int]) -> RatingMatrix:
        """The same items, fewer raters."""
        return replace(self, values=self.values[:, list(columns)], raters=tuple(self.raters[c] for c in columns))

    def with_values(self, values: Floats) -> RatingMatrix:
        """The same items and raters with other values, such as a collapsed scale."""
        return replace(self, values=values)


def matrix_of(
    values: Floats, raters: tuple[str, ...] = (), clusters: object = None, *, numeric: bool = True
) -> RatingMatrix:
    """Build a matrix from an array (items, raters); `clusters` is one label per item, or None for independent items.

    Raises ValueError when the shapes do not fit or a value is infinite.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"ratings must be a table of items by raters, not an array with {table.ndim} dimensions")
    if np.isinf(table).any():
        raise ValueError("ratings must be finite numbers; write a missing rating as NaN")
    names = raters or tuple(f"rater {number + 1}" for number in range(table.shape[1]))
    if len(names) != table.shape[1]:
        raise ValueError(f"{len(names)} rater names for {table.shape[1]} columns: give one name per column")
    if clusters is None:
        return RatingMatrix(table, names, np.arange(len(table)), numeric=numeric)
    labels = [str(label) for label in np.asarray(clusters).ravel()]
    if len(labels) != len(table):
        raise ValueError(f"{len(labels)} cluster labels for {len(table)} items: give one label per item")
    codes = np.unique(labels, return_inverse=True)[1] if labels else np.arange(0)
    return RatingMatrix(table, names, codes.astype(np.int64), clustered=True, numeric=numeric)


def categories_of(matrix: RatingMatrix, scale: tuple[float, float] | None, *, nominal: bool = False) -> Floats:
    """The scale's categories (q,): declared whole steps, else the whole numbers between the observed ends.

    Names, nominal codes, broken values and spans over 100 fall back on the values observed. Raises ValueError for a
    declared scale that runs backwards.
    """
    if scale is not None:
        low, high = scale
        if not low < high:
            raise ValueError(f"the scale runs from {low:g} to {high:g}: give the lower end first")
        return np.arange(low, high + 1, dtype=np.float64)
    seen = matrix.observed
    whole = bool(seen.size and np.all(seen == np.round(seen)) and np.ptp(seen) <= WIDEST_DETECTED_SCALE)
    if nominal or not matrix.numeric or not whole:
        return seen
    return np.arange(seen[0], seen[-1] + 1)
