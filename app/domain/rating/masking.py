"""Masks packets: consistent inside one item, different between items of the same run, with every mask on a list."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.domain.rating.mask_terms import MaskKind, MaskTerm, pattern_of
from app.domain.rating.packets import Packet, Section

CONTEXT = 60
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
STAND_INS = {
    MaskKind.RUN: "[this record]",
    MaskKind.MODEL: "[a model]",
    MaskKind.CONDITION: "[a setting]",
    MaskKind.ROLE: "[withheld]",
    MaskKind.AUTHORSHIP: "",
    MaskKind.SCORE: "[score withheld]",
    MaskKind.CITATION: "",
    MaskKind.ADDED: "[masked]",
}
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
    r"\b(?:overall|era|total|judge'?s?) scores?\b:?\s*\**\d{1,3}\**",
    r"\bscores? (?:of )?\d{1,3}\b",
)
CITATIONS = (r"[ \t]?\[E\d+[^\]\n]{0,24}\]", r"\bE\d+-\d+\b")


@dataclass(frozen=True, slots=True)
class Mask:
    """One replacement with the text around it; ``put`` is empty where something was left out."""

    section: str
    kind: MaskKind
    term: str
    found: str
    put: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Masked:
    """A masked packet, its masks in reading order, and near-misses: names in lower case that stayed as words."""

    packet: Packet
    masks: tuple[Mask, ...]
    near: tuple[Mask, ...]


def mask_codes(unit: str, meanings: Mapping[str, Sequence[str]], seed: int) -> dict[str, dict[str, str]]:
    """Stand-ins for the companies of one run: by item key, then by meaning; none is used in two items.

    ``meanings`` gives each item's meanings; the draw depends on seed and unit alone. Raises ValueError when a run has
    more names than there are two-letter codes.
    """
    wanted = sum(len(names) for names in meanings.values())
    if wanted > len(LETTERS) ** 2:
        raise ValueError(f"masks: {unit} needs {wanted} stand-ins, more than {len(LETTERS) ** 2}; split its items")
    digest = hashlib.sha256(f"{seed}|{unit}".encode()).digest()
    order = np.random.default_rng(int.from_bytes(digest[:8])).permutation(len(LETTERS) ** 2)
    codes = iter(f"Company {LETTERS[code // len(LETTERS)]}{LETTERS[code % len(LETTERS)]}" for code in order)
    return {key: {name: next(codes) for name in sorted(meanings[key])} for key in sorted(meanings)}


def mask_packet(packet: Packet, terms: Iterable[MaskTerm], codes: Mapping[str, str], lifted: Iterable[str]) -> Masked:
    """Mask every section and its title; ``codes`` give the stand-in of each company by meaning.

    Names are longest first, so that no shorter one is masked inside a longer. ``lifted`` terms stay.
    """
    kept = set(lifted)
    chosen = tuple(term for term in terms if term.text not in kept)
    sections: list[Section] = []
    masks: list[Mask] = []
    near: list[Mask] = []
    for section in packet.sections:
        masker = _Masker(section, chosen, codes, frozenset(kept))
        texts = {"title": masker.text(section.title), "text": masker.text(section.text)}
        sections.append(section.model_copy(update=texts))
        masks += masker.masks
        near += _near_misses(section, chosen)
    return Masked(Packet(sections=tuple(sections)), tuple(masks), tuple(near))


class _Masker:
    """Masks the texts of one section and notes what it did."""

    def __init__(
        self, section: Section, terms: tuple[MaskTerm, ...], codes: Mapping[str, str], lifted: frozenset[str]
    ) -> None:
        self.masks: list[Mask] = []
        self._section = section
        self._codes = codes
        self._terms = tuple(term for term in terms if not (section.world and term.kind.stays_in_world))
        self._lifted = lifted

    def text(self, text: str) -> str:
        """The text with everything masked."""
        if not self._section.world:
            for kind, patterns in _WHOLE_PASSAGES:
                text = self._passages(text, kind, patterns)
        if not self._terms:
            return text
        by_name = {f"t{number}": term for number, term in enumerate(_longest_first(self._terms))}
        return _compiled(tuple((name, pattern_of(term)) for name, term in by_name.items())).sub(
            lambda found: self._put(found, by_name[str(found.lastgroup)]), text
        )

    def _passages(self, text: str, kind: MaskKind, patterns: tuple[str, ...]) -> str:
        if kind in self._lifted:
            return text
        term = MaskTerm(text=kind, kind=kind)
        for pattern in patterns:
            text = _passage(pattern).sub(lambda found: self._put(found, term), text)
        return text

    def _put(self, found: re.Match[str], term: MaskTerm) -> str:
        put = self._codes[term.meaning] if term.kind is MaskKind.COMPANY else STAND_INS[term.kind]
        before, after = _around(found)
        self.masks.append(Mask(self._section.id, term.kind, term.text, found.group(), put, before, after))
        return put


_WHOLE_PASSAGES = ((MaskKind.AUTHORSHIP, AUTHORSHIP), (MaskKind.SCORE, SCORES), (MaskKind.CITATION, CITATIONS))


def _near_misses(section: Section, terms: tuple[MaskTerm, ...]) -> list[Mask]:
    """Company names in lower case: most are ordinary words, so a person decides."""
    names = sorted({term.text.lower() for term in terms if term.kind is MaskKind.COMPANY})
    if section.world or not names:
        return []
    pattern = re.compile(rf"(?<![A-Za-z0-9-])(?:{'|'.join(re.escape(name) for name in names)})")
    return [
        Mask(section.id, MaskKind.COMPANY, found.group(), found.group(), found.group(), *_around(found))
        for found in pattern.finditer(section.text)
    ]


def _around(found: re.Match[str]) -> tuple[str, str]:
    text = found.string
    return text[max(0, found.start() - CONTEXT) : found.start()], text[found.end() : found.end() + CONTEXT]


def _longest_first(terms: Iterable[MaskTerm]) -> list[MaskTerm]:
    return sorted(terms, key=lambda term: (-len(term.text), term.text, term.kind))


@lru_cache(maxsize=512)
def _compiled(patterns: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in patterns))


@lru_cache(maxsize=64)
def _passage(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
