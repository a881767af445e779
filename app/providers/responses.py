"""Reading an answer of OpenAI's Responses API: its status, why it is incomplete, then its text and its usage."""

from collections.abc import Mapping
from typing import Any

from app.providers.bodies import require_whole_prompt, response_record, table, tables, text_or_none, token_count
from app.providers.chat import ChatAnswer, ChatError, StopReason, Usage
from app.providers.clean import clean_answer

INCOMPLETE = {"max_output_tokens": StopReason.TRUNCATED, "content_filter": StopReason.REFUSED}
TRY_AGAIN = frozenset({"server_error", "rate_limit_exceeded", "vector_store_timeout"})
REFUSALS = frozenset({"bio_policy", "misalignment_policy_violation"})


def read_response(raw: bytes, request_body: Mapping[str, Any]) -> ChatAnswer:
    """The answer in the bytes of a response. Raises ChatError with the usage that was paid if it holds none."""
    body = response_record(raw)
    usage = _usage(body)
    stop = _stop(body, usage)
    require_whole_prompt(usage, f"{request_body['instructions']} {request_body['input']}", body)
    items = tables(body.get("output"))
    refusal, said = _joined(items, "refusal", "refusal"), said_in_items(items)
    text = clean_answer(said)
    return ChatAnswer(
        text=text or refusal or text_or_none(table(body.get("error")).get("message")) or "",
        stop=StopReason.REFUSED if refusal else stop,
        usage=usage,
        model_reported=text_or_none(body.get("model")),
        response_body=body if text == said else {**body, "_cleaned": True},
    )


def said_in_items(items: list[Mapping[str, Any]]) -> str:
    """The text of a response's messages, as one."""
    return _joined(items, "output_text", "text")


def _joined(items: list[Mapping[str, Any]], kind: str, field: str) -> str:
    parts = [part for item in items for part in tables(item.get("content")) if part.get("type") == kind]
    return "".join(text_or_none(part.get(field)) or "" for part in parts)


def _stop(body: Mapping[str, Any], usage: Usage) -> StopReason:
    """Why the model stopped. Raises ChatError for a response that failed or did not end."""
    status = body.get("status")
    if status == "completed":
        return StopReason.COMPLETE
    reason = table(body.get("incomplete_details")).get("reason")
    if status == "incomplete" and reason in INCOMPLETE:
        return INCOMPLETE[str(reason)]
    if status == "failed":
        return _failed(body, usage)
    said = f"{status}, {reason}" if reason else f"{status}"
    raise ChatError(f"the response did not end: its status is {said}", response_body=body, usage=usage)


def _failed(body: Mapping[str, Any], usage: Usage) -> StopReason:
    error = table(body.get("error"))
    code = str(error.get("code"))
    if code in REFUSALS:
        return StopReason.REFUSED
    words = f"the response failed ({code}): {error.get('message')}"
    raise ChatError(words, final=code not in TRY_AGAIN, response_body=body, usage=usage)


def _usage(body: Mapping[str, Any]) -> Usage:
    usage = table(body.get("usage"))
    given, made = table(usage.get("input_tokens_details")), table(usage.get("output_tokens_details"))
    searches = sum(item.get("type") == "web_search_call" for item in tables(body.get("output")))
    return Usage(
        tokens_in=token_count(usage.get("input_tokens")),
        tokens_out=token_count(usage.get("output_tokens")),
        tokens_cached=token_count(given.get("cached_tokens")),
        tokens_cache_written=token_count(given.get("cache_write_tokens")),
        tokens_reasoning=token_count(made.get("reasoning_tokens")),
        searches=searches or None,
    )
