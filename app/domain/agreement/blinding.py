"""Whether raters could tell what was hidden from them: Bang's index per arm.

Index = (C r - 1)/(C - 1) * share not "don't know", with r the share of right guesses among those who guessed one of C
arms. It is the mean of 1 for a right guess, -1/(C-1) for a wrong one and 0 for "don't know": 0 for blind guessing, 1
for complete unblinding, below 0 for guesses at the other arms. Source: Bang, Ni and Davis (2004), Controlled Clinical
Trials 25:143-156.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.agreement.estimate import Design, Estimate, estimate
from app.domain.agreement.judge_bias import MeanDifference
from app.domain.agreement.measure import Floats, Ints
from app.domain.inference.intervals import Transform


def guess_scores(truth: Sequence[str], guesses: Sequence[str | None], arms: int) -> Floats:
    """Score each guess (guesses,); None is "don't know". Raises ValueError for fewer than two arms."""
    if arms < 2:
        raise ValueError(f"blinding needs two arms or more to tell apart, not {arms}")
    wrong = -1 / (arms - 1)
    return np.array(
        [0.0 if guess is None else 1.0 if guess == true else wrong for true, guess in zip(truth, guesses, strict=True)]
    )


def bang_indices(
    truth: Sequence[str],
    guesses: Sequence[str | None],
    clusters: Ints,
    *,
    unit: str = "run",
    offered: int | None = None,
) -> dict[str, Estimate]:
    """Bang's index with a jackknife interval for each arm that occurs in `truth`; `clusters` is one code per guess.

    `offered` is how many arms could be named, where not all of them occur; else those that occur.
    """
    arms = list(dict.fromkeys(truth))
    scores = guess_scores(truth, guesses, len(arms) if offered is None else offered)
    labels = np.asarray(truth)
    design = Design(clusters, unit)
    return {
        arm: estimate(MeanDifference(scores, labels == arm), design, {"bias": Transform.RAW})["bias"] for arm in arms
    }
