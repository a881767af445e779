"""Relatives of AC1 that differ only in what they call chance: Fleiss (Scott for two), Conger, Brennan-Prediger.

Not part of the report; for comparison with published values. Missing ratings: pairs from items with two, shares from
items with one. Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., chapters 2 and 5.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from app.domain.agreement.gwet import agreement_weights, pair_agreement
from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio


class Chance(StrEnum):
    """Whose distribution of categories the expected agreement is computed from."""

    FLEISS = "fleiss"
    CONGER = "conger"
    BRENNAN_PREDIGER = "brennan_prediger"


def observed_agreement(matrix: RatingMatrix, categories: Floats, kind: str = "identity") -> float:
    """Mean over pairable items of the weighted share of agreeing pairs; NaN when no item has a pair."""
    place = np.searchsorted(categories, matrix.observed)
    each = pair_agreement(matrix, agreement_weights(categories, kind)[np.ix_(place, place)])
    return float(ratio(each.sum(), len(matrix.pairable)))


def chance_corrected(matrix: RatingMatrix, categories: Floats, chance: Chance, kind: str = "identity") -> float:
    """(pa - pe)/(1 - pe) with the chosen expected agreement; NaN where chance agreement is complete."""
    weights = agreement_weights(categories, kind)
    if chance is Chance.BRENNAN_PREDIGER:
        expected = float(weights.mean())
    elif chance is Chance.FLEISS:
        expected = _pooled(matrix, categories, weights)
    else:
        expected = _by_rater(matrix, categories, weights)
    observed = observed_agreement(matrix, categories, kind)
    return float(ratio(observed - expected, 1 - expected))


def _pooled(matrix: RatingMatrix, categories: Floats, weights: Floats) -> float:
    rated = matrix.rated >= 1
    shares = np.zeros(len(categories))
    mean = (matrix.counts[rated] / matrix.rated[rated][:, None]).mean(axis=0)
    shares[np.searchsorted(categories, matrix.observed)] = mean
    return float(shares @ weights @ shares)


def _by_rater(matrix: RatingMatrix, categories: Floats, weights: Floats) -> float:
    present = np.isfinite(matrix.values)
    shares = np.stack([(matrix.values == category).sum(axis=0) for category in categories], axis=1)
    shares = shares / present.sum(axis=0)[:, None]
    raters, mean = len(shares), shares.mean(axis=0)
    covariance = (shares.T @ shares - raters * np.outer(mean, mean)) / (raters - 1)
    return float(np.sum(weights * (np.outer(mean, mean) - covariance / raters)))
