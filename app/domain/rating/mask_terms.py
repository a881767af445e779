"""What a packet must not say: names of the run's companies, of runs and models, and notes on who wrote a text."""

import re
from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from app.domain.engine.blinding import ROLE_WORDS

GENERIC = frozenset(
    {
        "ai", "analytics", "associates", "co", "company", "computing", "corp", "corporation", "data", "digital",
        "exchange", "foundry", "global", "group", "holdings", "inc", "industries", "international", "labs",
        "laboratories", "limited", "llc", "ltd", "media", "network", "networks", "partners", "platform", "research",
        "services", "software", "solutions", "studio", "studios", "systems", "technologies", "technology", "the",
        "ventures", "works", "&", "and", "of",
    }
)  # fmt: skip
"""Words that follow a company's name without being its name."""

ENDINGS = r"(?:ers?|ed|ing|ians?|ans?|like|es|s|d)?"
APOSTROPHE = r"(?:['’\u2018\u02bc]s?)?"


_WRITERS = (
    "(?:the )?lab orchestrator|written by (?:the |an? )?(?:orchestrator|operator|human|model|person)"
    "|board step|agent launch(?:es)?|launch service"
)
AUTHORSHIP = (
    r"^[ \t]*[*_]+(?:Run note|Attendees|Present|Prepared by|Note|Author|Written by)\b[^\n]*\n?",
    rf"[^.\n|]*\b(?:{_WRITERS})\b[^.\n|]*\.?(?:[ \t]*It (?:follows|is judged)[^.\n]*\.)?",
)
SCORES = (
    r"\b\d{1,3}(?:\.\d+)?\s*/\s*100\b",
    r"\b(?:overall|era|total|judge's?) scores?\b:?\s*\**\d{1,3}\**",
    r"\bscores? (?:of )?\d{1,3}\b",
)
CITATIONS = (r"[ \t]?\(\[E\d+[^\]\n]{0,24}\]\)", r"[ \t]?\[E\d+[^\]\n]{0,24}\]", r"\bE\d+-\d+\b")


class MaskKind(StrEnum):
    """What is masked, and so what stands in its place."""

    COMPANY = "company"
    RUN = "run"
    MODEL = "model"
    CONDITION = "condition"
    ROLE = "role"
    AUTHORSHIP = "authorship"
    SCORE = "score"
    CITATION = "citation"
    ADDED = "added"

    @property
    def stays_in_world(self) -> bool:
        """Whether the same name as a fact of the world record stays; every kind but an operator's own term does."""
        return self is not MaskKind.ADDED


class MaskTerm(BaseModel):
    """A name to mask in all its forms; terms of the same ``group`` mean the same thing and share a stand-in.

    ``is_pattern`` marks a regular expression of our own, named by its group; people add plain terms only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1, max_length=6_000)
    kind: MaskKind
    group: str = ""
    any_case: bool = False
    is_pattern: bool = False

    @property
    def meaning(self) -> str:
        """What the term stands for inside its item, and the name by which it is lifted."""
        return self.group or self.text

    @property
    def name(self) -> str:
        """The term as a list shows it."""
        return self.group if self.is_pattern else self.text


def company_terms(names: Iterable[str]) -> tuple[MaskTerm, ...]:
    """Terms for company names: each as written, and its head without words like Systems or Networks."""
    found: dict[str, MaskTerm] = {}
    for name in sorted({" ".join(name.split()) for name in names if name.strip()}):
        head = head_of(name)
        for text in (name, head):
            found.setdefault(text, MaskTerm(text=text, kind=MaskKind.COMPANY, group=head))
    return tuple(found.values())


def head_of(name: str) -> str:
    """The part of a company's name that names it: ``Manifest Networks`` gives ``Manifest``."""
    words = name.split()
    while len(words) > 1 and words[-1].strip(".,").casefold() in GENERIC:
        words.pop()
    while len(words) > 1 and words[0].casefold() in GENERIC:
        words.pop(0)
    return " ".join(words)


def plain_terms(kind: MaskKind, texts: Iterable[str]) -> tuple[MaskTerm, ...]:
    """Terms that mean one thing each and are found in upper and lower case alike."""
    return tuple(MaskTerm(text=text, kind=kind, any_case=True) for text in sorted({t.strip() for t in texts} - {""}))


def note_terms() -> tuple[MaskTerm, ...]:
    """Patterns for notes on who wrote a text, for judges' scores, and for citations of lessons."""
    passages = ((MaskKind.AUTHORSHIP, AUTHORSHIP), (MaskKind.SCORE, SCORES), (MaskKind.CITATION, CITATIONS))
    return tuple(
        MaskTerm(text="|".join(patterns), kind=kind, group=f"every {kind}", any_case=True, is_pattern=True)
        for kind, patterns in passages
    )


def role_terms(words: Iterable[str]) -> tuple[MaskTerm, ...]:
    """One pattern for role names and the given ``words`` (names of people), as a blind judge gets it.

    Names of theses such as ``market_capital/1`` stay: in published texts they would be OS/2 and its like.
    """
    names = (re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    either = "|".join([*names, *(word for word in ROLE_WORDS if "/" not in word)])
    text = rf"(?<!\w)(?:{either})(?!\w)"
    return (MaskTerm(text=text, kind=MaskKind.ROLE, group="every role", any_case=True, is_pattern=True),)


def pattern_of(term: MaskTerm) -> str:
    """A regular expression for the term in all its forms; the group it captures is what gets replaced.

    A company's name counts with a capital (or all in capitals), with an ending, a possessive, glued to other words of
    a product's name, and with the parts of CamelCase written apart. In lower case it is an ordinary word.
    """
    if term.is_pattern:
        return f"(?i:{term.text})"
    if term.any_case:
        return rf"(?<![A-Za-z0-9])(?i:{_spaced(term.text)})(?=(?i:{APOSTROPHE})(?![A-Za-z0-9]))"
    forms = {_spaced(term.text), _spaced(term.text.upper()), *_camel_forms(term.text)}
    either = "|".join(sorted(forms, key=lambda form: (-len(form), form)))
    return rf"(?<![A-Z0-9])(?:{either})(?=(?:{ENDINGS}|{ENDINGS.upper()}){APOSTROPHE}(?![a-z]))"


def _spaced(text: str) -> str:
    return r"\s+".join(re.escape(word) for word in text.split())


def _camel_forms(text: str) -> set[str]:
    parts = re.findall(r"[A-Z][a-z]+|[A-Z]+(?![a-z])|[a-z]+|\d+", text)
    if " " in text or len(parts) < 2 or "".join(parts) != text:
        return set()
    apart = r"[\s-]?".join([re.escape(parts[0]), *(f"(?i:{re.escape(part)})" for part in parts[1:])])
    return {apart}
