"""Reveals: scores in a table or inline, the typed total, outcome, closest company and lessons."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.imports.published.markdown import Section, items_of, joined, label_of, plain, section_named, sections_of
from app.imports.published.values import PublishedReveal, PublishedScore

_DIMENSIONS: Mapping[str, str] = {
    "frontier accuracy": "frontier_accuracy",
    "frontier": "frontier_accuracy",
    "timing": "timing",
    "layer choice": "layer_choice",
    "layer": "layer_choice",
    "reinvention courage": "reinvention_courage",
    "courage": "reinvention_courage",
    "hindsight leakage": "hindsight_leakage",
    "hindsight protection": "hindsight_leakage",
    "hindsight": "hindsight_leakage",
    "playbook consistency": "playbook_consistency",
    "consistency": "playbook_consistency",
    "plausibility": "plausibility",
    "non consensus": "non_consensus",
    "groundedness": "groundedness",
    "grounded": "groundedness",
}
_NAMES = "|".join(sorted(_DIMENSIONS, key=len, reverse=True))
_INLINE = re.compile(rf"\b({_NAMES})\s+\**(\d{{1,2}})\**(?=[,;.\s])", re.IGNORECASE)
_INLINE_ANY = re.compile(rf"\b({_NAMES})\s+\**([-−]?\d+(?:\.\d+)?)\**(?=[,;.\s])", re.IGNORECASE)
_TOTAL = re.compile(r"(?:overall|total)[^\d\n]{0,40}(\d{1,3})\s*\**\s*/\s*100", re.IGNORECASE)
_WINDOW = re.compile(r"(?:[A-Z][a-z]{2}\s+)?(?:19|20)\d\d\s*[–—-]\s*(?:[A-Z][a-z]{2}\s+)?(?:19|20)\d\d")
_INLINE_LESSON = re.compile(r"\*\*Lessons?\s*\[[^\]]+\]:\*\*\s*(.+)$", re.IGNORECASE | re.MULTILINE)


def parse_reveal(text: str) -> PublishedReveal:
    """Read a reveal; scores stand in a table (bold or plain integers) or in one sentence."""
    sections = sections_of(text)
    total = _TOTAL.search(text)
    window = _WINDOW.search(next((each.heading for each in sections if each.level == 1), ""))
    return PublishedReveal(
        text=text,
        window=window[0] if window else "",
        scores=_table_scores(text) or _inline_scores(text),
        typed_total=int(total[1]) if total else None,
        outcome=_outcome(section_named(sections, "simulated outcome")),
        closest_company=_closest(text),
        lessons=_lessons(text, section_named(sections, r"\blessons\b")),
    )


def score_problem(text: str) -> tuple[int, str] | None:
    """The first line (from 1) with a subscore or total that no scale has, and what is wrong with it; else None."""
    for number, line in enumerate(text.splitlines(), start=1):
        for name, value in (*_cells_scored(line), *_INLINE_ANY.findall(line if _says_scores(line) else "")):
            if not re.fullmatch(r"\d{1,2}", value) or int(value) > 10:
                return number, f"{_dimension(name)} is {value}, and a subscore is a whole number from 0 to 10"
        total = _TOTAL.search(line)
        if total and int(total[1]) > 100:
            return number, f"the total is {total[1]}, and a total is a number from 0 to 100"
    return None


def _cells_scored(line: str) -> list[tuple[str, str]]:
    """The dimension and the number that a table's row gives it, whatever the number."""
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
    if len(cells) < 2 or _dimension(cells[0]) is None:
        return []
    number = re.fullmatch(r"([-−]?\d+(?:\.\d+)?)(?:\s*/\s*10)?", plain(cells[1]))
    return [(cells[0], number[1])] if number else []


def _says_scores(line: str) -> bool:
    return bool(re.search(r"\bscores?:", line, re.IGNORECASE))


def _table_scores(text: str) -> dict[str, PublishedScore]:
    scores: dict[str, PublishedScore] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if len(cells) >= 2 and (name := _dimension(cells[0])):
            value = re.fullmatch(r"(\d{1,2})(?:\s*/\s*10)?", plain(cells[1]))
            if value and int(value[1]) <= 10:
                scores[name] = PublishedScore(int(value[1]), plain(" | ".join(cells[2:])))
    return scores


def _inline_scores(text: str) -> dict[str, PublishedScore]:
    line = next((line for line in text.splitlines() if _says_scores(line)), "")
    return {
        _DIMENSIONS[name.casefold()]: PublishedScore(int(value), "")
        for name, value in _INLINE.findall(line)
        if int(value) <= 10
    }


def _dimension(cell: str) -> str | None:
    name = re.sub(r"\(.*?\)", "", plain(cell)).replace("-", " ").replace("_", " ")
    return _DIMENSIONS.get(" ".join(name.casefold().split()))


def _outcome(section: Section | None) -> str:
    if section is None:
        return ""
    return joined(line for line in section.lines if not _is_closest(line))


def _closest(text: str) -> str:
    for line in text.splitlines():
        label = label_of(line)
        if label and _is_closest(line):
            return plain(label[1])
    return ""


def _is_closest(line: str) -> bool:
    return bool(re.match(r"\*\*closest real(-world)? (analog|company)", line, re.IGNORECASE))


def _lessons(text: str, section: Section | None) -> tuple[str, ...]:
    if section is not None:
        return items_of(section.lines)
    return tuple(plain(lesson) for lesson in _INLINE_LESSON.findall(text))
