"""What could not be told from a run's documents, short enough to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.imports.published.values import (
    CHAIN_LINKS,
    PublishedDecision,
    PublishedEra,
    PublishedMemo,
    PublishedReveal,
    Unparsed,
)
from app.imports.scores import ScoreTable

EXPECTED_FIELDS: Mapping[str, str] = {
    "why_now": "why now",
    "wedge": "wedge",
    "first_customer": "first customer",
    "makes_obsolete": "what it makes obsolete",
}


def unparsed_parts(
    eras: Sequence[PublishedEra], scores: ScoreTable | None, *, has_lessons: bool
) -> tuple[Unparsed, ...]:
    """List absent documents, incomplete theses and decisions, missing scores, and scores that disagree."""
    found: list[Unparsed] = []
    if not has_lessons:
        found.append(Unparsed("playbook.md", "no tagged lesson was found"))
    for era in eras:
        found += _absent(era)
        for memo in era.memos:
            found += _memo_parts(era.era, memo)
        if era.decision:
            found += _decision_parts(era.era, era.decision)
        if era.reveal:
            found += _reveal_parts(era.era, era.reveal, scores)
    return tuple(found)


def _absent(era: PublishedEra) -> Iterator[Unparsed]:
    absent = [name for name, document in _documents(era).items() if not document]
    if absent:
        yield Unparsed(f"eras/{era.era}", f"the folder has no {', '.join(absent)}")


def _documents(era: PublishedEra) -> dict[str, object]:
    return {"briefing": era.briefing, "memos": era.memos, "decision": era.decision, "reveal": era.reveal}


def _memo_parts(era: str, memo: PublishedMemo) -> Iterator[Unparsed]:
    path = f"eras/{era}/{memo.department} memo"
    if len(memo.theses) != 2:
        yield Unparsed(path, f"{len(memo.theses)} theses were found, two are expected")
    for thesis in memo.theses:
        absent = [name.replace("_", " ") for name in CHAIN_LINKS if name not in thesis.chain]
        absent += [shown for name, shown in EXPECTED_FIELDS.items() if name not in thesis.fields]
        if absent:
            yield Unparsed(path, f"thesis {thesis.label} does not say: {', '.join(absent)}")


def _decision_parts(era: str, decision: PublishedDecision) -> Iterator[Unparsed]:
    parts = {
        "company": decision.company,
        "thesis chain": len(decision.chain) == len(CHAIN_LINKS),
        "what it ends": decision.end,
        "what it keeps": decision.keep,
        "wedge": decision.fields.get("wedge"),
        "first customer": decision.fields.get("first_customer"),
        "plan": decision.fields.get("plan"),
        "capital": decision.fields.get("capital"),
        "stop criteria": decision.stop_criteria,
        "dissents": decision.dissents,
    }
    absent = [name for name, found in parts.items() if not found]
    if absent:
        yield Unparsed(f"eras/{era}/board_decision.md", f"not found as a part of its own: {', '.join(absent)}")


def _reveal_parts(era: str, reveal: PublishedReveal, scores: ScoreTable | None) -> Iterator[Unparsed]:
    path = f"eras/{era}/reveal.md"
    if len(reveal.scores) != 5:
        yield Unparsed(path, f"{len(reveal.scores)} subscores were found, five are expected")
    if reveal.typed_total is None:
        yield Unparsed(path, "no typed total was found")
    listed = next((each for each in scores.eras if each.era == era), None) if scores else None
    if listed and {name: score.value for name, score in reveal.scores.items()} != dict(listed.subscores):
        yield Unparsed(path, "its subscores differ from those in scores.csv")
    if listed and reveal.typed_total is not None and listed.typed_total != reveal.typed_total:
        yield Unparsed(path, f"its total is {reveal.typed_total}, in scores.csv it is {_shown(listed.typed_total)}")


def _shown(total: float | None) -> str:
    return "absent" if total is None else f"{total:g}"
