"""Whether a judge agrees with the panel as well as its own members do.

Each human is compared with the mean of the other humans, and the judge with the very same means: a judge measured
against all humans would face a steadier target than a human measured against the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.domain.agreement.drift import others_mean
from app.domain.agreement.estimate import Design, Estimate, estimate, undefined
from app.domain.agreement.icc import Anova
from app.domain.agreement.matrix import RatingMatrix, matrix_of
from app.domain.agreement.measure import Floats
from app.domain.inference.intervals import Transform


@dataclass(frozen=True)
class Ceiling:
    """Mean ICC(A,1) with the leave-one-out means: of the judge, of the humans, and judge less humans."""

    judge: Estimate
    humans: Estimate
    difference: Estimate


class _AgainstOthers:
    """ICC(A,1) of every human and of the judge with each leave-one-out mean, averaged over the humans left out."""

    def __init__(self, judge: Floats, matrix: RatingMatrix) -> None:
        parts = []
        for rater in range(len(matrix.raters)):
            target, own = others_mean(matrix.values, rater), matrix.values[:, rater]
            # Both compare on the items of this human alone, else the judge would be measured on other items.
            target = np.where(np.isfinite(own) & np.isfinite(judge), target, np.nan)
            parts += [Anova(matrix_of(np.column_stack([side, target]))) for side in (own, judge)]
        self._parts = parts
        self.contributions = np.hstack([part.contributions for part in parts])

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        blocks = np.split(sums, len(self._parts), axis=1)
        values = [part.evaluate(block)["icc_a1"] for part, block in zip(self._parts, blocks, strict=True)]
        humans, judge = np.mean(values[0::2], axis=0), np.mean(values[1::2], axis=0)
        return {"judge": judge, "humans": humans, "difference": judge - humans}


def judge_ceiling(judge: Floats, matrix: RatingMatrix, design: Design) -> Ceiling:
    """Compare a judge (items,) with the humans of `matrix`; undefined with fewer than two humans."""
    if len(matrix.raters) < 2:
        nothing = undefined("one human only: there are no others to be measured against")
        return Ceiling(nothing, nothing, nothing)
    transforms = {"judge": Transform.FISHER_Z, "humans": Transform.FISHER_Z, "difference": Transform.RAW}
    found = estimate(
        _AgainstOthers(judge, matrix), design, transforms, lambda _: "a rater or the others' mean does not vary"
    )
    return Ceiling(**found)
