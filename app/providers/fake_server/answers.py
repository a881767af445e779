"""A valid, deterministic answer to any JSON schema."""

import json
import marshal
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

SIGN = "@sign@"
"""Stands in a cached answer where the signature of the request goes."""
PLAIN = 2
"""The form of marshal that writes equal values alike."""
VARIANTS = 16
DEEPEST = 30
LONGEST_LIST = 12
SCORE_SPAN = (0.4, 0.8)
OPEN_INTEGER = 1_000_000
_TOLD = re.compile(r"\b(minimum|maximum|minItems|maxItems): (-?\d+(?:\.\d+)?)")
"""Bounds that stand in a description, for the API that takes none elsewhere."""


def answer_to(schema: Mapping[str, Any], prompt: str, *, out_of_range: bool = False) -> str:
    """JSON text that fits the schema; every string carries a signature of the prompt.

    Enum values are cycled through the items of a list, so that a list of ids names each of them.
    """
    sign = sha256(prompt.encode("utf-8", "replace")).hexdigest()[: len(SIGN)]
    return _answer(marshal.dumps(dict(schema), PLAIN), int(sign, 16) % VARIANTS, out_of_range).replace(SIGN, sign)


@lru_cache(maxsize=2_048)
def _answer(marshalled: bytes, variant: int, out_of_range: bool) -> str:
    """The answer to a schema in whatever order its keys came; ``marshalled``, since that is the quickest key to it."""
    schema = json.loads(json.dumps(marshal.loads(marshalled), sort_keys=True))  # noqa: S302 - written a moment ago
    return json.dumps(_Writer(schema, variant, out_of_range).value(schema, "answer", 0, 0), ensure_ascii=False)


class _Writer:
    def __init__(self, root: Mapping[str, Any], variant: int, out_of_range: bool) -> None:
        self._root = root
        self._variant = variant
        self._out_of_range = out_of_range

    def value(self, part: Mapping[str, Any], field: str, index: int, depth: int) -> Any:
        """A value for one part of the schema; ``index`` is its place in the list around it."""
        part = self._resolved(part)
        if depth > DEEPEST:
            return None
        if "const" in part or "enum" in part:
            values = part.get("enum") or [part["const"]]
            return values[index % len(values)]
        choices = part.get("anyOf") or part.get("oneOf")
        if choices:
            return self._one_of(choices, field, index, depth)
        return self._of_type(part, field, index, depth)

    def _of_type(self, part: Mapping[str, Any], field: str, index: int, depth: int) -> Any:
        writers: Mapping[str, Callable[[], Any]] = {
            "object": lambda: self._object(part, index, depth),
            "array": lambda: self._list(part, field, depth),
            "integer": lambda: round(self._number(part, index)),
            "number": lambda: self._number(part, index),
            "boolean": lambda: False,
            "string": lambda: self._text(part, field, index),
        }
        write = writers.get(part.get("type", "null"))
        return write() if write else None

    def _resolved(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        for _ in range(DEEPEST):
            if "$ref" not in part:
                return told_bounds(part)
            target: Any = self._root
            for name in part["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            part = target
        return {}

    def _one_of(self, choices: list[Mapping[str, Any]], field: str, index: int, depth: int) -> Any:
        """The first choice, or null where null is allowed and nothing says what else would fit."""
        others = [choice for choice in choices if choice.get("type") != "null"]
        if not others:
            return None
        first = self._resolved(others[0])
        is_said = first.get("type") == "object" or {"minimum", "maximum"} <= set(first)
        if len(others) < len(choices) and not is_said:
            return None
        return self.value(first, field, index, depth)

    def _object(self, part: Mapping[str, Any], index: int, depth: int) -> dict[str, Any]:
        properties = part.get("properties", {})
        return {name: self.value(inner, name, index, depth + 1) for name, inner in properties.items()}

    def _list(self, part: Mapping[str, Any], field: str, depth: int) -> list[Any]:
        items = part.get("items", {})
        return [self.value(items, field, index, depth + 1) for index in range(self._length(part, items))]

    def _length(self, part: Mapping[str, Any], items: Mapping[str, Any]) -> int:
        """As many as the longest enum of its items, so that each value occurs; no quotations, which it cannot know."""
        item = self._resolved(items)
        fields = [self._resolved(inner) for inner in item.get("properties", {}).values()]
        longest = max((len(inner.get("enum", ())) for inner in (item, *fields)), default=0)
        wanted = 0 if "quote" in item.get("properties", {}) else min(max(longest, 1), LONGEST_LIST)
        least: int = part.get("minItems", 0)
        most: int = part.get("maxItems", LONGEST_LIST)
        return max(least, min(wanted, most))

    def _number(self, part: Mapping[str, Any], index: int) -> float:
        low, high = part.get("minimum", 0), part.get("maximum")
        if high is None:
            return float(max(low, OPEN_INTEGER))
        if self._out_of_range:
            return float(high + 1)
        share = (self._variant * 5 + index * 3) % VARIANTS / (VARIANTS - 1)
        start, end = SCORE_SPAN
        return float(low + (high - low) * (start + (end - start) * share))

    def _text(self, part: Mapping[str, Any], field: str, index: int) -> str:
        if field == "id":
            return f"D{index + 1}"
        words = field.replace("_", " ")
        text = f"{words.capitalize()} {index + 1}, variant {self._variant}, for request {SIGN}"
        return text[: part.get("maxLength", len(text))].ljust(part.get("minLength", 0), ".")


def told_bounds(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of a schema with the bounds that its description tells."""
    found = _TOLD.findall(str(part.get("description", "")))
    return {**{name: float(value) if "." in value else int(value) for name, value in found}, **part}
