"""What an import proposes for the operator to confirm, with the words it rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.domain.scoring.pivots import normalized_name
from app.imports.published.values import Proposal, ProposalKind, PublishedEra

WINDOW_ENDS: Mapping[str, str] = {"E1": "1995", "E2": "2001", "E3": "2007", "E4": "2013", "E5": "2019", "E6": "2026"}
"""The year in which each training era's outcome window ends (protocol, section 3)."""

_BY_HAND = re.compile(
    r"\b(?:run|written|decided|made)\s+(?:\w+\s+){0,3}by\s+the\s+(?:lab\s+)?orchestrator\b", re.IGNORECASE
)
_EXPOSED = re.compile(r"\bexposure to run\b|\bexposed to run\b|\bconditioned on run\b", re.IGNORECASE)
_ONE_CONTEXT = re.compile(r"\bone model supplied\b.*\bjudging\b|\bsame (?:model|context)\b.*\bjudg", re.IGNORECASE)
_ABOUT_WINDOWS = re.compile(r"\bwindow\b")
_ERA = re.compile(r"\bE\d+\b")


def propose(
    texts: Mapping[str, str],
    eras: Sequence[PublishedEra],
    companies: Sequence[str],
    earlier: Mapping[str, Sequence[str]],
) -> tuple[Proposal, ...]:
    """Propose interventions, exposure, other windows, a shared context and unknown sampling.

    `earlier` holds the company names of runs this one may have seen, by run.
    """
    return (
        *_interventions(texts),
        *_exposure(texts, companies, earlier),
        *_windows(texts, eras),
        _shared_context(texts),
        Proposal(
            ProposalKind.SAMPLING,
            None,
            "Sampling settings, seeds and model versions are unknown: the records hold no model calls.",
            (),
        ),
    )


def propose_exposure(companies: Sequence[str], earlier: Mapping[str, Sequence[str]]) -> tuple[Proposal, ...]:
    """Propose exposure from reused company names alone, for a run of which only scores were published."""
    return _exposure({}, companies, earlier)


def _interventions(texts: Mapping[str, str]) -> list[Proposal]:
    evidence: dict[str, list[str]] = {}
    for path, sentence in _matching(texts, _BY_HAND):
        era = _era_of(path) or _first_era(sentence)
        if era:
            evidence.setdefault(era, []).append(f"{path}: {sentence}")
    statement = "was not written by the agents, by its own text; propose an intervention"
    return [
        Proposal(ProposalKind.INTERVENTION, era, f"{era} {statement}.", tuple(found))
        for era, found in sorted(evidence.items())
    ]


def _exposure(
    texts: Mapping[str, str], companies: Sequence[str], earlier: Mapping[str, Sequence[str]]
) -> tuple[Proposal, ...]:
    evidence = [f"{path}: {sentence}" for path, sentence in _matching(texts, _EXPOSED)]
    for run, names in earlier.items():
        reused = _reused(companies, names)
        if reused:
            evidence.append(f"company names of {run} are used again: {', '.join(reused)}")
    if not evidence:
        return ()
    return (Proposal(ProposalKind.EXPOSURE, None, "This run may have seen another run.", tuple(evidence)),)


def _reused(companies: Sequence[str], names: Sequence[str]) -> list[str]:
    # The first word decides: "Switchyard" and "Switchyard Systems" are one name reused.
    known = {normalized_name(name).split(" ")[0] for name in names}
    return [name for name in dict.fromkeys(companies) if normalized_name(name).split(" ")[0] in known]


def _windows(texts: Mapping[str, str], eras: Sequence[PublishedEra]) -> list[Proposal]:
    proposals = []
    for era in eras:
        window = era.reveal.window if era.reveal else ""
        expected = WINDOW_ENDS.get(era.era)
        if window and expected and not window.endswith(expected):
            evidence = [f"the reveal's title names {window}"]
            evidence += [
                f"{path}: {found}" for path, found in _matching(texts, re.compile("window")) if era.era in found
            ]
            statement = f"{era.era} was judged against {window}; the protocol's window ends in {expected}."
            proposals.append(Proposal(ProposalKind.WINDOW, era.era, statement, tuple(evidence)))
    return proposals


def _shared_context(texts: Mapping[str, str]) -> Proposal:
    evidence = tuple(f"{path}: {sentence}" for path, sentence in _matching(texts, _ONE_CONTEXT))
    said = "Judge and players shared one context, by the run's own text."
    unsaid = "Nothing says that judge and players were separate contexts; take them as one model."
    return Proposal(ProposalKind.SHARED_CONTEXT, None, said if evidence else unsaid, evidence)


def _matching(texts: Mapping[str, str], pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    found = []
    for path, text in sorted(texts.items()):
        # The README repeats its review note; the same sentence is evidence once.
        sentences = dict.fromkeys(re.split(r"(?<=[.!?])\s+|\n", text.replace("*", "")))
        found += [(path, sentence.strip()) for sentence in sentences if pattern.search(sentence)]
    return found


def _era_of(path: str) -> str | None:
    return next((part for part in path.split("/") if _ERA.fullmatch(part)), None)


def _first_era(sentence: str) -> str | None:
    mark = _ERA.search(sentence)
    return mark[0] if mark else None
