"""Whether the agreement hangs on how fine the scale is."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.alpha import IntervalAlpha, OrdinalAlpha
from app.domain.agreement.gwet import GwetAC
from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import point

GROUPINGS = (2, 3, 5)


def collapsed(matrix: RatingMatrix, scale: tuple[float, float], groups: int) -> RatingMatrix:
    """Cut the declared scale into `groups` bands as even as whole steps allow, and number them from 0."""
    low, high = scale
    steps = high - low + 1
    bands = np.floor((matrix.values - low) * groups / steps)
    return matrix.with_values(np.clip(bands, 0, groups - 1))


def collapsing_sensitivity(matrix: RatingMatrix, scale: tuple[float, float]) -> dict[int, dict[str, float | None]]:
    """Alpha (interval, ordinal) and quadratic AC2 by number of bands; None without variation."""
    answer = {}
    for groups in GROUPINGS:
        if groups > scale[1] - scale[0]:
            continue
        coarse = collapsed(matrix, scale, groups)
        values = point(IntervalAlpha(coarse)) | point(OrdinalAlpha(coarse))
        values["ac2_quadratic"] = point(GwetAC(coarse, np.arange(groups, dtype=np.float64)))["ac2_quadratic"]
        answer[groups] = {name: value if np.isfinite(value) else None for name, value in values.items()}
    return answer
