"""How far a judge's scores lie above or below the humans' mean, overall and by group."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from app.domain.agreement.estimate import Design, Estimate, estimate, undefined
from app.domain.agreement.measure import Floats, ratio
from app.domain.inference.intervals import Transform


class MeanDifference:
    """Mean of differences (items,), NaN where one side is missing, over the items flagged in `where`."""

    def __init__(self, differences: Floats, where: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None) -> None:
        used = np.isfinite(differences) if where is None else np.isfinite(differences) & where
        self.contributions = np.column_stack([used, np.where(used, differences, 0.0)]).astype(np.float64)

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give `bias`."""
        return {"bias": ratio(sums[:, 1], sums[:, 0])}


def human_mean(humans: Floats) -> Floats:
    """Mean of the humans' ratings (items,), NaN where there is none."""
    return ratio(np.nansum(humans, axis=1), np.isfinite(humans).sum(axis=1))


def judge_bias(judge: Floats, humans: Floats, design: Design) -> Estimate:
    """Signed bias in points, judge (items,) less the mean of the humans (items, raters)."""
    return _bias(MeanDifference(judge - human_mean(humans)), design)


def judge_bias_by(judge: Floats, humans: Floats, groups: Sequence[object], design: Design) -> dict[str, Estimate]:
    """The bias within each group of items, such as mode, era, model family or band of the judge's score."""
    labels = np.asarray([str(group) for group in groups])
    differences = judge - human_mean(humans)
    return {str(label): _bias(MeanDifference(differences, labels == label), design) for label in dict.fromkeys(labels)}


def score_bands(judge: Floats, edges: Sequence[float] = (4.0, 7.0)) -> list[str]:
    """Name the band of each judge score: below the first edge, between, from the last edge on."""
    names = [f"below {edges[0]:g}"]
    names += [f"{low:g} to below {high:g}" for low, high in pairwise(edges)]
    names.append(f"{edges[-1]:g} and above")
    return [names[int(place)] for place in np.searchsorted(np.asarray(edges), judge, side="right")]


def _bias(measure: MeanDifference, design: Design) -> Estimate:
    if not measure.contributions.any():
        return undefined("no item has both a judge's score and a human rating")
    return estimate(measure, design, {"bias": Transform.RAW})["bias"]
