"""Department memos: theses with their fields, lessons applied, uncertainties."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.imports.published.chains import chain_of
from app.imports.published.markdown import Section, items_of, label_of, plain, section_named, sections_of
from app.imports.published.values import PublishedMemo, PublishedThesis

_THESIS = re.compile(
    r"^(?:\*\*)?Thesis\s+(?P<label>[A-Z]|\d)\b(?P<aside>\s*\([^)]*\))?\s*[:—–-]?\s*(?P<title>.*?)(?:\*\*)?$"
)
_FIELDS = {
    "why now": "why_now",
    "wedge": "wedge",
    "first customer": "first_customer",
    "makes obsolete": "makes_obsolete",
    "what it makes obsolete": "makes_obsolete",
    "obsoletes": "makes_obsolete",
    "risk": "risk",
    "caveat": "caveat",
    "budget": "budget",
}
_NAMES = "|".join(sorted(_FIELDS, key=len, reverse=True))
_INLINE = re.compile(rf"(?<=\S)\s+(?=\*{{1,2}}(?:{_NAMES})\b[^*]*:\*{{1,2}})", re.IGNORECASE)


def parse_memo(department: str, text: str) -> PublishedMemo:
    """Read a memo; theses stand under headings or bold lines, fields in bullets with bold or italic labels."""
    sections = sections_of(text)
    return PublishedMemo(
        department=department,
        text=text,
        theses=tuple(_thesis(label, title, lines) for label, title, lines in _thesis_parts(sections)),
        lessons=_list_under(sections, r"playbook (lessons|applied)", r"playbook applied"),
        uncertain=_list_under(sections, r"uncertain", r"(what we are )?most uncertain( about)?"),
    )


def _thesis_parts(sections: Sequence[Section]) -> list[tuple[str, str, list[str]]]:
    parts: list[tuple[str, str, list[str]]] = []
    for section in sections:
        heading = _THESIS.match(section.heading)
        if heading:
            parts.append((heading["label"], _title(heading), list(section.lines)))
        elif re.search("recommendation", section.heading, re.IGNORECASE):
            parts += _bold_theses(section.lines)
    return parts


def _bold_theses(lines: Sequence[str]) -> list[tuple[str, str, list[str]]]:
    parts: list[tuple[str, str, list[str]]] = []
    inside = False
    for line in lines:
        start = _THESIS.match(line) if line.startswith("**") else None
        if start:
            parts.append((start["label"], _title(start), []))
            inside = True
        elif line.startswith("**"):
            inside = False
        elif inside:
            parts[-1][2].append(line)
    return parts


def _title(start: re.Match[str]) -> str:
    title = re.sub(r"\s*\([^)]*\)$", "", start["title"])
    return plain(title)


def _thesis(label: str, title: str, lines: Sequence[str]) -> PublishedThesis:
    fields: dict[str, str] = {}
    for item in (part for line in items_of(lines) for part in _INLINE.split(line)):
        found = label_of(item)
        if found:
            # "Why now / wedge / first customer:" answers three questions in one text.
            for name in re.split(r"\s*/\s*", found[0].casefold()):
                if name in _FIELDS:
                    fields.setdefault(_FIELDS[name], found[1])
    return PublishedThesis(label, title, chain_of(lines), fields)


def _list_under(sections: Sequence[Section], heading: str, label: str) -> tuple[str, ...]:
    section = section_named(sections, heading)
    if section is not None:
        return items_of(section.lines)
    for line in (line for each in sections for line in each.lines):
        found = label_of(line)
        if found and re.fullmatch(label, found[0], re.IGNORECASE):
            return (found[1],)
    return ()
