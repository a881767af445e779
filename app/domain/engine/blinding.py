"""What a blind judge reads of the company's own words: without what would name the condition (protocol section 5)."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel

from app.domain.once import once_each
from app.domain.protocol.artifacts import Decision
from app.domain.protocol.company import CompanyState
from app.domain.protocol.personas import Roster

WITHHELD = "[withheld]"

ROLE_WORDS = (
    r"red[\W_]?team(?:er|ers|ed|ing|s)?",
    r"C[ETFS]Os?",
    r"chief (?:executive|technology|scientist|strategy|financial)s?(?: officers?)?",
    r"play[\W_]?books?",
    r"dissent(?:s|ed|er|ers|ing)?",
    r"dissensions?",
    r"memo(?:s|randum|randa|randums)?",
    r"departments?",
    r"departmental",
    r"the board",
    r"lessons? E\d+(?:-\d+)?",
    r"E\d+-\d+",
    r"frontier_research/[12]",
    r"product_engineering/[12]",
    r"market_capital/[12]",
)

UNTOUCHED = frozenset({"kind", "company_name", "name", "layer"})

KEPT_ROSTERS = 16
KEPT_LINES = 4_096
"""How many masked texts are kept for each roster."""

M = TypeVar("M", bound=BaseModel)
Mask = Callable[[str], str]
"""Withholds words from a text."""


def blind_decision(decision: Decision, roster: Roster) -> Decision:
    """``D_k`` without lesson citations and dissents; its texts withhold role names and references to the Red Team."""
    bare = decision.model_copy(update={"dissents": (), "lessons": (), "organization": ()})
    return _masked_model(bare, _mask_for(roster))


def blind_company(company: CompanyState, roster: Roster) -> CompanyState:
    """``S_k`` for the same eyes: its assets and identities were written by the players."""
    return _masked_model(company, _mask_for(roster))


def roster_words(roster: Roster) -> tuple[str, ...]:
    """Every persona name and title, longest first."""
    words = {word for persona in roster.personas for word in (persona.name, persona.title)}
    return tuple(sorted(words | set(roster.titles.values()), key=lambda word: (-len(word), word)))


def name_parts(roster: Roster) -> tuple[str, ...]:
    """First and last names of the personas, as they may stand alone."""
    return tuple(sorted({part for persona in roster.personas for part in persona.name.split() if part.istitle()}))


@once_each(KEPT_ROSTERS)
def _mask_for(roster: Roster) -> Mask:
    """What withholds a roster's words from a text; texts come again, such as a company's earlier identities."""
    pattern = _pattern(roster_words(roster), name_parts(roster))
    return lru_cache(maxsize=KEPT_LINES)(lambda text: pattern.sub(WITHHELD, text))


def _pattern(words: tuple[str, ...], names: tuple[str, ...]) -> re.Pattern[str]:
    """Words in any case, with a plural; names in their own case only, since some are words too."""
    any_case = _by_first_letter([*(rf"{re.escape(word)}s?" for word in words), *ROLE_WORDS])
    firsts = "".join(sorted({re.escape(name[0]) for name in names}))
    own = [rf"(?-i:(?=[{firsts}])(?:{'|'.join(map(re.escape, names))}))"] if names else []
    return re.compile(rf"(?<![^\W_])(?:{'|'.join([*any_case, *own])})(?![^\W_])", re.IGNORECASE)


def _by_first_letter(patterns: Iterable[str]) -> list[str]:
    """The same alternatives, those of one first letter together: most words are passed by on their first letter."""
    groups: dict[str, list[str]] = {}
    for pattern in patterns:
        first = pattern[0].lower() if pattern[0].isascii() and pattern[0].isalpha() else ""
        groups.setdefault(first, []).append(pattern[len(first) :])
    return [f"{letter}(?:{'|'.join(rest)})" for letter, rest in groups.items()]


def _masked_model(model: M, mask: Mask) -> M:
    """A copy that is not checked again: a mask may make a line longer than a model may write."""
    told = {name: (value, _masked(value, mask)) for name, value in model if name not in UNTOUCHED}
    changed = {name: masked for name, (value, masked) in told.items() if masked is not value}
    return model.model_copy(update=changed) if changed else model


def _masked(value: Any, mask: Mask) -> Any:
    """The same object where nothing is withheld."""
    if type(value) is str:  # labels are enums
        masked = mask(value)
        return value if masked == value else masked
    if isinstance(value, tuple):
        items = tuple(_masked(item, mask) for item in value)
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return _masked_model(value, mask) if isinstance(value, BaseModel) else value
