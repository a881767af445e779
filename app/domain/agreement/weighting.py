"""Statements about all decisions from a stratified sample, by weighting with inclusion probabilities."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.measure import Floats, Measure, ratio


class Weighted:
    """A measure in which each item stands for `weights` (items,) decisions: inverse inclusion probabilities.

    Weights are scaled to add up to the number of items used, so that n stays the size of the sample. Source: Horvitz
    and Thompson (1952), JASA 47:663-685.
    """

    def __init__(self, measure: Measure, weights: Floats) -> None:
        self._measure = measure
        rows = measure.contributions
        used = rows.any(axis=1)
        entering = np.where(used, weights, 0.0)
        scaled: Floats = entering * np.nan_to_num(ratio(used.sum(), entering.sum()))
        self.contributions = rows * scaled[:, None]

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give what the measure itself gives."""
        return self._measure.evaluate(sums)
