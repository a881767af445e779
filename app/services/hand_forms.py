"""The form a person fills in a model's place: made from the artifact's own JSON schema, and read back into its body."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.services.hand_words import FIELD_WORDS

LINE_LENGTH = 600
"""A value that may have more characters is a text of several lines."""

MOST_ITEMS = 60
YES_NO = {"yes": True, "no": False}

Sent = Mapping[str, str]
"""What the browser sent: values by path, such as ``theses.0.chain.layer``."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value: ``kind`` is line, text, number, choice or yes_no."""

    path: str
    label: str
    help: str
    kind: str
    options: tuple[str, ...]
    value: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Values that belong together."""

    path: str
    label: str
    help: str
    children: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Many:
    """A list; ``can_grow`` and ``can_shrink`` say whether the schema allows one more or one fewer."""

    path: str
    label: str
    help: str
    items: tuple["Node", ...]
    can_grow: bool
    can_shrink: bool


Node = Leaf | Group | Many


def form_nodes(schema: Mapping[str, Any], body: Any) -> tuple[Node, ...]:
    """The form of a schema, filled with ``body`` as far as it fits."""
    whole = body if isinstance(body, Mapping) else {}
    return tuple(
        _node(part, name, _label(name), whole.get(name), schema.get("$defs", {}))
        for name, part in schema["properties"].items()
        if "const" not in part
    )


def read_body(schema: Mapping[str, Any], sent: Sent, *, more: str = "", fewer: str = "") -> dict[str, Any]:
    """The body a sent form holds; ``more`` and ``fewer`` name a list that gets or loses an item at its end."""
    reader = _Reader(sent, schema.get("$defs", {}), more, fewer)
    return {name: reader.read(part, name) for name, part in schema["properties"].items() if "const" not in part}


@dataclass(frozen=True, slots=True)
class _Reader:
    sent: Sent
    parts: Mapping[str, Any]
    more: str
    fewer: str

    def read(self, part: Mapping[str, Any], path: str) -> Any:
        plain, optional = _plain(part, self.parts)
        if plain.get("type") == "object":
            return {
                name: inner["const"] if "const" in inner else self.read(inner, f"{path}.{name}")
                for name, inner in plain["properties"].items()
            }
        if plain.get("type") == "array":
            return [self.read(plain["items"], f"{path}.{place}") for place in range(self._length(path))]
        if plain.get("type") == "null":
            return None
        return _value(plain, self.sent.get(path, ""), optional=optional)

    def _length(self, path: str) -> int:
        written = self.sent.get(f"{path}.length", "0")
        length = int(written) if re.fullmatch(r"\d{1,9}", written) else 0
        return max(0, min(length + (self.more == path) - (self.fewer == path), MOST_ITEMS))


def _value(plain: Mapping[str, Any], text: str, *, optional: bool) -> Any:
    trimmed = text.replace("\r\n", "\n").strip()
    if not trimmed and optional:
        return None
    if plain.get("type") == "integer" and re.fullmatch(r"-?\d{1,12}", trimmed):
        return int(trimmed)
    if plain.get("type") == "boolean":
        return YES_NO.get(trimmed, trimmed)
    return trimmed


def _node(part: Mapping[str, Any], path: str, label: str, value: Any, parts: Mapping[str, Any]) -> Node:
    plain, optional = _plain(part, parts)
    told = _help(str(part.get("description") or plain.get("description") or ""))
    told = told or FIELD_WORDS.get(path.rpartition(".")[2], "")
    if plain.get("type") == "object":
        inner = value if isinstance(value, Mapping) else {}
        children = tuple(
            _node(one, f"{path}.{name}", _label(name), inner.get(name), parts)
            for name, one in plain["properties"].items()
            if "const" not in one
        )
        return Group(path, label, told, children)
    if plain.get("type") == "array":
        return _many(plain, path, label, told, value, parts)
    options = tuple(str(one) for one in plain.get("enum", ()))
    return Leaf(path, label, told, _kind(plain), options, _written(value), optional)


def _many(plain: Mapping[str, Any], path: str, label: str, told: str, value: Any, parts: Mapping[str, Any]) -> Many:
    fewest, most = plain.get("minItems", 0), plain.get("maxItems", MOST_ITEMS)
    given = list(value)[:MOST_ITEMS] if isinstance(value, list | tuple) else []
    given += [None] * (fewest - len(given))
    items = tuple(
        _node(plain["items"], f"{path}.{place}", f"{label} {place + 1}", one, parts) for place, one in enumerate(given)
    )
    return Many(path, label, told, items, can_grow=len(items) < most, can_shrink=len(items) > fewest)


def _plain(part: Mapping[str, Any], parts: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """A part with its reference followed, and whether null is allowed in its place."""
    if "anyOf" in part:
        real = [one for one in part["anyOf"] if one.get("type") != "null"]
        return (_plain(real[0], parts)[0] if real else {"type": "null"}), len(real) < len(part["anyOf"])
    if "$ref" in part:
        return _plain(parts[part["$ref"].rsplit("/", 1)[-1]], parts)
    return part, False


def _kind(plain: Mapping[str, Any]) -> str:
    if "enum" in plain:
        return "choice"
    if plain.get("type") == "null":
        return "nothing"
    if plain.get("type") in {"integer", "boolean"}:
        return "number" if plain["type"] == "integer" else "yes_no"
    return "line" if plain.get("maxLength", LINE_LENGTH) <= LINE_LENGTH else "text"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize().replace(" usd", ", US$")


def _help(description: str) -> str:
    """What a schema says of a part, without the marks of code: ``layer_owned`` becomes layer owned."""
    return re.sub(r"``(\w+)``", lambda found: found[1].replace("_", " "), description).replace("`", "")


def paths(nodes: tuple[Node, ...]) -> Iterator[str]:
    """Every path of a form, to know which problems stand beside a field."""
    for node in nodes:
        yield node.path
        if isinstance(node, Group):
            yield from paths(node.children)
        elif isinstance(node, Many):
            yield from paths(node.items)
