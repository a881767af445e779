"""Reading the records' Markdown: sections, list items and labelled fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$")
_ITEM = re.compile(r"^(?:[-*•]|\d+[.)])\s+(.*)$")
_LABEL = re.compile(
    r"^\*{1,2}(?P<name>[^*:]{2,80}?)(?P<inner>:?)\*{1,2}(?P<aside>\s*\([^)]*\))?(?P<outer>:?)\s*(?P<rest>.*)$"
)
_ASIDE = re.compile(r"\s*\(.*\)\s*$")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its level (0 before the first) and the lines below it, up to the next heading."""

    level: int
    heading: str
    lines: tuple[str, ...]


def sections_of(text: str) -> list[Section]:
    """Split a document at its headings; what stands before the first has an empty heading."""
    found: list[Section] = []
    level, heading, lines = 0, "", list[str]()
    for line in text.splitlines():
        mark = _HEADING.match(line)
        if mark is None:
            lines.append(line.rstrip())
            continue
        found.append(Section(level, heading, tuple(lines)))
        level, heading, lines = len(mark[1]), mark[2], []
    return [*found, Section(level, heading, tuple(lines))]


def section_named(sections: Sequence[Section], pattern: str) -> Section | None:
    """Give the first section whose heading matches the pattern, whatever its case."""
    wanted = re.compile(pattern, re.IGNORECASE)
    return next((section for section in sections if wanted.search(section.heading)), None)


def items_of(lines: Iterable[str]) -> tuple[str, ...]:
    """Give the list items of some lines; without a list, the paragraphs. Continuation lines join their item."""
    items: list[str] = []
    paragraphs: list[str] = []
    open_item = False
    for line in (*lines, ""):
        mark = _ITEM.match(line)
        if mark:
            items.append(mark[1])
            open_item = True
        elif line.strip():
            kept = items if open_item else paragraphs
            continues = bool(kept) and (open_item or paragraphs[-1] != "")
            if continues:
                kept[-1] = f"{kept[-1]} {line.strip()}".strip()
            else:
                paragraphs.append(line.strip())
        else:
            open_item = False
            paragraphs.append("")
    return tuple(items) or tuple(paragraph for paragraph in paragraphs if paragraph)


def label_of(line: str) -> tuple[str, str] | None:
    """Give (name, rest) of a line that opens with a bold or italic label and a colon, else None.

    `**KEEP (assets to build):** x`, `**Kill criteria** (pre-committed): x` and `*Chain:* x` are such lines.
    """
    mark = _LABEL.match(line.strip())
    if mark is None or not (mark["inner"] or mark["outer"]):
        return None
    return _ASIDE.sub("", mark["name"]).strip(), mark["rest"].strip()


def labelled_fields(lines: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Split lines into fields that open with a label at the start of a line; the first value may be empty."""
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        label = label_of(line) if line.startswith("*") else None
        if label is not None:
            current = fields.setdefault(label[0].casefold(), [])
            current.append(label[1])
        elif current is not None:
            current.append(line)
    return {name: tuple(value) for name, value in fields.items()}


def plain(text: str) -> str:
    """Take bold and italic marks out of a text, and surrounding quotation marks and spaces off it."""
    bare = re.sub(r"\*{1,3}", "", text).strip()
    return bare[1:-1].strip() if re.fullmatch(r'["“].*["”]', bare) else bare


def joined(lines: Iterable[str]) -> str:
    """Join lines into one text without empty edges."""
    return "\n".join(lines).strip()


def first_of(fields: Mapping[str, tuple[str, ...]], pattern: str) -> tuple[str, ...]:
    """Give the lines of the first field whose name matches the whole pattern, or nothing."""
    wanted = re.compile(pattern)
    return next((value for name, value in fields.items() if wanted.fullmatch(name)), ())
