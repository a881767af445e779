"""A published run's documents as the artifacts of its steps: the same kinds where their fields suffice, else text."""

import re
from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from app.domain.engine.inputs import StepKind
from app.domain.engine.steps import step_key
from app.domain.ids import StepKey
from app.domain.protocol.artifacts import (
    Artifact,
    Briefing,
    BriefingItem,
    BriefingSection,
    Memo,
    Thesis,
    ThesisChain,
)
from app.domain.protocol.imported import (
    ImportedDecision,
    ImportedDissent,
    ImportedDocument,
    ImportedReview,
    ImportedScore,
)
from app.domain.protocol.personas import Group
from app.domain.scoring.scored_eras import ScoredEra
from app.imports.published.markdown import plain
from app.imports.published.uploads import FoundRun
from app.imports.published.values import (
    PublishedBriefing,
    PublishedDecision,
    PublishedEra,
    PublishedMemo,
    PublishedThesis,
)

NO_LAYER = ""
"""A published decision or thesis says its layer in words only; it is given no id of our list."""

_TITLE = re.compile(r"^#\s+(.+)$", re.MULTILINE)
FILES = {
    Group.FRONTIER_RESEARCH: "memo_frontier.md",
    Group.PRODUCT_ENGINEERING: "memo_product.md",
    Group.MARKET_CAPITAL: "memo_market.md",
}


def documents_of(run: FoundRun) -> Mapping[StepKey, Artifact]:
    """Every document of a run by the step whose place it takes, eras in order."""
    published = {era.era: era for era in run.documents.eras} if run.documents else {}
    scored = {era.era: era for era in run.eras}
    found: dict[StepKey, Artifact] = {}
    for era in dict.fromkeys([*published, *scored]):
        found |= dict(_era(era, published.get(era), scored.get(era)))
    return found


def _era(era: str, published: PublishedEra | None, scored: ScoredEra | None) -> Iterator[tuple[StepKey, Artifact]]:
    if published and published.briefing:
        yield step_key(era, StepKind.BRIEFING), _briefing(era, published.briefing)
    for memo in published.memos if published else ():
        yield step_key(era, StepKind.MEMO, memo.department), _memo(era, memo)
    decision = _decision(era, published, scored)
    if decision:
        yield step_key(era, StepKind.BOARD), decision
    review = _review(era, published, scored)
    if review:
        yield step_key(era, StepKind.REVIEW), review


def _briefing(era: str, found: PublishedBriefing) -> Artifact:
    title = _TITLE.search(found.text)
    try:
        sections = tuple(
            BriefingSection(heading=heading, items=tuple(BriefingItem(text=plain(item)) for item in items))
            for heading, items in found.sections
            if items
        )
        return Briefing(headline=title[1] if title else f"{era} briefing", sections=sections)
    except ValidationError:
        return ImportedDocument(path=f"eras/{era}/world_briefing.md", text=found.text)


def _memo(era: str, found: PublishedMemo) -> Artifact:
    department = Group(found.department)
    try:
        theses = [_thesis(thesis, found) for thesis in found.theses]
        return Memo(
            department=department,
            summary=" / ".join(thesis.title for thesis in theses),
            theses=tuple(theses),
            lessons=(),
            claims=(),
        )
    except (ValidationError, KeyError):
        return ImportedDocument(path=f"eras/{era}/{FILES[department]}", text=found.text)


def _thesis(found: PublishedThesis, memo: PublishedMemo) -> Thesis:
    """KeyError or ValidationError for a thesis that does not say everything: its memo stays text."""
    names = ("capability", "adoption", "bottleneck", "layer_owned", "proprietary_data", "next_capability")
    return Thesis(
        title=found.title,
        chain=ThesisChain(layer=NO_LAYER, **{name: found.chain[name] for name in names}),
        why_now=found.fields["why_now"],
        wedge=found.fields["wedge"],
        first_customer=found.fields["first_customer"],
        makes_obsolete=found.fields["makes_obsolete"],
        uncertain=found.fields.get("uncertain") or "\n".join(memo.uncertain),
    )


def _decision(era: str, published: PublishedEra | None, scored: ScoredEra | None) -> ImportedDecision | None:
    found = published.decision if published else None
    company = scored.company if scored else found.company if found else ""
    if found is None:
        return ImportedDecision(path="score table", text="", company_name=company) if company else None
    return ImportedDecision(
        path=f"eras/{era}/board_decision.md",
        text=found.text,
        company_name=company or era,
        identity=found.identity,
        chain=dict(found.chain),
        end=found.end,
        keep=found.keep,
        stop_criteria=found.stop_criteria,
        dissents=_dissents(found),
        fields={name: value for name, value in found.fields.items() if name not in _TOLD},
        attack=(published.attack or "") if published else "",
    )


_TOLD = {"company", "identity", "thesis", "end", "keep", "stop_criteria", "dissents"}


def _dissents(found: PublishedDecision) -> tuple[ImportedDissent, ...]:
    return tuple(ImportedDissent(who=one.who, via=one.via, why=one.why) for one in found.dissents)


def _review(era: str, published: PublishedEra | None, scored: ScoredEra | None) -> Artifact | None:
    reveal = published.reveal if published else None
    reasons = {name: score.reason for name, score in reveal.scores.items()} if reveal else {}
    values = dict(scored.subscores) if scored else {n: s.value for n, s in reveal.scores.items()} if reveal else {}
    path = f"eras/{era}/reveal.md" if reveal else "score table"
    text = reveal.text if reveal else ""
    if len(values) != 5:
        return ImportedDocument(path=path, text=text) if reveal else None
    typed = scored.typed_total if scored else reveal.typed_total if reveal else None
    return ImportedReview(
        path=path,
        text=text,
        scores=tuple(ImportedScore(dimension=n, value=v, reason=reasons.get(n, "")) for n, v in values.items()),
        typed_total=typed,
        window=reveal.window if reveal else "",
        outcome=reveal.outcome if reveal else "",
        closest_company=reveal.closest_company if reveal else "",
        lessons=reveal.lessons if reveal else (),
    )
