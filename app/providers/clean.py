"""The one boundary where text that PostgreSQL cannot hold is made fit: NUL and lone surrogates become U+FFFD."""

import re
from typing import Any

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UNFIT = re.compile("[\x00\ud800-\udfff]")
_ESCAPES = re.compile(
    r"(?P<fit>\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def clean_text(text: str) -> str:
    """The text with every NUL and lone surrogate replaced by U+FFFD; the same object if there is none."""
    return text if "\x00" not in text and _has_no_surrogate(text) else _UNFIT.sub(REPLACEMENT, text)


def _has_no_surrogate(text: str) -> bool:
    """Whether it encodes, which is sooner seen than searched for."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def clean_answer(text: str) -> str:
    """A model's JSON text cleaned, with the escapes that would become NUL or a lone surrogate once it is read."""
    if "\\u" not in text:
        return clean_text(text)
    return _ESCAPES.sub(lambda found: found["fit"] or r"\ufffd", clean_text(text))


def clean_json(value: Any) -> Any:
    """A parsed JSON value with every string cleaned, names of fields too."""
    match value:
        case str():
            return clean_text(value)
        case list():
            return [clean_json(item) for item in value]
        case dict():
            return {clean_text(name): clean_json(item) for name, item in value.items()}
        case _:
            return value
