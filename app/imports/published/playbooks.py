"""The Playbook: tagged or numbered lessons with the revisions written into them."""

from __future__ import annotations

import re

from app.imports.published.markdown import items_of, sections_of
from app.imports.published.values import PublishedLesson

_TAG = re.compile(r"^\*{0,2}\[(E\d+[^\]]*)\](?:\*\*)?:?\s*(.*)$", re.DOTALL)
_HEADING_TAG = re.compile(r"\[?\b(E\d+(?:/E\d+)*(?:-forecast)?)\b")
_REVISION = re.compile(r"\s*\*\((.+?)\)\*")


def parse_playbook(text: str) -> tuple[PublishedLesson, ...]:
    """Read lessons in order; one without a tag takes that of its heading, empty where that has none either."""
    lessons = []
    for section in sections_of(text):
        heading = _HEADING_TAG.search(section.heading)
        for item in items_of(section.lines) if section.level != 1 or _has_list(section.lines) else ():
            tag = _TAG.match(item)
            body = tag[2] if tag else item
            name = tag[1] if tag else heading[1] if heading else ""
            lessons.append(PublishedLesson(name, _REVISION.sub("", body).strip(), tuple(_REVISION.findall(body))))
    return tuple(lesson for lesson in lessons if lesson.tag)


def _has_list(lines: tuple[str, ...]) -> bool:
    return any(re.match(r"^(?:[-*]|\d+\.)\s", line) for line in lines)
