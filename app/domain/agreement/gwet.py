"""Gwet's AC1 and AC2 on the declared scale.

(pa - pe)/(1 - pe): pa averages over items with two ratings or more the (weighted) share of agreeing pairs; pe is
sum(w)/(q(q-1)) * sum of p(1-p) over the q declared categories, p averaged over items with any rating. Undefined for
one category. Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., chapters 2-3 and 5.
"""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio

NAMES = {"ac1": "identity", "ac2_quadratic": "quadratic", "ac2_linear": "linear"}


def agreement_weights(categories: Floats, kind: str) -> Floats:
    """Weights (q, q) from 1 for equal to 0 for the ends of the scale: identity, linear or quadratic."""
    apart: Floats = np.abs(categories[:, None] - categories)
    if kind == "identity":
        return np.asarray(apart == 0, np.float64)
    span = float(apart.max(initial=0.0)) or 1.0
    lost: Floats = apart / span
    return np.ones_like(lost) - (lost if kind == "linear" else lost * lost)


def pair_agreement(matrix: RatingMatrix, weights: Floats) -> Floats:
    """Weighted share of agreeing pairs of each item (items,), 0 without a pair; `weights` (K, K) on observed values."""
    each = matrix.rated
    agreeing = ((matrix.counts @ weights) * matrix.counts).sum(axis=1) - each
    return np.where(each >= 2, agreeing / np.maximum(each * (each - 1), 1), 0.0)


class GwetAC:
    """AC1 and AC2 from the sums: rated, pairable, agreement under three weightings, and category shares (K)."""

    def __init__(self, matrix: RatingMatrix, categories: Floats) -> None:
        each = np.maximum(matrix.rated, 1)[:, None]
        usable = matrix.numeric and bool(np.isin(matrix.observed, categories).all())
        place = np.searchsorted(categories, matrix.observed) if usable else np.zeros(0, dtype=np.int64)
        self._names = list(NAMES if matrix.numeric else {"ac1": "identity"})
        self._factors, agreeing = [], []
        for name in self._names:
            weights = agreement_weights(categories, NAMES[name])
            q = len(categories)
            self._factors.append(weights.sum() / (q * (q - 1)) if q > 1 and (usable or not matrix.numeric) else np.nan)
            shown = weights[np.ix_(place, place)] if usable else np.eye(len(matrix.observed))
            agreeing.append(pair_agreement(matrix, shown))
        self.contributions = np.column_stack(
            [matrix.rated >= 1, matrix.rated >= 2, *agreeing, matrix.counts / each],
        ).astype(np.float64)

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `ac1`, and `ac2_quadratic` and `ac2_linear` for numbers."""
        kinds = len(self._names)
        shares = ratio(sums[:, 2 + kinds :], sums[:, :1])
        mixed = (shares * (1 - shares)).sum(axis=1)
        answer = {}
        for column, (name, factor) in enumerate(zip(self._names, self._factors, strict=True)):
            observed, expected = ratio(sums[:, 2 + column], sums[:, 1]), factor * mixed
            answer[name] = ratio(observed - expected, 1 - expected)
        return answer


def gwet_standard_error(matrix: RatingMatrix, categories: Floats, kind: str = "identity") -> float:
    """Standard error of AC1/AC2 over independent items without finite-population correction (Gwet 2014, chapter 5)."""
    weights = agreement_weights(categories, kind)
    place = np.searchsorted(categories, matrix.observed)
    counts = np.zeros((len(matrix.values), len(categories)))
    counts[:, place] = matrix.counts
    rated = matrix.rated >= 1
    n, pairable, q = int(rated.sum()), matrix.rated[rated] >= 2, len(categories)
    shares = counts[rated] / matrix.rated[rated][:, None]
    p = shares.mean(axis=0)
    factor = weights.sum() / (q * (q - 1))
    expected = factor * float(np.sum(p * (1 - p)))
    agreeing = pair_agreement(matrix, weights[np.ix_(place, place)])[rated]
    value = (agreeing[pairable].mean() - expected) / (1 - expected)
    by_item = n / pairable.sum() * (agreeing - expected * pairable) / (1 - expected)
    by_item = by_item - 2 * (1 - value) * (factor * shares @ (1 - p) - expected) / (1 - expected)
    return float(np.sqrt(np.sum((by_item - value) ** 2) / (n * (n - 1))))


def gwet_interval(matrix: RatingMatrix, categories: Floats, kind: str = "identity") -> tuple[float, float]:
    """95 % interval by t with items - 1 degrees of freedom around AC1/AC2, its upper end held at 1."""
    name = next(name for name, weighting in NAMES.items() if weighting == kind)
    measure = GwetAC(matrix, categories)
    value = float(measure.evaluate(measure.contributions.sum(axis=0)[None, :])[name][0])
    reach = float(stdtrit((matrix.rated >= 1).sum() - 1, 0.975)) * gwet_standard_error(matrix, categories, kind)
    return value - reach, min(1.0, value + reach)
