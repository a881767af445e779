"""Answer schemas in the forms providers take: strict for response formats, or written into the prompt."""

import json
from collections.abc import Mapping
from typing import Any

_UNSUPPORTED = frozenset({
    "$schema", "default", "discriminator", "examples", "maxLength", "minLength", "title", "uniqueItems",
})  # fmt: skip
_NULL = {"type": "null"}
KEPT_SCHEMAS = 512
_KNOWN: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as OpenAI's strict mode takes it.

    Every property is required and no other is allowed; an optional one without a default becomes nullable; ``oneOf``
    becomes ``anyOf``, ``const`` a one-valued ``enum``; keywords that the mode refuses are left out, so lengths are
    checked in code. The argument is not changed, and must not be later: the same object gets the same answer.
    """
    known = _KNOWN.get(id(schema))
    if known is None or known[0] is not schema:
        if len(_KNOWN) >= KEPT_SCHEMAS:
            _KNOWN.clear()
        known = _KNOWN[id(schema)] = (schema, _strict(schema))
    return known[1]


def schema_text(schema: Mapping[str, Any]) -> str:
    """The schema as the part of a prompt for endpoints that take none apart."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"The JSON schema of the answer:\n\n```json schema\n{text}\n```"


def _strict(part: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in part:
        return {"$ref": part["$ref"]}
    kept = {name: value for name, value in part.items() if name not in _UNSUPPORTED}
    result = {name: _keyword(name, value) for name, value in kept.items()}
    if "oneOf" in result:
        result["anyOf"] = result.pop("oneOf")
    if "const" in result:
        result["enum"] = [result.pop("const")]
    if "properties" in part:
        required = set(part.get("required", ()))
        result["properties"] = {
            name: _property(value, optional=name not in required) for name, value in part["properties"].items()
        }
        result["required"] = list(part["properties"])
        result["additionalProperties"] = False
    return result


def _keyword(name: str, value: Any) -> Any:
    match name, value:
        case "$defs" | "definitions", dict():
            return {key: _strict(part) for key, part in value.items()}
        case "anyOf" | "oneOf" | "allOf", list():
            return [_strict(part) for part in value]
        case "items", dict():
            return _strict(value)
        case _:
            return value


def _property(part: Mapping[str, Any], *, optional: bool) -> dict[str, Any]:
    strict = _strict(part)
    has_own_default = part.get("default") is not None or "const" in part
    if not optional or has_own_default or _takes_null(strict):
        return strict
    return {"anyOf": [strict, _NULL]}


def _takes_null(part: Mapping[str, Any]) -> bool:
    kinds = part.get("type")
    if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return True
    return any(_takes_null(choice) for choice in part.get("anyOf", ()))
