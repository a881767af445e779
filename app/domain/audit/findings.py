"""What a probe gives: findings with spans, a rate per 1,000 words, and its stated false-positive rate."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.domain.audit.texts import TextField, words_in
from app.domain.protocol.analysis import Treatment
from app.domain.scoring.measures import Measure, undefined

PER_WORDS = 1000


class Shown(StrEnum):
    """Which passages a list holds: those that wait for a person, those that people decided, those that count."""

    WAITING = "waiting"
    DECIDED = "decided"
    HIT = "hit"


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """What a reader asks a study's list of passages for; an empty word asks for every probe, era or schedule.

    ``interventions`` says whether passages of eras and runs that carry one are listed too.
    """

    shown: Shown = Shown.WAITING
    probe: str = ""
    era: str = ""
    schedule: str = ""
    interventions: Treatment = Treatment.KEEP


class FindingState(StrEnum):
    """A hit counts in the rate; a review item waits for a person and does not."""

    HIT = "hit"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe's name and version, and its false hits per 1,000 words with the texts they were counted on."""

    name: str
    version: str
    false_hits: float
    basis: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A marked passage: ``start`` and ``end`` count characters of the field at ``path``; ``about`` says what it is."""

    probe: str
    version: str
    path: str
    start: int
    end: int
    quote: str
    about: str
    state: FindingState
    why: str


@dataclass(frozen=True, slots=True)
class ProbeCount:
    """A probe's findings in one document."""

    probe: Probe
    words: int
    findings: tuple[Finding, ...]

    @property
    def hits(self) -> tuple[Finding, ...]:
        """The findings that count."""
        return tuple(each for each in self.findings if each.state is FindingState.HIT)

    @property
    def reviews(self) -> tuple[Finding, ...]:
        """The findings that wait for a person."""
        return tuple(each for each in self.findings if each.state is FindingState.REVIEW)

    @property
    def rate(self) -> Measure:
        """Hits per 1,000 words; undefined for a document without words."""
        return rate_of(len(self.hits), self.words)


def rate_of(hits: int, words: int) -> Measure:
    """Hits per 1,000 words; undefined without words."""
    if not words:
        return undefined("the document has no words")
    return Measure(PER_WORDS * hits / words, words)


def pooled_rate(counts: Iterable[ProbeCount]) -> Measure:
    """Hits per 1,000 words over several documents, such as those of an era or condition."""
    kept = list(counts)
    return rate_of(sum(len(each.hits) for each in kept), sum(each.words for each in kept))


def count_of(probe: Probe, fields: Iterable[TextField], findings: Iterable[Finding]) -> ProbeCount:
    """A document's count; findings in order of their place in it."""
    kept = tuple(fields)
    order = {field.path: index for index, field in enumerate(kept)}
    placed = sorted(findings, key=lambda each: (order[each.path], each.start, each.end, each.about))
    return ProbeCount(probe, words_in(kept), tuple(placed))


def finding_at(
    probe: Probe, field: TextField, span: tuple[int, int], about: str, state: FindingState, why: str
) -> Finding:
    """A finding of a probe with the exact quote of its span."""
    start, end = span
    return Finding(probe.name, probe.version, field.path, start, end, field.text[start:end], about, state, why)
