"""Thesis chains, written as six labelled bullets or as one line of arrows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.imports.published.markdown import items_of, label_of, plain
from app.imports.published.values import CHAIN_LINKS

_LINK_NAMES: Mapping[str, str] = {
    "capability": "capability",
    "adoption": "adoption",
    "bottleneck": "bottleneck",
    "layer": "layer_owned",
    "layer we own": "layer_owned",
    "layer owned": "layer_owned",
    "data": "proprietary_data",
    "proprietary data": "proprietary_data",
    "next capability": "next_capability",
    "next": "next_capability",
}
_NAMED = "|".join(sorted(_LINK_NAMES, key=len, reverse=True))
_LEADING = re.compile(rf"^(?:the\s+)?(?P<name>{_NAMED})\b(?:\s+is)?\s*:?\s*", re.IGNORECASE)
_TRAILING = re.compile(rf"\s*\((?P<name>{_NAMED})\)\s*\.?$", re.IGNORECASE)


def chain_of(lines: Sequence[str]) -> dict[str, str]:
    """Give the links found in some lines by name; all six when the chain is whole, fewer when it is not."""
    labelled = _labelled_links(lines)
    if len(labelled) >= 3:
        return labelled
    arrows = [line for line in (*items_of(lines), *lines) if line.count("→") >= 3]
    return _arrow_links(arrows[0]) if arrows else labelled


def _labelled_links(lines: Sequence[str]) -> dict[str, str]:
    links: dict[str, str] = {}
    for item in items_of(lines):
        label = label_of(item)
        if label and (name := _LINK_NAMES.get(label[0].casefold())):
            links.setdefault(name, label[1])
    return links


def _arrow_links(line: str) -> dict[str, str]:
    """Split at the arrows; a part that names its link goes there, six unnamed parts go in order."""
    label = label_of(line)
    parts = [plain(part) for part in (label[1] if label else line).split("→")]
    if len(parts) == len(CHAIN_LINKS):
        return {name: _without_name(part) for name, part in zip(CHAIN_LINKS, parts, strict=True)}
    links: dict[str, str] = {CHAIN_LINKS[0]: _without_name(parts[0])}
    for part in parts[1:]:
        name = _name_in(part)
        if name and name not in links:
            links[name] = _without_name(part)
    return links


def _name_in(part: str) -> str | None:
    mark = _LEADING.match(part) or _TRAILING.search(part)
    return _LINK_NAMES[mark["name"].casefold()] if mark else None


def _without_name(part: str) -> str:
    return _TRAILING.sub("", _LEADING.sub("", part)).strip()
