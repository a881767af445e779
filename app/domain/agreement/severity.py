"""How much stricter or milder each rater is than the panel, in points."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio
from app.domain.agreement.reml import Reml


class Severity:
    """Rater effects of the mixed model with items random and raters fixed; they add up to 0 over raters.

    On complete data they are the raters' means less the grand mean; with missing cells generalized least squares
    compares raters on the items they share. Raters without a rating are left out by the caller.
    """

    def __init__(self, matrix: RatingMatrix) -> None:
        self._raters = matrix.raters
        self._complete = len(matrix.complete) == len(matrix.values)
        self._model = Reml(matrix)
        self.contributions = (
            np.column_stack([np.ones(len(matrix.values)), matrix.shifted])
            if self._complete
            else self._model.contributions
        )

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give one effect per rater name."""
        if self._complete:
            means = ratio(sums[:, 1:], sums[:, :1])
            effects = means - means.mean(axis=1, keepdims=True)
        else:
            effects = self._model.severities(sums)
        return dict(zip(self._raters, effects.T, strict=True))
