"""What a published run says, document by document, and what could not be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.imports.scores import ScoreTable

CHAIN_LINKS = ("capability", "adoption", "bottleneck", "layer_owned", "proprietary_data", "next_capability")
"""The six links of a thesis, under the names of the protocol's own thesis chain."""


class PublishedRunError(ValueError):
    """A published run cannot be read; the message names file, line and mend."""


class ProposalKind(StrEnum):
    """What an import suggests; an operator confirms or drops each."""

    INTERVENTION = "intervention"
    EXPOSURE = "exposure"
    WINDOW = "window"
    SHARED_CONTEXT = "shared_context"
    SAMPLING = "sampling"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One suggestion with the text it rests on; `era` is None where it concerns the whole run."""

    kind: ProposalKind
    era: str | None
    statement: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A document, or a part of one, that is kept as text only."""

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class PublishedBriefing:
    """Headings in order with their items."""

    text: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class PublishedThesis:
    """One thesis: its chain by link, its other fields by name (why_now, wedge, first_customer, makes_obsolete, ...)."""

    label: str
    title: str
    chain: Mapping[str, str]
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PublishedMemo:
    """One department's memo; `lessons` and `uncertain` are items in order."""

    department: str
    text: str
    theses: tuple[PublishedThesis, ...]
    lessons: tuple[str, ...]
    uncertain: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishedDissent:
    """Who dissented, through whom it was reported if so, and why."""

    who: str
    via: str | None
    why: str


@dataclass(frozen=True, slots=True)
class PublishedDecision:
    """A board decision; `fields` holds every labelled part as text under its normal name."""

    text: str
    company: str
    identity: str
    chain: Mapping[str, str]
    end: tuple[str, ...]
    keep: tuple[str, ...]
    stop_criteria: tuple[str, ...]
    dissents: tuple[PublishedDissent, ...]
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One subscore 0-10 with its line of reason, empty where none was written."""

    value: int
    reason: str


@dataclass(frozen=True, slots=True)
class PublishedReveal:
    """A judge's reveal: the years its title names, scores by dimension, typed total, lessons in order."""

    text: str
    window: str
    scores: Mapping[str, PublishedScore]
    typed_total: int | None
    outcome: str
    closest_company: str
    lessons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishedLesson:
    """One lesson of the Playbook with its tag (E1, E1 note, E3/E4, E7-forecast) and revisions in order."""

    tag: str
    text: str
    revisions: tuple[str, ...]

    @property
    def is_note(self) -> bool:
        """Whether it comments on older lessons instead of adding one."""
        return self.tag.endswith("note")


@dataclass(frozen=True, slots=True)
class PublishedEra:
    """The documents of one era that the folder has; `attack` is the Red Team's own document, as text."""

    era: str
    briefing: PublishedBriefing | None = None
    memos: tuple[PublishedMemo, ...] = ()
    attack: str | None = None
    decision: PublishedDecision | None = None
    reveal: PublishedReveal | None = None


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """A whole published run; `texts` holds every document as it was written, by path."""

    run: str
    eras: tuple[PublishedEra, ...]
    playbook: tuple[PublishedLesson, ...]
    scores: ScoreTable | None
    texts: Mapping[str, str]
    proposals: tuple[Proposal, ...]
    unparsed: tuple[Unparsed, ...]
