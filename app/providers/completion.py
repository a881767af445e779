"""Reading a Chat Completions answer: why it stopped, then its text, its usage, and whether the context was cut."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from app.providers.chat import ChatAnswer, ChatError, StopReason, Usage
from app.providers.clean import clean_answer, clean_json

LEAST_CHARACTERS = 2_000
"""Prompts shorter than this are not checked for a cut context."""
MOST_CHARACTERS_PER_TOKEN = 6.0
"""No tokenizer in use makes fewer tokens of such prompts than one for six characters without white space runs."""
_STOPS = {"length": StopReason.TRUNCATED, "content_filter": StopReason.REFUSED}
_TOOLS = frozenset({"tool_calls", "function_call"})


def read_completion(raw: bytes, request_body: Mapping[str, Any]) -> ChatAnswer:
    """The answer in the bytes of a Chat Completions response.

    Raises ChatError if it is no completion, calls a tool, or shows that the prompt was cut (that one is final).
    """
    body = response_record(raw)
    choice = _choice(body)
    message = choice["message"] if isinstance(choice.get("message"), dict) else {}
    finish = str(choice.get("finish_reason"))
    if finish in _TOOLS:
        raise ChatError("the model called a tool that nobody offered", response_body=body)
    usage = _usage(body)
    _require_whole_prompt(usage, request_body, body)
    refusal = message.get("refusal")
    stop = _STOPS.get(finish, StopReason.COMPLETE)
    if isinstance(refusal, str) and refusal:
        stop = StopReason.REFUSED
    said = _text(message.get("content"))
    text = clean_answer(said)
    model = body.get("model")
    return ChatAnswer(
        text=text or (refusal if isinstance(refusal, str) else ""),
        stop=stop,
        usage=usage,
        model_reported=model if isinstance(model, str) else None,
        request_body=request_body,
        response_body=body if text == said else {**body, "_cleaned": True},
    )


def response_record(raw: bytes) -> dict[str, Any]:
    """The body as it can be stored: cleaned, and if that changed it, flagged and with the raw bytes beside it.

    ``_cleaned`` true says that NUL, lone surrogates or ill-formed UTF-8 became U+FFFD; ``_raw_base64`` are the bytes
    as they came. Raises ChatError if the body is no JSON object.
    """
    text = raw.decode("utf-8", "replace")
    try:
        body = json.loads(text, strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise ChatError("the answer is not JSON", response_body=_unreadable(raw)) from error
    if not isinstance(body, dict):
        raise ChatError("the answer is not a JSON object", response_body=_unreadable(raw))
    cleaned: dict[str, Any] = clean_json(body)
    if cleaned == body and raw == text.encode("utf-8", "replace"):
        return cleaned
    return {**cleaned, "_cleaned": True, "_raw_base64": b64encode(raw).decode()}


def _unreadable(raw: bytes) -> dict[str, Any]:
    return {"_unreadable": True, "_raw_base64": b64encode(raw).decode()}


def _choice(body: dict[str, Any]) -> Mapping[str, Any]:
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise ChatError("the answer holds no choice", response_body=body)


def _text(content: Any) -> str:
    """The text of a message, whose content is a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts: Sequence[Any] = content if isinstance(content, list) else ()
    return "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _usage(body: Mapping[str, Any]) -> Usage:
    usage = _table(body.get("usage"))
    return Usage(
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        tokens_cached=_count(_table(usage.get("prompt_tokens_details")).get("cached_tokens")),
        tokens_reasoning=_count(_table(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """A token count, None for what is none: a negative number, a fraction, a text."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _require_whole_prompt(usage: Usage, request_body: Mapping[str, Any], body: Mapping[str, Any]) -> None:
    """Fail loudly where a server counted far fewer tokens than the prompt has: it cut the context silently."""
    sent = " ".join(message["content"] for message in request_body["messages"])
    characters = len(" ".join(sent.split()))
    least = int(characters / MOST_CHARACTERS_PER_TOKEN)
    if characters < LEAST_CHARACTERS or not usage.tokens_in or usage.tokens_in >= least:
        return
    raise ChatError(
        f"the server counted {usage.tokens_in:,} tokens in a prompt that has at least {least:,}: it cut the context "
        "silently; give the model a larger context there, or choose another",
        final=True,
        response_body=body,
    )
