"""A whole published run from its files: eras, Playbook, scores, proposals, and what stayed text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from app.domain.protocol.personas import Group
from app.imports.published.decisions import parse_decision
from app.imports.published.gaps import unparsed_parts
from app.imports.published.markdown import items_of, sections_of
from app.imports.published.memos import parse_memo
from app.imports.published.playbooks import parse_playbook
from app.imports.published.proposals import propose
from app.imports.published.reveals import parse_reveal, score_problem
from app.imports.published.values import (
    PublishedBriefing,
    PublishedEra,
    PublishedMemo,
    PublishedRun,
    PublishedRunError,
    Unparsed,
)
from app.imports.scores import ScoreTable, parse_scores

ERA_FOLDER = re.compile(r"^eras/(?P<era>E\d+)/(?P<name>[^/]+)$")
KEPT_AS_TEXT = ("company_state.md", "roster.md", "final_synthesis.md", "README.md")
LARGEST_DOCUMENT = 2**20
BRIEFINGS = ("world_briefing.md", "briefing.md")
DECISIONS = ("board_decision.md", "decision.md")
DEPARTMENTS: Mapping[str, str] = {
    "memo_frontier.md": Group.FRONTIER_RESEARCH,
    "memo_product.md": Group.PRODUCT_ENGINEERING,
    "memo_market.md": Group.MARKET_CAPITAL,
}
ERA_FILES = frozenset({*BRIEFINGS, *DECISIONS, *DEPARTMENTS, "red_team.md", "reveal.md"})


def parse_published_run(
    files: Mapping[str, bytes], run: str, *, earlier: Mapping[str, Sequence[str]] | None = None, mend: bool = False
) -> PublishedRun:
    """Read a run's files by path (`eras/E1/reveal.md`, `playbook.md`, ...).

    `earlier` holds company names of runs it may have seen; `mend` moves shifted scores. Raises PublishedRunError for
    files that are no published run or no UTF-8 text, and ScoreFileError for scores.csv. Nothing is read in part.
    """
    texts = {path: _text(content, path) for path, content in files.items() if path.endswith(".md")}
    documents = _by_era(texts)
    if not documents:
        raise PublishedRunError(
            f"{run}: there is no eras/E1/... in it. Give the folder of one run, with its eras inside."
        )
    eras = tuple(_era(era, documents[era]) for era in sorted(documents, key=lambda name: int(name[1:])))
    scores = parse_scores(files["scores.csv"], "scores.csv", run=run, mend=mend) if "scores.csv" in files else None
    playbook = parse_playbook(texts.get("playbook.md", ""))
    others = _strange_files(files)
    return PublishedRun(
        run=run,
        eras=eras,
        playbook=playbook,
        scores=scores,
        texts=texts,
        proposals=propose(texts, eras, _companies(eras, scores), earlier or {}),
        unparsed=(*_kept_as_text(texts), *others, *unparsed_parts(eras, scores, has_lessons=bool(playbook))),
    )


def parse_briefing(text: str) -> PublishedBriefing:
    """Read a world briefing: its second-level headings and their items."""
    sections = tuple((each.heading, items_of(each.lines)) for each in sections_of(text) if each.level == 2)
    return PublishedBriefing(text, sections)


def _text(content: bytes, path: str) -> str:
    if len(content) > LARGEST_DOCUMENT:
        raise PublishedRunError(f"{path}: larger than 1 MB. A run's documents are a few pages each; remove it.")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PublishedRunError(f"{path}, line {line}: not UTF-8 text. Save the file as UTF-8.") from error


def _by_era(texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for path, text in texts.items():
        place = ERA_FOLDER.match(path)
        if place:
            found.setdefault(place["era"], {})[place["name"]] = text
    return found


def _era(era: str, documents: Mapping[str, str]) -> PublishedEra:
    briefing = next((documents[name] for name in BRIEFINGS if name in documents), None)
    decision = next((documents[name] for name in DECISIONS if name in documents), None)
    reveal = documents.get("reveal.md")
    problem = score_problem(reveal) if reveal else None
    if problem:
        raise PublishedRunError(f"eras/{era}/reveal.md, line {problem[0]}: {problem[1]}. Correct the score.")
    return PublishedEra(
        era=era,
        briefing=parse_briefing(briefing) if briefing else None,
        memos=_memos(documents),
        attack=documents.get("red_team.md"),
        decision=parse_decision(decision) if decision else None,
        reveal=parse_reveal(reveal) if reveal else None,
    )


def _memos(documents: Mapping[str, str]) -> tuple[PublishedMemo, ...]:
    return tuple(
        parse_memo(department, documents[name]) for name, department in DEPARTMENTS.items() if name in documents
    )


def _companies(eras: Sequence[PublishedEra], scores: ScoreTable | None) -> list[str]:
    if scores is not None:
        return [era.company for era in scores.eras]
    return [era.decision.company for era in eras if era.decision and era.decision.company]


def _kept_as_text(texts: Mapping[str, str]) -> list[Unparsed]:
    return [Unparsed(name, "kept as text") for name in KEPT_AS_TEXT if name in texts]


def _strange_files(files: Mapping[str, bytes]) -> list[Unparsed]:
    known = {*KEPT_AS_TEXT, "playbook.md", "scores.csv"}
    return [
        Unparsed(path, "a file the layout does not know; not read" if not path.endswith(".md") else "kept as text")
        for path in sorted(files)
        if path not in known and not _is_era_file(path)
    ]


def _is_era_file(path: str) -> bool:
    return bool(ERA_FOLDER.match(path)) and PurePosixPath(path).name in ERA_FILES
