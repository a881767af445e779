"""Masks packets: consistent inside one item, different between items of the same run, with every mask on a list."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.domain.rating.mask_terms import MaskKind, MaskTerm, pattern_of
from app.domain.rating.packets import Packet, Section
from app.domain.rating.shortening import Rules

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


@dataclass(frozen=True, slots=True)
class Mask:
    """One replacement in the section of this title, with the text around it; ``put`` is empty for what was left out."""

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


def mask_codes(
    unit: str, meanings: Mapping[str, Sequence[str]], seed: int, rules: Rules = Rules.EVEN
) -> dict[str, dict[str, str]]:
    """Stand-ins for the companies of one run: by item key, then by meaning; none is used in two items.

    ``meanings`` gives each item's meanings; the draw depends on seed and unit alone. Raises ValueError when a run has
    more names than there are two-letter codes.
    """
    wanted = sum(len(names) for names in meanings.values())
    if wanted > len(LETTERS) ** 2:
        raise ValueError(f"masks: {unit} needs {wanted} stand-ins, more than {len(LETTERS) ** 2}; split its items")
    digest = hashlib.sha256(f"{seed}|{unit}".encode()).digest()
    order = np.random.default_rng(int.from_bytes(digest[:8])).permutation(len(LETTERS) ** 2)
    free = [f"{LETTERS[code // len(LETTERS)]}{LETTERS[code % len(LETTERS)]}" for code in order]
    pick = _pick_unlike if rules is Rules.EVEN else _pick_next
    return {
        key: {name: f"Company {code}" for name, code in zip(sorted(names), pick(free, len(names)), strict=True)}
        for key, names in sorted(meanings.items())
    }


def _pick_next(free: list[str], count: int) -> list[str]:
    """The first rules: whatever comes next."""
    picked, free[:] = free[:count], free[count:]
    return picked


def _pick_unlike(free: list[str], count: int) -> list[str]:
    """Codes of one item: no letter in two of them as long as letters last, then none at the same place, none turned.

    The letters of a code stand equally far apart in the alphabet of LETTERS as those of the item's others: twenty
    such codes share no letter at the same place, and only half a turn apart can one be another turned round.
    """
    by_turn: dict[int, list[str]] = {}
    for code in free:
        by_turn.setdefault((LETTERS.index(code[1]) - LETTERS.index(code[0])) % len(LETTERS), []).append(code)
    picked: list[str] = []
    for turn in by_turn.values():
        fitting = _unlike(turn, count)
        if len(fitting) > len(picked):
            picked = fitting
        if len(picked) == count:
            break
    picked += [code for code in free if code not in picked][: count - len(picked)]
    free[:] = [code for code in free if code not in picked]
    return picked


def _unlike(codes: Sequence[str], count: int) -> list[str]:
    """Up to ``count`` of them, those without a common letter first; never one that is another turned round."""
    picked: list[str] = []
    for code in codes:
        if not any(set(code) & set(other) for other in picked):
            picked.append(code)
    for code in codes:
        if code not in picked and code[::-1] not in picked:
            picked.append(code)
    return picked[:count]


def mask_packet(packet: Packet, terms: Iterable[MaskTerm], codes: Mapping[str, str], lifted: Iterable[str]) -> Masked:
    """Mask every section and its title; ``codes`` give the stand-in of each company by meaning.

    Names are longest first, so that no shorter one is masked inside a longer. ``lifted`` terms stay.
    """
    kept = frozenset(lifted)
    chosen = tuple(term for term in _in_order(terms) if not {term.text, term.meaning} & kept)
    sections: list[Section] = []
    masks: list[Mask] = []
    near: list[Mask] = []
    for section in packet.sections:
        masker = _Masker(section, chosen, codes)
        texts = {"title": masker.masked(section.title), "text": masker.masked(section.text)}
        sections.append(section.model_copy(update=texts))
        masks += masker.masks
        near += _near_misses(section, chosen)
    return Masked(Packet(sections=tuple(sections)), tuple(masks), tuple(near))


class _Masker:
    """Masks the texts of one section and notes what it did."""

    def __init__(self, section: Section, terms: tuple[MaskTerm, ...], codes: Mapping[str, str]) -> None:
        self.masks: list[Mask] = []
        self._section = section
        self._codes = codes
        used = [term for term in terms if not (section.world and term.kind.stays_in_world)]
        self._terms = {f"t{number}": term for number, term in enumerate(used)}
        self._pattern = _compiled(tuple((name, pattern_of(term)) for name, term in self._terms.items()))

    def masked(self, text: str) -> str:
        """The text with everything masked."""
        return self._pattern.sub(self._put, text) if self._terms else text

    def _put(self, found: re.Match[str]) -> str:
        term = self._terms[str(found.lastgroup)]
        put = self._codes[term.meaning] if term.kind is MaskKind.COMPANY else STAND_INS[term.kind]
        self.masks.append(Mask(self._section.title, term.kind, term.name, found.group(), put, *_around(found)))
        return put


def _near_misses(section: Section, terms: tuple[MaskTerm, ...]) -> list[Mask]:
    """Company names in lower case: most are ordinary words, so a person decides."""
    names = sorted({term.text.lower() for term in terms if term.kind is MaskKind.COMPANY})
    if section.world or not names:
        return []
    pattern = re.compile(rf"(?<![A-Za-z0-9-])(?:{'|'.join(re.escape(name) for name in names)})")
    return [
        Mask(section.title, MaskKind.COMPANY, found.group(), found.group(), found.group(), *_around(found))
        for found in pattern.finditer(section.text)
    ]


def _around(found: re.Match[str]) -> tuple[str, str]:
    text = found.string
    return text[max(0, found.start() - CONTEXT) : found.start()], text[found.end() : found.end() + CONTEXT]


def _in_order(terms: Iterable[MaskTerm]) -> list[MaskTerm]:
    """Patterns of whole passages first, then the longest names."""
    return sorted(set(terms), key=lambda term: (not term.is_pattern, -len(term.text), term.text, term.kind))


@lru_cache(maxsize=512)
def _compiled(patterns: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in patterns), re.MULTILINE)
