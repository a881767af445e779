"""Human against judge on one dimension, with the groups of items on which the judge departs from its own habit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from app.domain.agreement.estimate import Design, Estimate
from app.domain.agreement.judge_bias import MeanDifference, human_mean, score_bands
from app.domain.agreement.judges import JudgeAgreement, judge_agreement
from app.domain.agreement.matrix import RatingMatrix, matrix_of
from app.domain.agreement.measure import Floats
from app.domain.agreement.paired_differences import paired_difference
from app.domain.inference.false_discovery import reject_benjamini_yekutieli
from app.domain.reports.agreement_ratings import DimensionRatings, PanelRatings, ReportedItem

RATE = 0.05
OWN_TABLES = frozenset({"era", "score_band"})
"""Strata that are not groups of the bias: eras are for ranks, and bands of this dimension's own score are made anew."""


@dataclass(frozen=True)
class GroupBias:
    """The judge's bias on a group, and how much higher it is there than on all other items of the comparison."""

    grouping: str
    group: str
    bias: Estimate
    contrast: Estimate | None


@dataclass(frozen=True, eq=False)
class JudgeSection:
    """One judge on one dimension; ``items`` entered, ``intervened`` and ``unscored`` were left out."""

    found: JudgeAgreement
    groups: tuple[GroupBias, ...]
    items: int
    intervened: int
    unscored: int
    words: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found = self.found
        test = found.replacement
        return {
            "items": self.items,
            "left_out": {"intervention": self.intervened, "no_judge_score": self.unscored},
            "bias": found.bias.as_json(),
            "groups": [
                {
                    "grouping": one.grouping,
                    "group": one.group,
                    "bias": one.bias.as_json(),
                    "less_other_items": one.contrast.as_json() if one.contrast else None,
                }
                for one in self.groups
            ],
            "ceiling": {name: getattr(found.ceiling, name).as_json() for name in ("judge", "humans", "difference")},
            "spearman": {name: one.as_json() for name, one in found.rank_within.items()}
            | {"pooled": found.rank_pooled.as_json()},
            "alternative_annotator_test": {
                "epsilon": test.epsilon,
                "omega": test.omega,
                "rho": test.rho,
                "passes": test.passes,
                "p_values": test.p_values,
                "judge_wins": test.judge_wins,
                "words": test.words,
            },
            "slope_on_level": {name: one.as_json() for name, one in found.on_level.items()},
            "slope_on_length": {name: one.as_json() for name, one in (found.on_length or {}).items()},
            "alpha_humans": found.alpha_humans.as_json(),
            "alpha_with_judge": found.alpha_with_judge.as_json(),
            "words": list(self.words),
        }


def judge_section(panel: PanelRatings, ratings: DimensionRatings) -> JudgeSection | None:
    """Compare the judge with the humans; None where nothing can be compared."""
    scored = np.isfinite(ratings.judge)
    clean = np.array([not item.intervened for item in panel.items], dtype=bool)
    kept = np.flatnonzero(scored & clean)
    if not ratings.numeric or not len(kept):
        return None
    items = [panel.items[row] for row in kept]
    everybody = matrix_of(ratings.values[kept], panel.raters, [item.unit for item in items])
    matrix = everybody.only(everybody.active)
    if not np.isfinite(matrix.values).any():
        return None
    judge = ratings.judge[kept]
    low, high = ratings.scale
    edges = tuple(low + share * (high - low) for share in (0.4, 0.7))
    # Bands stand in the order of the score, whichever occurs first.
    bands = score_bands(np.array([low, *edges]), edges)
    groupings = {"judge score": score_bands(judge, edges), **_groupings(items)}
    found = judge_agreement(
        judge,
        matrix,
        epsilon=panel.plan.epsilon,
        groupings=groupings,
        eras=[item.strata["era"] for item in items] if all("era" in item.strata for item in items) else None,
        words=np.array([item.words for item in items], dtype=np.float64),
    )
    groups = _groups(found, groupings, judge, matrix, bands)
    return JudgeSection(
        found=found,
        groups=groups,
        items=len(kept),
        intervened=int((scored & ~clean).sum()),
        unscored=int((~scored).sum()),
        words=(*found.words, *_contrast_words(groups)),
    )


def _groupings(items: Sequence[ReportedItem]) -> dict[str, list[str]]:
    """Labels per item for every stratum with two values or more, and for texts longer or shorter than the median."""
    names = sorted({name for item in items for name in item.strata} - OWN_TABLES)
    labels = {name: [item.strata.get(name, "none") for item in items] for name in names}
    middle = float(np.median([item.words for item in items]))
    labels["text length"] = ["above the median" if item.words > middle else "up to the median" for item in items]
    parted: dict[tuple[int, ...], str] = {}
    for name, values in labels.items():
        places = {label: place for place, label in enumerate(dict.fromkeys(values))}
        if len(places) > 1:  # a family with one model and its model are one group, asked about once
            parted.setdefault(tuple(places[label] for label in values), name)
    return {name: labels[name] for name in parted.values()}


def _groups(
    found: JudgeAgreement,
    groupings: Mapping[str, Sequence[str]],
    judge: Floats,
    matrix: RatingMatrix,
    bands: Sequence[str],
) -> tuple[GroupBias, ...]:
    apart = judge - human_mean(matrix.values)
    design = Design(matrix.clusters, "run")
    groups = []
    for grouping, by in found.bias_by.items():
        for group, bias in sorted(by.items(), key=lambda one: (bands.index(one[0]) if one[0] in bands else 0, one[0])):
            contrast = None
            # A group picked by the judge's own score departs by chance alone: no contrast, no sentence.
            if grouping != "judge score":
                inside = np.asarray(groupings[grouping]) == group
                sides = MeanDifference(apart, inside), MeanDifference(apart, ~inside)
                contrast = paired_difference(*sides, ["bias"], design)["bias"]
            groups.append(GroupBias(grouping, group, bias, contrast))
    return tuple(groups)


def _contrast_words(groups: Sequence[GroupBias]) -> list[str]:
    """A sentence for each group that stands out among all that were looked at (Benjamini and Yekutieli, 5 %)."""
    named = {f"{one.grouping} {one.group}": one for one in groups}
    tested = {name: p for name, one in named.items() if (p := _p_above(one.contrast)) is not None}
    standing_out = reject_benjamini_yekutieli(tested, RATE)
    return [
        f"On items of {name} it scores {one.contrast.value:.2f} points higher, against the humans, "
        f"than on the others ({one.contrast.ci95[0]:.2f} to {one.contrast.ci95[1]:.2f})."
        for name, one in named.items()
        if name in standing_out and one.contrast and one.contrast.value is not None and one.contrast.ci95
    ]


def _p_above(contrast: Estimate | None) -> float | None:
    """Two-sided p of a contrast above 0, read back from its t interval; None for those below, the mirror of others."""
    if contrast is None or contrast.value is None or contrast.ci95 is None or contrast.value <= 0:
        return None
    freedom = int(contrast.method.rpartition("t(")[2].rstrip(")"))
    error = (contrast.ci95[1] - contrast.ci95[0]) / 2 / float(stdtrit(freedom, 0.975))
    return float(2 * stdtr(freedom, -contrast.value / error))
