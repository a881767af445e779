"""How well words alone tell the hidden arms apart, by naive Bayes with whole runs held out.

Multinomial naive Bayes on word counts with add-one smoothing. Source: McCallum and Nigam (1998), A Comparison of Event
Models for Naive Bayes Text Classification, AAAI-98 workshop on learning for text categorization.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from app.domain.agreement.estimate import Design, Estimate, estimate, undefined
from app.domain.agreement.judge_bias import MeanDifference
from app.domain.agreement.measure import Floats, Ints
from app.domain.inference.intervals import Transform

WORD = re.compile(r"[^\W\d_]+")
FOLDS = 10


def cross_validated_accuracy(
    texts: Sequence[str], labels: Sequence[str], clusters: Ints, *, unit: str = "run"
) -> Estimate:
    """Share of texts whose label is predicted from the texts of other folds; a run is never on both sides.

    Chance is the share of the most frequent label. Undefined for one label or one run.
    """
    arms = np.unique(labels, return_inverse=True)[1]
    groups = np.unique(clusters, return_inverse=True)[1]
    if arms.max(initial=0) == 0 or groups.max(initial=0) == 0:
        return undefined(f"a classifier needs two labels and two {unit}s", len(texts))
    counts = _word_counts(texts)
    right = np.zeros(len(texts))
    for fold in range(min(FOLDS, int(groups.max()) + 1)):
        held = groups % FOLDS == fold
        right[held] = _predicted(counts[~held], arms[~held], counts[held]) == arms[held]
    return estimate(MeanDifference(right), Design(groups, unit), {"bias": Transform.LOGIT})["bias"]


def _word_counts(texts: Sequence[str]) -> Floats:
    words = [[word.lower() for word in WORD.findall(text)] for text in texts]
    places = {word: place for place, word in enumerate(dict.fromkeys(word for text in words for word in text))}
    counts = np.zeros((len(texts), len(places)))
    for row, text in zip(counts, words, strict=True):
        np.add.at(row, [places[word] for word in text], 1.0)
    return counts


def _predicted(known: Floats, arms: Ints, asked: Floats) -> Ints:
    """Most probable arm of each asked text; an arm without known texts is never predicted."""
    kinds = int(arms.max()) + 1
    share = np.stack([known[arms == arm].sum(axis=0) + 1 for arm in range(kinds)])
    with np.errstate(divide="ignore"):
        prior = np.log(np.bincount(arms, minlength=kinds) / len(arms))
    scores = asked @ np.log(share / share.sum(axis=1, keepdims=True)).T + prior
    return np.asarray(scores.argmax(axis=1), dtype=np.int64)
