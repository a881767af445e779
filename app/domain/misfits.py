"""What pydantic finds wrong with a value, in plain words that say the mend; models are told in pydantic's own."""

from typing import Any

from pydantic import ValidationError

PLAIN = {
    "missing": "is missing; write it",
    "extra_forbidden": "is no field here; take it out",
    "string_type": "write a text",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "int_parsing_size": "write a smaller whole number",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "finite_number": "write a finite number",
    "bool_type": "choose yes or no",
    "bool_parsing": "choose yes or no",
    "uuid_parsing": "choose one of the list",
    "date_parsing": "write a date, such as 2026-01-31",
    "date_from_datetime_parsing": "write a date, such as 2026-01-31",
    "enum": "choose one of {expected}",
    "literal_error": "choose one of {expected}",
    "greater_than": "write a number above {gt}",
    "greater_than_equal": "write {ge} or more",
    "less_than": "write a number below {lt}",
    "less_than_equal": "write {le} or less",
    "string_too_short": "write at least {min_length} characters",
    "string_too_long": "write at most {max_length} characters",
    "too_short": "choose at least {min_length}",
    "too_long": "choose at most {max_length}",
}
"""The commonest problems by pydantic's type of error, with pydantic's own bounds to fill in."""

OF_ONE = {"string_too_short": "write something here", "too_short": "choose at least one"}


def problems_of(error: ValidationError) -> tuple[tuple[tuple[str | int, ...], str], ...]:
    """Each problem as its place and its words, in pydantic's order; an own check's words stay as they are."""
    found = error.errors(include_url=False, include_input=False)
    return tuple((item["loc"], plain_words(item["type"], item["msg"], item.get("ctx", {}))) for item in found)


def plain_words(kind: str, message: str, bounds: dict[str, Any]) -> str:
    """One problem in plain words, or pydantic's own where there are none for its kind."""
    if kind in OF_ONE and bounds["min_length"] == 1:
        return OF_ONE[kind]
    words = PLAIN.get(kind, "")
    shown = {name: _shown(value) for name, value in bounds.items()}
    return words.format_map(shown) if words else message.removeprefix("Value error, ")


def _shown(value: Any) -> str:
    return f"{value:,g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
