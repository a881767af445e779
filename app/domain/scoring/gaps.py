"""The foresight-commitment gap: what the company saw coming less what it committed to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.scoring.measures import Measure, mean_of, sd_of, undefined
from app.domain.scoring.scored_eras import ScoredEra, require_one_scale, require_record

SIGN_TEST_WARNING = (
    "Eras are not independent, and a constant offset between the anchors of the two dimensions also gives a positive "
    "gap: read the sign test as a description, not as proof."
)


@dataclass(frozen=True, slots=True)
class GapSummary:
    """Gaps of many eras: counts, mean and SD in score points, and the sign test with its warning."""

    n: int
    positive: int
    share_positive: Measure
    mean: Measure
    sd: Measure
    sign_test_p: Measure
    warning: str = SIGN_TEST_WARNING


def gap_of(era: ScoredEra) -> int:
    """G_k = frontier_accuracy - layer_choice, in score points from -10 to 10; The Record's rubric only."""
    require_record([era], "the foresight-commitment gap")
    return era.subscores["frontier_accuracy"] - era.subscores["layer_choice"]


def sign_test_p(gaps: Sequence[int]) -> Measure:
    """One-sided exact sign test that gaps lean positive; 2^-n when all n are.

    Zero gaps count against the claim, as they are not positive: P(X >= positive) with X binomial(n, 1/2). Source:
    Conover, Practical Nonparametric Statistics (3rd ed., 1999), section 3.4; keeping zeros is the cautious choice.
    """
    n = len(gaps)
    if n == 0:
        return undefined("there is no gap to test")
    positive = sum(gap > 0 for gap in gaps)
    return Measure(_upper_tail(n, positive), n)


def summarize_gaps(eras: Sequence[ScoredEra]) -> GapSummary:
    """Summarize the gaps of eras of one of The Record's modes; raises MixedRubricsError otherwise."""
    require_record(eras, "the foresight-commitment gap")
    require_one_scale(eras)
    gaps = [gap_of(era) for era in eras]
    return GapSummary(
        n=len(gaps),
        positive=sum(gap > 0 for gap in gaps),
        share_positive=mean_of([float(gap > 0) for gap in gaps], "gap"),
        mean=mean_of(gaps, "gap"),
        sd=sd_of(gaps, "gap"),
        sign_test_p=sign_test_p(gaps),
    )


def _upper_tail(n: int, least: int) -> float:
    ways = 1
    total = 0
    for chosen in range(n + 1):
        if chosen >= least:
            total += ways
        ways = ways * (n - chosen) // (chosen + 1)
    return float(total / 2**n)
