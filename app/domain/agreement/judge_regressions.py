"""Whether a judge's difference from the humans grows with the level of the score or the length of the text."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.estimate import Design, Estimate, estimate
from app.domain.agreement.judge_bias import human_mean
from app.domain.agreement.measure import Floats, ratio
from app.domain.inference.intervals import Transform

WORDS = 100


class Slope:
    """Least-squares slope and intercept of y on x (items,), NaN pairs left out."""

    def __init__(self, x: Floats, y: Floats) -> None:
        used = np.isfinite(x) & np.isfinite(y)
        x, y = np.where(used, x, 0.0), np.where(used, y, 0.0)
        self.contributions = np.column_stack([used, x, y, x * x, x * y]).astype(np.float64)

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `slope` (points per unit of x) and `at_zero`."""
        n, x, y, squares, product = sums.T
        slope = ratio(n * product - x * y, n * squares - x * x, n * squares)
        return {"slope": slope, "at_zero": ratio(y - slope * x, n)}


def slope_on_level(judge: Floats, humans: Floats, design: Design) -> dict[str, Estimate]:
    """Difference (judge less human mean) on the mean of the two.

    The mean of both stands for the level, since a regression on either side alone slopes downward by noise (Bland and
    Altman 1995, Lancet 346:1085-1087).
    """
    mean = human_mean(humans)
    return _slope((judge + mean) / 2, judge - mean, design)


def slope_on_length(judge: Floats, humans: Floats, words: Floats, design: Design) -> dict[str, Estimate]:
    """Difference on the length of the judged text, in points per 100 words; `words` is (items,)."""
    return _slope(words / WORDS, judge - human_mean(humans), design)


def _slope(x: Floats, y: Floats, design: Design) -> dict[str, Estimate]:
    transforms = {"slope": Transform.RAW, "at_zero": Transform.RAW}
    return estimate(Slope(x, y), design, transforms, lambda _: "the level or length does not vary, or data are missing")
