"""The decision as a blind judge gets it: without what would name its condition (protocol section 5)."""

import re
from functools import lru_cache
from typing import Any

from app.domain.protocol.artifacts import Decision
from app.domain.protocol.company import CompanyState
from app.domain.protocol.personas import Roster

WITHHELD = "[withheld]"

ROLE_WORDS = (
    r"red[\s-]?team(?:er|ers|'s)?",
    r"C[ETF]O",
    r"CSO",
    r"chief (?:executive|technology|scientist|strategy|financial)(?: officer)?",
    r"chief scientist",
    r"play[\s-]?book",
    r"dissent(?:s|ed|er|ers|ing)?",
    r"memo(?:s|randum)?",
    r"departments?",
    r"the board",
    r"lessons? E\d+(?:-\d+)?",
    r"E\d+-\d+",
    r"[a-z_]+/[12]\b",
)


def blind_decision(decision: Decision, roster: Roster) -> Decision:
    """``D_k`` without lesson citations and dissents; its texts withhold role names and references to the Red Team."""
    pattern = _pattern(roster_words(roster))
    body = decision.model_dump(mode="json", exclude={"dissents", "lessons", "organization"})
    masked = {key: _masked(value, pattern) if key not in UNTOUCHED else value for key, value in body.items()}
    return Decision.model_validate({**masked, "dissents": (), "lessons": (), "organization": ()})


def blind_company(company: CompanyState, roster: Roster) -> CompanyState:
    """``S_k`` for a blind judge: what earlier decisions wrote into it is withheld in the same way."""
    pattern = _pattern(roster_words(roster))
    body = company.model_dump(mode="json", exclude={"identities"})
    identities = [
        {"era": identity.era, "name": identity.name, "line": _masked(identity.line, pattern)}
        for identity in company.identities
    ]
    return CompanyState.model_validate({**_masked(body, pattern), "identities": identities})


UNTOUCHED = frozenset({"kind", "company_name"})


def roster_words(roster: Roster) -> tuple[str, ...]:
    """Every persona name and title, longest first."""
    words = {word for persona in roster.personas for word in (persona.name, persona.title)}
    return tuple(sorted(words | set(roster.titles.values()), key=lambda word: (-len(word), word)))


@lru_cache(maxsize=8)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    escaped = [re.escape(word) for word in words]
    return re.compile(rf"\b(?:{'|'.join([*escaped, *ROLE_WORDS])})\b", re.IGNORECASE)


def _masked(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(WITHHELD, value)
    if isinstance(value, dict):
        return {key: item if key == "layer" else _masked(item, pattern) for key, item in value.items()}
    return [_masked(item, pattern) for item in value] if isinstance(value, list) else value
