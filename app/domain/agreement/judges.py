"""Human against judge: everything the report says about one judge on one dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.agreement.alpha import IntervalAlpha
from app.domain.agreement.annotator_test import AnnotatorTest, annotator_test
from app.domain.agreement.estimate import Design, Estimate, estimate
from app.domain.agreement.judge_bias import judge_bias, judge_bias_by, score_bands
from app.domain.agreement.judge_ceiling import Ceiling, judge_ceiling
from app.domain.agreement.judge_ranks import pooled_rank_correlation, rank_correlation_within
from app.domain.agreement.judge_regressions import slope_on_length, slope_on_level
from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats
from app.domain.inference.intervals import Transform


@dataclass(frozen=True)
class JudgeAgreement:
    """Statistics of one judge; `bias_by` is keyed by the name of a grouping and then by group.

    `alpha_humans` never counts the judge; `alpha_with_judge` stands apart for comparison. `words` is the judge's
    verdict in a sentence.
    """

    bias: Estimate
    bias_by: dict[str, dict[str, Estimate]]
    ceiling: Ceiling
    rank_within: dict[str, Estimate]
    rank_pooled: Estimate
    replacement: AnnotatorTest
    on_level: dict[str, Estimate]
    on_length: dict[str, Estimate] | None
    alpha_humans: Estimate
    alpha_with_judge: Estimate
    words: list[str]


def judge_agreement(
    judge: Floats,
    matrix: RatingMatrix,
    *,
    epsilon: float,
    groupings: Mapping[str, Sequence[object]] | None = None,
    eras: Sequence[object] | None = None,
    words: Floats | None = None,
    unit: str = "run",
) -> JudgeAgreement:
    """Compare a judge (items,) with the humans of `matrix`, whose clusters are the runs.

    `groupings` are labels per item by name (mode, family); bands of the judge's score are added. `words` is the length
    of each text; `epsilon` the margin of the alternative annotator test, fixed beforehand.
    """
    design = Design(matrix.clusters, unit if matrix.clustered else "item")
    groups = {"judge score": score_bands(judge), **(groupings or {})}
    humans = matrix.values
    within = {
        unit: rank_correlation_within(judge, humans, [str(code) for code in matrix.clusters], matrix.clusters, unit)
    }
    if eras is not None:
        within["era"] = rank_correlation_within(judge, humans, eras, matrix.clusters, unit)
    bias, ceiling = judge_bias(judge, humans, design), judge_ceiling(judge, matrix, design)
    length = slope_on_length(judge, humans, words, design) if words is not None else None
    return JudgeAgreement(
        bias=bias,
        bias_by={name: judge_bias_by(judge, humans, labels, design) for name, labels in groups.items()},
        ceiling=ceiling,
        rank_within=within,
        rank_pooled=pooled_rank_correlation(judge, humans),
        replacement=annotator_test(judge, matrix, epsilon=epsilon),
        on_level=slope_on_level(judge, humans, design),
        on_length=length,
        alpha_humans=_alpha(matrix, design),
        alpha_with_judge=_alpha(_with_judge(judge, matrix), design),
        words=_verdict(bias, ceiling, length),
    )


def _with_judge(judge: Floats, matrix: RatingMatrix) -> RatingMatrix:
    values = np.column_stack([matrix.values, judge])
    return RatingMatrix(values, (*matrix.raters, "judge"), matrix.clusters, matrix.clustered)


def _alpha(matrix: RatingMatrix, design: Design) -> Estimate:
    transforms = {"alpha_interval": Transform.FISHER_Z}
    reason = "no variation, or no item with two ratings"
    return estimate(IntervalAlpha(matrix), design, transforms, lambda _: reason)["alpha_interval"]


def _verdict(bias: Estimate, ceiling: Ceiling, length: dict[str, Estimate] | None) -> list[str]:
    words = []
    if bias.ci95 and bias.value is not None and not bias.ci95[0] <= 0 <= bias.ci95[1]:
        side = "above" if bias.value > 0 else "below"
        words.append(f"The judge scores {abs(bias.value):.2f} points {side} the humans' mean.")
    slope = length["slope"] if length else None
    if slope and slope.ci95 and slope.value is not None and not slope.ci95[0] <= 0 <= slope.ci95[1]:
        words.append(f"Its difference from the humans changes by {slope.value:+.2f} points per 100 words of text.")
    gap = ceiling.difference.ci95
    if gap and gap[1] < 0:
        words.append("It agrees with the panel less than the panel's members do.")
    elif gap and gap[0] > 0:
        words.append("It agrees with the panel more than the panel's members do.")
    elif gap:
        words.append("Its agreement with the panel cannot be told from that of the panel's members.")
    return words
