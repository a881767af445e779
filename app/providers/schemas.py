"""Answer schemas in the forms providers take: strict for response formats, or written into the prompt."""

import json
from collections.abc import Callable, Mapping
from typing import Any

_UNSUPPORTED = frozenset({
    "$schema", "default", "discriminator", "examples", "maxLength", "minLength", "title", "uniqueItems",
})  # fmt: skip
_NULL = {"type": "null"}
_IN_WORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxItems", "pattern")
KEPT_SCHEMAS = 512
Known = dict[int, tuple[Mapping[str, Any], dict[str, Any]]]
_STRICT: Known = {}
_DESCRIBED: Known = {}


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as OpenAI's strict mode takes it.

    Every property is required and no other is allowed; an optional one without a default becomes nullable; ``oneOf``
    becomes ``anyOf``, ``const`` a one-valued ``enum``; keywords that the mode refuses are left out, so lengths are
    checked in code. The argument is not changed, and must not be later: the same object gets the same answer.
    """
    return _kept(_STRICT, schema, _strict)


def described_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The strict schema as Anthropic's output format takes it: ranges stand in descriptions, and are checked in code.

    A list may ask for one item at least, no other length. The same holds for the argument as above.
    """
    return _kept(_DESCRIBED, schema, lambda part: _described(strict_schema(part)))


def schema_text(schema: Mapping[str, Any]) -> str:
    """The schema as the part of a prompt for endpoints that take none apart."""
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"The JSON schema of the answer:\n\n```json schema\n{text}\n```"


def _kept(
    known: Known, schema: Mapping[str, Any], make: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    found = known.get(id(schema))
    if found is None or found[0] is not schema:
        if len(known) >= KEPT_SCHEMAS:
            known.clear()
        found = known[id(schema)] = (schema, make(schema))
    return found[1]


def _described(value: Any) -> Any:
    """A strict schema, or any part of it, with what the format refuses moved into descriptions."""
    if isinstance(value, list):
        return [_described(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if not isinstance(value.get("type"), str):  # properties, definitions, references, choices
        return {name: _described(item) for name, item in value.items()}
    told = {name: value[name] for name in _IN_WORDS if name in value}
    if value.get("minItems", 0) > 1:
        told["minItems"] = value["minItems"]
    kept = {name: _described(item) for name, item in value.items() if name not in told}
    if told:
        words = "{" + ", ".join(f"{name}: {bound}" for name, bound in told.items()) + "}"
        kept["description"] = f"{kept['description']}\n\n{words}" if "description" in kept else words
    return kept


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
