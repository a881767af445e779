"""What a run's Playbook is made of: how many lessons, of which kind, how often revised and cited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.scoring.measures import Measure, mean_of, undefined

LESSON_KINDS = ("technology_market", "buyer_workflow", "verification_process", "other")


@dataclass(frozen=True, slots=True)
class LessonSummary:
    """Counts over a Playbook; `share_by_kind` holds one measure per kind of LESSON_KINDS."""

    lessons: int
    revisions: int
    citations: int
    share_by_kind: Mapping[str, Measure]


def summarize_lessons(kinds: Sequence[str], revisions: int, citations: int) -> LessonSummary:
    """Summarize a Playbook from the typed kind of each lesson; raises ValueError for a kind that does not exist."""
    strangers = sorted(set(kinds) - set(LESSON_KINDS))
    if strangers:
        raise ValueError(f"lesson kind '{strangers[0]}' is unknown; use one of {', '.join(LESSON_KINDS)}")
    found = Counter(kinds)
    n = len(kinds)
    shares = {kind: Measure(found[kind] / n, n) if n else undefined("the Playbook is empty") for kind in LESSON_KINDS}
    return LessonSummary(n, revisions, citations, shares)


def caution_index(deferred: Sequence[bool]) -> Measure:
    """Share of eras whose decision defers all building behind a gate (the writer's own label)."""
    return mean_of([float(each) for each in deferred], "decision")
