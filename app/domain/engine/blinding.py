"""What a blind judge reads of the company's own words: without what would name the condition (protocol section 5)."""

import re
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel

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
    r"(?:frontier_research|product_engineering|market_capital)/[12]",
)

UNTOUCHED = frozenset({"kind", "company_name", "name", "layer"})

M = TypeVar("M", bound=BaseModel)


def blind_decision(decision: Decision, roster: Roster) -> Decision:
    """``D_k`` without lesson citations and dissents; its texts withhold role names and references to the Red Team."""
    bare = decision.model_copy(update={"dissents": (), "lessons": (), "organization": ()})
    return _masked_model(bare, _pattern(roster_words(roster), name_parts(roster)))


def blind_company(company: CompanyState, roster: Roster) -> CompanyState:
    """``S_k`` for the same eyes: its assets and identities were written by the players."""
    return _masked_model(company, _pattern(roster_words(roster), name_parts(roster)))


def roster_words(roster: Roster) -> tuple[str, ...]:
    """Every persona name and title, longest first."""
    words = {word for persona in roster.personas for word in (persona.name, persona.title)}
    return tuple(sorted(words | set(roster.titles.values()), key=lambda word: (-len(word), word)))


def name_parts(roster: Roster) -> tuple[str, ...]:
    """First and last names of the personas, as they may stand alone."""
    return tuple(sorted({part for persona in roster.personas for part in persona.name.split() if part.istitle()}))


@lru_cache(maxsize=8)
def _pattern(words: tuple[str, ...], names: tuple[str, ...]) -> re.Pattern[str]:
    """Words in any case, with a plural; names in their own case only, since some are words too."""
    titles = [rf"{re.escape(word)}s?" for word in words]
    own = [rf"(?-i:{re.escape(name)})" for name in names]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join([*titles, *ROLE_WORDS, *own])})(?![^\W_])", re.IGNORECASE)


def _masked_model(model: M, pattern: re.Pattern[str]) -> M:
    """A copy that is not checked again: a mask may make a line longer than a model may write."""
    fields = {name: getattr(model, name) for name in type(model).model_fields if name not in UNTOUCHED}
    return model.model_copy(update={name: _masked(value, pattern) for name, value in fields.items()})


def _masked(value: Any, pattern: re.Pattern[str]) -> Any:
    match value:
        case BaseModel():
            return _masked_model(value, pattern)
        case tuple():
            return tuple(_masked(item, pattern) for item in value)
        case str() if type(value) is str:
            return pattern.sub(WITHHELD, value)
        case _:
            return value
