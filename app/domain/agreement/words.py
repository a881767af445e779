"""What a reader must be told before the numbers mislead her."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.agreement.dimension import uses_reml
from app.domain.agreement.estimate import Estimate
from app.domain.agreement.matrix import WIDEST_DETECTED_SCALE, RatingMatrix
from app.domain.agreement.measure import Floats
from app.domain.inference.jackknife import FEWEST_CLUSTERS

CEILING_WITHIN_1 = 0.85
LOW_ALPHA = 0.4
STRATIFIED = (
    "Items were sampled with unequal probabilities, which widens their spread and with it alpha and ICC: the sample's "
    "values stand beside those weighted to all decisions."
)
BANDS = ((0.8, "reliable"), (0.667, "good enough for tentative conclusions"), (-np.inf, "not reliable"))


def notes_on(
    matrix: RatingMatrix, categories: Floats, statistics: dict[str, Estimate], unit: str, *, declared: bool
) -> list[str]:
    """Sentences on these ratings, the gravest first."""
    if not len(matrix.pairable):
        return ["No item has two ratings: nothing can be compared."]
    return [
        *_variation(matrix, statistics),
        *_design(matrix, unit),
        *_constant_raters(matrix),
        *_gaps(matrix),
        *_scale(matrix, categories, declared=declared),
    ]


def idle_notes(matrix: RatingMatrix, came: Sequence[int]) -> list[str]:
    """Name the raters who rated nothing and are left out."""
    idle = [name for place, name in enumerate(matrix.raters) if place not in came]
    return [f"No rating from {', '.join(idle)}: left out of every statistic."] if idle else []


def band(found: Estimate) -> str | None:
    """A word for the lower limit of an interval, after Krippendorff (2004), chapter 11; None without an interval."""
    if found.ci95 is None:
        return None
    lower = found.ci95[0]
    return next(word for least, word in BANDS if lower >= least)


def _variation(matrix: RatingMatrix, statistics: dict[str, Estimate]) -> list[str]:
    values = matrix.values[matrix.pairable]
    finite = values[np.isfinite(values)]
    counts = np.unique(finite, return_counts=True)[1]
    alpha, within = statistics["alpha_interval"].value, statistics["within_1"].value
    notes = []
    if len(counts) == 1:
        notes.append(
            "No variation: every rating is the same. Coefficients that correct for chance are undefined; that is not "
            "the same as no agreement."
        )
    elif counts.max() >= len(finite) - 1:
        notes.append(
            f"One rating among {len(finite)} differs, all others are equal: alpha is then 0 although nearly all agree. "
            "The range is too restricted for a coefficient."
        )
    elif alpha is not None and within is not None and alpha < LOW_ALPHA and within >= CEILING_WITHIN_1:
        ac2, sd = statistics["ac2_quadratic"].value, float(np.std(finite, ddof=1))
        shown = f"{ac2:.2f}" if ac2 is not None else "undefined"
        notes.append(
            f"Little spread: {100 * within:.0f} % of items lie within one point, alpha is {alpha:.2f}, AC2 {shown}, "
            f"the standard deviation of all ratings {sd:.2f}. Read the four together; none alone tells the story."
        )
    if alpha is not None and alpha < 0:
        notes.append("Alpha is below 0: raters differ on the same item more than on items drawn at random.")
    return notes


def _design(matrix: RatingMatrix, unit: str) -> list[str]:
    notes = []
    groups = len(np.unique(matrix.clusters[matrix.pairable]))
    if groups < FEWEST_CLUSTERS:
        between = "between-run " if matrix.clustered else ""
        notes.append(f"Fewer than six {unit}s (G = {groups}): no {between}interval can be given.")
    if not matrix.clustered:
        notes.append(
            "Items are taken as independent. If several come from one run, name the cluster column: intervals are "
            "too narrow otherwise."
        )
    if len(matrix.raters) == 2:
        notes.append(
            "Two raters: one disagreement cannot be laid at either's door, and the panel says little of others."
        )
    return notes


def _constant_raters(matrix: RatingMatrix) -> list[str]:
    """Raters who gave one value to every item, where not all of them gave the same: that is said already."""
    constant: dict[float, list[str]] = {}
    for name, values in zip(matrix.raters, matrix.values.T, strict=True):
        given = values[np.isfinite(values)]
        if len(given) > 2 and len(np.unique(given)) == 1:
            constant.setdefault(float(given[0]), []).append(name)
    if len(np.unique(matrix.values[np.isfinite(matrix.values)])) == 1:
        return []
    return [
        f"{' and '.join(names)} gave {value:g} to every item: kappa and rank correlations say nothing here."
        for value, names in constant.items()
    ]


def _gaps(matrix: RatingMatrix) -> list[str]:
    notes = []
    present = np.isfinite(matrix.values)
    rated = int((matrix.rated >= 1).sum())
    for name, column in zip(matrix.raters, present.T, strict=True):
        given = int(column.sum())
        if given <= rated / 2:
            notes.append(f"{name} rated {given} of {rated} items.")
    if matrix.numeric and len(matrix.complete) < rated and not uses_reml(matrix):
        notes.append(
            f"Intraclass correlations and Kendall's W use the {len(matrix.complete)} complete items of {rated}."
        )
    if matrix.numeric and uses_reml(matrix):
        notes.append(
            f"Only {len(matrix.complete)} of {rated} rated items are complete: intraclass correlations are by REML, "
            "which keeps variances from going below zero."
        )
    return notes


def _scale(matrix: RatingMatrix, categories: Floats, *, declared: bool) -> list[str]:
    if not matrix.numeric or len(categories) > WIDEST_DETECTED_SCALE:
        return []
    if not declared:
        return [
            f"The scale was not declared; AC1 and AC2 take it as observed, {categories[0]:g} to {categories[-1]:g}.",
        ]
    unused = [f"{category:g}" for category in categories if category not in matrix.observed]
    if not unused:
        return []
    them = "them" if len(unused) > 1 else "it"
    return [f"Never used on the declared scale: {', '.join(unused)}. AC1 and AC2 count {them} as possible."]
