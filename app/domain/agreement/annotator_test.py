"""The alternative annotator test: may the judge stand in for a human of the panel?

Each human in turn is set aside. On every item the judge wins if its root mean squared distance from the other humans
is no larger than the set-aside human's, and the human likewise (a tie is a win for both). On the means per run,
a one-sided t-test asks whether the human's advantage is below epsilon; Benjamini-Yekutieli over the humans. omega is
the share of humans for whom it is, rho the mean share of the judge's wins. Source: Calderon, Reichart and Dror (2025),
The Alternative Annotator Test for LLM-as-a-Judge, ACL 2025.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, Ints, ratio
from app.domain.inference.false_discovery import reject_benjamini_yekutieli

FEWEST_RUNS = 30
PASSES = 0.5


@dataclass(frozen=True)
class AnnotatorTest:
    """`passes` says whether omega reaches one half; None where the test is descriptive only (`words` say why)."""

    omega: float | None
    rho: float | None
    epsilon: float
    p_values: dict[str, float | None]
    judge_wins: dict[str, float | None]
    passes: bool | None
    words: list[str]


def annotator_test(judge: Floats, matrix: RatingMatrix, *, epsilon: float, rate: float = 0.05) -> AnnotatorTest:
    """Run the test for a judge (items,), with `epsilon` as fixed beforehand; runs are the clusters of `matrix`."""
    p_values, wins, runs = {}, {}, 0
    for number, rater in enumerate(matrix.raters):
        judge_won, human_won = _wins(judge, matrix.values, number)
        used = np.isfinite(judge_won)
        wins[rater] = float(judge_won[used].mean()) if used.any() else None
        advantage = _cluster_means((human_won - judge_won)[used], matrix.clusters[used])
        p_values[rater] = _one_sided(advantage, epsilon)
        runs = max(runs, len(advantage))
    tested = {rater: p for rater, p in p_values.items() if p is not None}
    rejected = reject_benjamini_yekutieli(tested, rate)
    known = [share for share in wins.values() if share is not None]
    omega = len(rejected) / len(tested) if tested else None
    conclusive = omega is not None and len(matrix.raters) >= 3
    return AnnotatorTest(
        omega=omega,
        rho=float(np.mean(known)) if known else None,
        epsilon=epsilon,
        p_values=p_values,
        judge_wins=wins,
        passes=omega >= PASSES if omega is not None and conclusive else None,
        words=_words(len(matrix.raters), runs, conclusive=conclusive, tested=bool(tested)),
    )


def _wins(judge: Floats, values: Floats, rater: int) -> tuple[Floats, Floats]:
    """Who is at least as close to the others, judge and human (items,): 1, 0, or NaN where somebody is missing."""
    own, others = values[:, rater], np.delete(values, rater, axis=1)
    count = np.isfinite(others).sum(axis=1)
    far_judge = ratio(np.nansum((judge[:, None] - others) ** 2, axis=1), count)
    far_own = ratio(np.nansum((own[:, None] - others) ** 2, axis=1), count)
    usable = np.isfinite(judge) & np.isfinite(own) & (count > 0)
    # Mean squares of whole numbers may differ in their last bit when they are equal.
    slack = 1e-12 * (1 + far_own)
    return (
        np.where(usable, far_judge <= far_own + slack, np.nan),
        np.where(usable, far_own <= far_judge + slack, np.nan),
    )


def _cluster_means(values: Floats, clusters: Ints) -> Floats:
    codes = np.unique(clusters, return_inverse=True)[1]
    return ratio(np.bincount(codes, weights=values), np.bincount(codes))


def _one_sided(advantage: Floats, epsilon: float) -> float | None:
    """p-value for a mean advantage below epsilon; None with fewer than two runs."""
    runs = len(advantage)
    if runs < 2:
        return None
    error = float(advantage.std(ddof=1)) / np.sqrt(runs)
    distance = float(advantage.mean()) - epsilon
    if error <= 1e-12:
        return 0.0 if distance < 0 else 1.0
    return float(stdtr(runs - 1, distance / error))


def _words(raters: int, runs: int, *, conclusive: bool, tested: bool) -> list[str]:
    words = []
    if not tested:
        return ["There are not two runs with judge and humans on the same items: nothing can be tested."]
    if not conclusive:
        words.append("With two humans each is measured against one other only: omega and rho decide nothing.")
    if runs < FEWEST_RUNS:
        words.append(
            f"The test asks for at least {FEWEST_RUNS} independent units and has {runs} here: it will often miss a "
            "judge that is as good as a human, and not passing is no sign that it is worse."
        )
    return words
