"""How often those who dissented turned out right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.protocol.artifacts import Verdict
from app.domain.scoring.measures import Measure, undefined


@dataclass(frozen=True, slots=True)
class DissentSummary:
    """Counts over all dissents and accuracy among the resolved; the unresolved are counted and shown."""

    vindicated: int
    refuted: int
    unresolved: int
    accuracy: Measure


def summarize_dissents(verdicts: Sequence[Verdict]) -> DissentSummary:
    """Accuracy = vindicated / (vindicated + refuted), over every dissent of the run; undefined if none is resolved."""
    found = Counter(verdicts)
    right, wrong = found[Verdict.VINDICATED], found[Verdict.REFUTED]
    if right + wrong == 0:
        accuracy = undefined("no dissent was resolved" if verdicts else "there was no dissent")
    else:
        accuracy = Measure(right / (right + wrong), right + wrong)
    return DissentSummary(right, wrong, found[Verdict.UNRESOLVED], accuracy)
