"""What each rater's own history shows: drift along the queue, and agreement with herself on repeats."""

from __future__ import annotations

import numpy as np

from app.domain.agreement.dimension import Setting
from app.domain.agreement.drift import Drift
from app.domain.agreement.estimate import Design, Estimate, estimate
from app.domain.agreement.intra_rater import IntraRater, stack_raters
from app.domain.agreement.measure import Floats
from app.domain.inference.intervals import Transform

INTRA_TRANSFORMS = {"within_sd": Transform.LOG, "repeatability": Transform.LOG, "shift": Transform.RAW}
ALL_RATERS = "all raters"


def drifts(setting: Setting, positions: Floats) -> dict[str, Estimate]:
    """Slope of each rater's difference from the others on the position, in points per ten positions."""
    matrix = setting.matrix
    design = Design(matrix.clusters, setting.design.unit)
    return estimate(
        Drift(matrix, positions),
        design,
        dict.fromkeys(matrix.raters, Transform.RAW),
        lambda _: "too few positions with another rating to compare",
    )


def repeatability(setting: Setting, second: Floats) -> dict[str, dict[str, Estimate]]:
    """Within-rater SD, repeatability and shift on the repeats, by rater and for all raters together."""
    matrix, unit = setting.matrix, setting.design.unit
    found = {
        name: _of(matrix.values[:, column], second[:, column], Design(matrix.clusters, unit))
        for column, name in enumerate(matrix.raters)
        if np.isfinite(matrix.values[:, column] + second[:, column]).any()
    }
    if found:
        first, again, clusters = stack_raters(matrix.values, second, matrix.clusters)
        found[ALL_RATERS] = _of(first, again, Design(clusters, unit))
    return found


def _of(first: Floats, second: Floats, design: Design) -> dict[str, Estimate]:
    return estimate(IntraRater(first, second), design, INTRA_TRANSFORMS)
