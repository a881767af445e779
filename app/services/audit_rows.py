"""The audit as rows for exports: what each probe counted in each document, and every passage with what was decided."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from app.domain.audit.findings import rate_of
from app.services.interventions_list import author_names
from app.services.probes import probe_versions
from app.services.unit_of_work import Reading
from app.storage.findings import KeptDecision, KeptFinding

Row = dict[str, Any]
Passage = tuple[UUID, str, str, int, int]


def count_rows(look: Reading, study_id: UUID) -> Iterator[Row]:
    """A row for each document and probe, by the versions of today; hits that people decided are among the hits."""
    versions = probe_versions().items()
    by_people: Counter[tuple[UUID, str]] = Counter()
    waiting: Counter[tuple[UUID, str]] = Counter()
    for placed in look.findings.every(study_id, versions):
        if placed.finding.state == "review":
            place = placed.finding.artifact_id, placed.finding.probe
            by_people[place] += placed.decided is True
            waiting[place] += placed.decided is None
    for count in look.findings.every_count(study_id, versions):
        place = count.artifact_id, count.probe
        hits = count.hits + by_people[place]
        yield {
            "run_id": count.run_id,
            "era": count.era,
            "step": count.key,
            "probe": count.probe,
            "version": count.version,
            "words": count.words,
            "hits": hits,
            "by_people": by_people[place],
            "open": waiting[place],
            "rate": rate_of(hits, count.words).value,
            "numbers": count.numbers,
        }


def finding_rows(look: Reading, study_id: UUID) -> Iterator[Row]:
    """A row for each passage, with its span and the last decision; all decisions beside it."""
    names = author_names(look)
    every = tuple(look.findings.every(study_id, probe_versions().items()))
    made: dict[Passage, list[KeptDecision]] = defaultdict(list)
    for one in look.findings.decisions({placed.finding.artifact_id for placed in every}):
        made[_passage(one)].append(one)
    for placed in every:
        found = placed.finding
        decisions = made[_passage(found)]
        yield {
            "run_id": found.run_id,
            "condition": placed.condition,
            "era": placed.era,
            "step": placed.key,
            "probe": found.probe,
            "version": found.version,
            "path": found.path,
            "starts_at": found.starts_at,
            "ends_at": found.ends_at,
            "quote": found.quote,
            "about": found.about,
            "why": found.why,
            "state": found.state,
            "decided": None if placed.decided is None else "hit" if placed.decided else "no hit",
            "reason": decisions[-1].reason if decisions else None,
            "decisions": [
                {
                    "person": names.get(one.author_id),
                    "is_hit": one.is_hit,
                    "reason": one.reason,
                    "at": one.made_at.isoformat(),
                }
                for one in decisions
            ],
        }


def _passage(one: KeptFinding | KeptDecision) -> Passage:
    return one.artifact_id, one.probe, one.path, one.starts_at, one.ends_at
