"""The audit's probes put to work on one era of a run: which text each reads, and what counts as known there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from app.domain.audit.dates import DATES, find_late_dates
from app.domain.audit.entities import ENTITIES, LateName, find_late_names, late_names, late_terms
from app.domain.audit.findings import Finding, Probe, ProbeCount
from app.domain.audit.selection import SELECTION, SelectionCount, UnknownEventError, count_selection, used_events
from app.domain.audit.texts import TextField, text_fields, texts_of
from app.domain.audit.vocabulary import VOCABULARY, find_late_words
from app.domain.engine.inputs import StepKind
from app.domain.protocol.artifacts import (
    Artifact,
    Attack,
    Board,
    Briefing,
    Critique,
    Decision,
    Memo,
    Note,
    Reply,
)
from app.domain.protocol.eras import Era
from app.domain.protocol.imported import ImportedDecision, ImportedDocument
from app.domain.world.events import Event, events_before, events_within
from app.library import reader

TEXT_PROBES = (VOCABULARY, DATES, ENTITIES)
PLAYERS = (Note, Memo, Attack, Reply, Critique, Decision, Board, ImportedDecision, ImportedDocument)
"""What players write; the judge knows the outcome, so that its documents are not probed."""

_DATA = {VOCABULARY.name: ("first_use",), ENTITIES.name: ("first_use", "record"), SELECTION.name: ("record",)}
_DIGITS = 6


@lru_cache(maxsize=1)
def probe_versions() -> Mapping[str, str]:
    """The version of every probe with the start of the hashes of what it looks words up in: new data count anew."""
    hashes = {
        probe.name: [reader.file_hash(f"world/{name}.csv") for name in _DATA.get(probe.name, ())] for probe in _ALL
    }
    return MappingProxyType(
        {probe.name: "-".join([probe.version, *(one[:_DIGITS] for one in hashes[probe.name])]) for probe in _ALL}
    )


_ALL: tuple[Probe, ...] = (*TEXT_PROBES, SELECTION)


def probe_named(name: str) -> Probe:
    """The probe of that name."""
    return next(probe for probe in _ALL if probe.name == name)


@dataclass(frozen=True, slots=True)
class EraDocument:
    """A document of an era with the kind of step that wrote it; ``drawn`` for a briefing made by code."""

    id: UUID
    key: str
    kind: StepKind
    artifact: Artifact
    drawn: bool


@dataclass(frozen=True, slots=True)
class EraTexts:
    """One era of a run: its documents, what entered it, the company's names, and the events of its world."""

    era: Era
    documents: tuple[EraDocument, ...]
    entering: tuple[BaseModel, ...]
    company: tuple[str, ...]
    events: tuple[Event, ...]
    seed: str


@dataclass(frozen=True, slots=True)
class Probed:
    """What one probe found in one document."""

    document: EraDocument
    era: str
    probe: str
    version: str
    words: int
    findings: tuple[Finding, ...]
    numbers: Mapping[str, Any] | None = None


def probe_era(texts: EraTexts) -> Iterator[Probed]:
    """Every probe on every document of an era that it reads."""
    briefing = tuple(field for one in texts.documents if _is_briefing(one) for field in fields_of(one.artifact))
    known = events_before(texts.events, texts.era.start)
    on_record = text_fields(" ".join(event.text for event in known), "record")
    for document in texts.documents:
        if _is_briefing(document):
            if isinstance(document.artifact, Briefing):
                yield _selection(document, document.artifact, texts, known)
            if not document.drawn:
                yield from _text_probes(document, texts, on_record)
        elif isinstance(document.artifact, PLAYERS):
            yield from _text_probes(document, texts, briefing)


def fields_of(artifact: Artifact) -> tuple[TextField, ...]:
    """The prose of a document; of an imported one, its text as it was written."""
    if isinstance(artifact, ImportedDocument | ImportedDecision):
        return text_fields(artifact.text)
    return texts_of(artifact)


def _is_briefing(document: EraDocument) -> bool:
    return document.kind is StepKind.BRIEFING


def _text_probes(document: EraDocument, texts: EraTexts, told: tuple[TextField, ...]) -> Iterator[Probed]:
    parts = _parts(document.artifact)
    for probe in TEXT_PROBES:
        version = probe_versions()[probe.name]
        words, findings = 0, []
        for prefix, fields in parts:
            count = _count(probe, fields, texts, told)
            words += count.words
            findings += [replace(one, path=prefix + one.path, version=version) for one in count.findings]
        yield Probed(document, texts.era.id, probe.name, version, words, tuple(findings))


def _parts(artifact: Artifact) -> list[tuple[str, tuple[TextField, ...]]]:
    """A board is read as attack and decision, so that a plan is known for a plan by its path."""
    if isinstance(artifact, Board):
        attack = [("attack.", texts_of(artifact.attack))] if artifact.attack else []
        return [*attack, ("decision.", texts_of(artifact.decision))]
    return [("", fields_of(artifact))]


def _count(probe: Probe, fields: tuple[TextField, ...], texts: EraTexts, told: tuple[TextField, ...]) -> ProbeCount:
    start = texts.era.start
    if probe is VOCABULARY:
        return find_late_words(fields, reader.first_use(), start=f"{start:%Y-%m}", briefing=told)
    if probe is DATES:
        return find_late_dates(fields, start=start, briefing=told, company=texts.company)
    names = _late_names(texts.events, start, texts.era.end) if texts.era.mode.has_outcome else ()
    entering = (field for one in texts.entering for field in texts_of(one))
    company = text_fields("\n".join(texts.company), "company")
    return find_late_names(fields, names, known=(*told, *entering, *company))


@lru_cache(maxsize=64)
def _late_names(events: tuple[Event, ...], start: date, end: date) -> tuple[LateName, ...]:
    terms = late_terms(reader.first_use(), f"{start:%Y-%m}")
    return late_names(events_before(events, start), events_within(events, start, end), terms)


def _selection(document: EraDocument, briefing: Briefing, texts: EraTexts, known: Sequence[Event]) -> Probed:
    version = probe_versions()[SELECTION.name]
    numbers: dict[str, Any] = {"drawn": document.drawn}
    try:
        used, unnumbered = used_events(briefing, known, texts.era.start)
        numbers |= _numbers(count_selection(known, used, start=texts.era.start, seed=texts.seed, unnumbered=unnumbered))
    except UnknownEventError as error:
        numbers["reason"] = str(error)
    return Probed(document, texts.era.id, SELECTION.name, version, 0, (), numbers)


def _numbers(count: SelectionCount) -> dict[str, Any]:
    measures = {name: getattr(count, name).value for name in ("share", "expected", "excess")}
    kept = {name: value for name, value in asdict(count).items() if name not in measures}
    return kept | measures


def planted_count(
    probe: str, fields: Iterable[TextField], start: date, told: tuple[TextField, ...], era: Era | None
) -> ProbeCount:
    """What a probe finds in a text that stands in no run, as the texts do that probes are measured on."""
    kept = tuple(fields)
    if probe == VOCABULARY.name:
        return find_late_words(kept, reader.first_use(), start=f"{start:%Y-%m}", briefing=told)
    if probe == DATES.name:
        return find_late_dates(kept, start=start, briefing=told)
    names = _late_names(reader.events(), start, era.end) if era else ()
    return find_late_names(kept, names, known=told)
