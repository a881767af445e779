"""How alike decisions of different runs are in the same era, beside those of different eras."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from app.domain.scoring.measures import Measure, mean_of

_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class DecisionText:
    """The text of one decision with its run and era; leave the company's name out, it would decide the matter."""

    run: str
    era: str
    text: str


@dataclass(frozen=True, slots=True)
class SimilaritySummary:
    """Mean cosine from 0 to 1 over pairs of different runs: the same era, and different eras as the yardstick."""

    same_era: Measure
    different_era: Measure


def similarity_of_decisions(decisions: Sequence[DecisionText]) -> SimilaritySummary:
    """Compare every two decisions of different runs by TF-IDF cosine (Salton and Buckley, 1988; idf = ln(1 + N/df))."""
    weights = _weighted_words([decision.text for decision in decisions])
    same: list[float] = []
    different: list[float] = []
    for (one, a), (other, b) in combinations(zip(decisions, weights, strict=True), 2):
        if one.run != other.run:
            (same if one.era == other.era else different).append(_cosine(a, b))
    return SimilaritySummary(
        mean_of(same, "pair of runs in the same era"), mean_of(different, "pair of runs in different eras")
    )


def _weighted_words(texts: Sequence[str]) -> list[Mapping[str, float]]:
    counts = [Counter(_WORD.findall(text.casefold())) for text in texts]
    documents = Counter(word for each in counts for word in each)
    rarity = {word: math.log(1 + len(texts) / seen) for word, seen in documents.items()}
    return [_unit_length({word: times * rarity[word] for word, times in each.items()}) for each in counts]


def _unit_length(weights: Mapping[str, float]) -> Mapping[str, float]:
    length = math.hypot(*weights.values())
    return {word: weight / length for word, weight in weights.items()} if length else {}


def _cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    return min(1.0, math.fsum(weight * b[word] for word, weight in a.items() if word in b))
