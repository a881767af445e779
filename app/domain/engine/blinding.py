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

ROLE_RUNS = frozenset(
    b"red redteam redteams redteamer redteamers redteamed redteaming ceo ceos cto ctos cfo cfos cso csos chief "
    b"play playbook playbooks dissent dissents dissented dissenter dissenters dissenting dissension dissensions "
    b"memo memos memorandum memoranda memorandums department departments departmental board lesson lessons".split()
)
"""A whole run of letters of each of these words, in every form; those with a slash or a hyphened number need none."""

_NUMBERED = re.compile(r"-\d")
_ODD = frozenset("\u0130\u0131\u017f\u212a")
"""The letters beyond ASCII that are the same as one of it when case is ignored."""

_APART = bytes(code if chr(code) in "0123456789abcdefghijklmnopqrstuvwxyz" else ord(" ") for code in range(256))

UNTOUCHED = frozenset({"kind", "company_name", "name", "layer"})

KEPT_ROSTERS = 16
KEPT_LINES = 4_096
"""How many masked texts and parts are kept for each roster."""

M = TypeVar("M", bound=BaseModel)


def blind_decision(decision: Decision, roster: Roster) -> Decision:
    """``D_k`` without lesson citations and dissents; its texts withhold role names and references to the Red Team."""
    bare = decision.model_copy(update={"dissents": (), "lessons": (), "organization": ()})
    return _mask_for(roster).model(bare)


def blind_company(company: CompanyState, roster: Roster) -> CompanyState:
    """``S_k`` for the same eyes: its assets and identities were written by the players."""
    return _mask_for(roster).model(company)


def roster_words(roster: Roster) -> tuple[str, ...]:
    """Every persona name and title, longest first."""
    words = {word for persona in roster.personas for word in (persona.name, persona.title)}
    return tuple(sorted(words | set(roster.titles.values()), key=lambda word: (-len(word), word)))


def name_parts(roster: Roster) -> tuple[str, ...]:
    """First and last names of the personas, as they may stand alone."""
    return tuple(sorted({part for persona in roster.personas for part in persona.name.split() if part.istitle()}))


@once_each(KEPT_ROSTERS)
def _mask_for(roster: Roster) -> "_Mask":
    return _Mask(roster_words(roster), name_parts(roster))


class _Mask:
    """Withholds a roster's words; texts and parts come again, such as a company's earlier identities."""

    def __init__(self, words: tuple[str, ...], names: tuple[str, ...]) -> None:
        self._pattern = _pattern(words, names)
        self._telling = _telling_runs((*words, *names))
        self.text: Callable[[str], str] = lru_cache(maxsize=KEPT_LINES)(self._text)
        self.part: Callable[[BaseModel], BaseModel] = once_each(KEPT_LINES)(self.model)

    def model(self, model: M) -> M:
        """A copy that is not checked again: a mask may make a line longer than a model may write."""
        told = {name: (value, self._value(value)) for name, value in model if name not in UNTOUCHED}
        changed = {name: masked for name, (value, masked) in told.items() if masked is not value}
        return model.model_copy(update=changed) if changed else model

    def _value(self, value: Any) -> Any:
        """The same object where nothing is withheld."""
        if type(value) is str:  # labels are enums
            masked = self.text(value)
            return value if masked == value else masked
        if isinstance(value, tuple):
            items = tuple(map(self._value, value))
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        return self.part(value) if isinstance(value, BaseModel) else value

    def _text(self, text: str) -> str:
        return self._pattern.sub(WITHHELD, text) if self._may_change(text) else text

    def _may_change(self, text: str) -> bool:
        """False only where no word can match: a look at the runs of a text costs a tenth of looking for every word."""
        if self._telling is None or "/" in text or _NUMBERED.search(text):
            return True
        is_odd = not text.isascii() and not _ODD.isdisjoint(text)
        return is_odd or not self._telling.isdisjoint(_runs(text))


def _telling_runs(words: Iterable[str]) -> frozenset[bytes] | None:
    """A run of each word, with a plural, and those of roles; None where a word has other letters, or no run."""
    telling = set(ROLE_RUNS)
    for word in words:
        runs = _runs(word)
        if not runs or not word.isascii():
            return None
        telling |= {runs[0], runs[0] + b"s"}
    return frozenset(telling)


def _runs(text: str) -> list[bytes]:
    """The runs of ASCII letters and digits, in lower case."""
    return text.lower().encode(errors="surrogatepass").translate(_APART).split()


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
