"""The bodies of answers, whichever API they came by: made fit to be kept, counted, and checked for a cut context."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from app.providers.chat import ChatError, Usage
from app.providers.clean import clean_json

LEAST_CHARACTERS = 2_000
"""Prompts shorter than this are not checked for a cut context."""
MOST_CHARACTERS_PER_TOKEN = 6.0
"""No tokenizer in use makes fewer tokens of such prompts than one for six characters without white space runs."""

_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_UNFIT_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


def response_record(raw: bytes) -> dict[str, Any]:
    """The body as it can be stored: cleaned, and if that changed it, flagged and with the raw bytes beside it.

    ``_cleaned`` true says that NUL, lone surrogates or ill-formed UTF-8 became U+FFFD; ``_raw_base64`` are the bytes
    as they came. Raises ChatError if the body is no JSON object.
    """
    text = raw.decode("utf-8", "replace")
    try:
        body = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise ChatError("the answer is not JSON", response_body=_unreadable(raw), may_be_billed=True) from error
    if not isinstance(body, dict):
        raise ChatError("the answer is not a JSON object", response_body=_unreadable(raw), may_be_billed=True)
    if _holds_nothing_unfit(raw):
        return body
    cleaned: dict[str, Any] = clean_json(body)
    if cleaned == body and raw == text.encode("utf-8", "replace"):
        return cleaned
    return {**cleaned, "_cleaned": True, "_raw_base64": b64encode(raw).decode()}


def table(value: Any) -> Mapping[str, Any]:
    """A JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def tables(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a JSON list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def token_count(value: Any) -> int | None:
    """A token count, None for what is none: a negative number, a fraction, a text."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def text_or_none(value: Any) -> str | None:
    """A text, None in place of anything else."""
    return value if isinstance(value, str) else None


def require_whole_prompt(usage: Usage, prompt: str, body: Mapping[str, Any]) -> None:
    """Fail loudly where a server counted far fewer tokens than the prompt has: it cut the context silently.

    The ChatError is final and carries the usage, which was paid.
    """
    if not usage.tokens_in or usage.tokens_in >= len(prompt) / MOST_CHARACTERS_PER_TOKEN:
        return
    characters = len(" ".join(prompt.split()))
    least = int(characters / MOST_CHARACTERS_PER_TOKEN)
    if characters < LEAST_CHARACTERS or usage.tokens_in >= least:
        return
    raise ChatError(
        f"the server counted {usage.tokens_in:,} tokens in a prompt that has at least {least:,}: it cut the context "
        "silently; give the model a larger context there, or choose another",
        final=True,
        response_body=body,
        usage=usage,
    )


def _holds_nothing_unfit(raw: bytes) -> bool:
    """Whether no text in a body can need cleaning: well-formed UTF-8 without NUL or an escape of one or of half a pair.

    A body that fails this is looked at text by text.
    """
    if b"\x00" in raw or (b"\\u" in raw and _UNFIT_ESCAPE.search(raw)):
        return False
    try:
        return raw.isascii() or bool(raw.decode())
    except UnicodeDecodeError:
        return False


def _unreadable(raw: bytes) -> dict[str, Any]:
    return {"_unreadable": True, "_raw_base64": b64encode(raw).decode()}
