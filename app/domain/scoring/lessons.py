"""What a run's Playbook is made of: how many lessons, of which kind, how often revised and cited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.protocol.artifacts import LessonKind
from app.domain.scoring.measures import Measure, mean_of, undefined


@dataclass(frozen=True, slots=True)
class LessonSummary:
    """Counts over a Playbook; `share_by_kind` holds one measure per kind of lesson."""

    lessons: int
    revisions: int
    citations: int
    share_by_kind: Mapping[LessonKind, Measure]


def summarize_lessons(kinds: Sequence[LessonKind], revisions: int, citations: int) -> LessonSummary:
    """Summarize a Playbook from the kind its writer gave each lesson."""
    found = Counter(kinds)
    n = len(kinds)
    shares = {kind: Measure(found[kind] / n, n) if n else undefined("the Playbook is empty") for kind in LessonKind}
    return LessonSummary(n, revisions, citations, shares)


def caution_index(deferred: Sequence[bool]) -> Measure:
    """Share of eras whose decision defers all building behind a gate (the writer's own label)."""
    return mean_of([float(each) for each in deferred], "decision")
