"""The audit as rows for exports: what each probe counted in each document, and every passage with what was decided."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from app.services.document_counts import document_counts
from app.services.interventions_list import author_names
from app.services.probes import probe_versions
from app.services.unit_of_work import Reading

Row = dict[str, Any]


def count_rows(look: Reading, study_id: UUID) -> Iterator[Row]:
    """A row for each document and probe, by the versions of today; hits that people decided are among the hits."""
    versions, store = probe_versions().items(), look.findings
    for one in document_counts(store.every(study_id, versions), store.every_count(study_id, versions)):
        count = one.count
        yield {
            "run_id": count.run_id,
            "era": count.era,
            "step": count.key,
            "probe": count.probe,
            "version": count.version,
            "words": count.words,
            "hits": one.hits,
            "by_people": one.by_people,
            "open": one.waiting,
            "rate": one.rate.value,
            "numbers": count.numbers,
        }


def finding_rows(look: Reading, study_id: UUID) -> Iterator[Row]:
    """A row for each passage, with its span and the last decision; all decisions beside it."""
    names = author_names(look)
    every = tuple(look.findings.every(study_id, probe_versions().items()))
    made = look.findings.decisions([placed.finding for placed in every])
    for placed in every:
        found = placed.finding
        decisions = made[found.id]
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
