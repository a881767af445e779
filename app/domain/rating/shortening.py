"""Short packets: long sections keep entries spread evenly over all they hold, so that a rater sees the whole time."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from app.domain.rating.packets import Packet, Section

SECTION_WORDS = 220
OUTCOME_WORDS = 440
"""What happened gets twice the room: timing and the choice of a layer are scored against its whole window."""

CUT = "[shortened]"
OPENS = re.compile(r"([-*+]|\d+[.)])\s")
"""How a line begins that opens an entry of its own, without a blank line before it."""


class Rules(IntEnum):
    """By which rules packets are shortened and companies named; a locked panel keeps those it was locked under."""

    FIRST = 1
    EVEN = 2


@dataclass(frozen=True, slots=True)
class _Entry:
    """One bullet, event or paragraph with the number of the heading it stands under (0: none)."""

    text: str
    words: int
    heading: int


def shortened(packet: Packet, rules: Rules = Rules.EVEN) -> Packet:
    """The packet with every section but the decision near 220 words (the outcome 440), each saying how much is left."""
    cut = _cut_evenly if rules is Rules.EVEN else _cut_off
    return Packet(
        sections=tuple(
            section if section.id == "decision" else section.model_copy(update={"text": cut(section)})
            for section in packet.sections
        )
    )


def _cut_evenly(section: Section) -> str:
    room = OUTCOME_WORDS if section.outcome else SECTION_WORDS
    text = re.sub(r"\n{3,}", "\n\n", section.text)
    headings, entries = _read(text)
    if len(entries) < 2 or sum(entry.words for entry in entries) <= room:
        return text
    kept = next(
        (chosen for count in range(len(entries) - 1, 1, -1) if _words(chosen := _spread(entries, count)) <= room),
        _spread(entries, 1),
    )
    said = f"*Shortened: {len(kept)} of {len(entries)} entries are shown, spread evenly over the whole section.*"
    return "\n\n".join([said, *_written(headings, kept)])


def _read(text: str) -> tuple[list[str], list[_Entry]]:
    """The headings in order (the first is none), and the entries in order; a table is one entry."""
    headings = [""]
    found: list[tuple[list[str], int]] = []
    is_open = False
    for line in text.splitlines():
        if line.startswith("#"):
            headings.append(line)
        elif line.strip():
            if is_open and not OPENS.match(line):
                found[-1][0].append(line)
            else:
                found.append(([line], len(headings) - 1))
        is_open = bool(line.strip()) and not line.startswith("#")
    return headings, [_Entry("\n".join(lines), len(" ".join(lines).split()), under) for lines, under in found]


def _spread(entries: Sequence[_Entry], count: int) -> list[_Entry]:
    """``count`` entries from the first to the last at even distances; the middle one where there is only one."""
    last = len(entries) - 1
    return [entries[round(last * (place / (count - 1) if count > 1 else 0.5))] for place in range(count)]


def _words(entries: Sequence[_Entry]) -> int:
    return sum(entry.words for entry in entries)


def _written(headings: Sequence[str], entries: Sequence[_Entry]) -> Iterator[str]:
    """The headings, all of them, each with its entries below."""
    for number, heading in enumerate(headings):
        if heading:
            yield heading
        below = [entry.text for entry in entries if entry.heading == number]
        if below:
            yield below[0] + "".join(("\n" if OPENS.match(text) else "\n\n") + text for text in below[1:])


def _cut_off(section: Section) -> str:
    """The first rules: the first 220 words."""
    kept: list[str] = []
    words = 0
    for line in section.text.splitlines():
        words += len(line.split())
        if words > SECTION_WORDS and kept:
            return "\n".join([*kept, "", CUT])
        kept.append(line)
    return re.sub(r"\n{3,}", "\n\n", section.text)
