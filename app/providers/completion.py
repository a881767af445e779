"""Reading a Chat Completions answer: why it stopped, then its text, its usage, and whether the context was cut."""

from collections.abc import Mapping
from typing import Any

from app.providers.bodies import require_whole_prompt, response_record, table, tables, text_or_none, token_count
from app.providers.chat import ChatAnswer, ChatError, StopReason, Usage
from app.providers.clean import clean_answer

_STOPS = {"length": StopReason.TRUNCATED, "content_filter": StopReason.REFUSED}
_TOOLS = frozenset({"tool_calls", "function_call"})


def read_completion(raw: bytes, request_body: Mapping[str, Any]) -> ChatAnswer:
    """The answer in the bytes of a Chat Completions response.

    Raises ChatError if it is no completion, calls a tool, or shows that the prompt was cut (that one is final).
    """
    body = response_record(raw)
    usage = _usage(body)
    choices = tables(body.get("choices"))
    if not choices:
        raise ChatError("the answer holds no choice", response_body=body, usage=usage)
    message = table(choices[0].get("message"))
    finish = str(choices[0].get("finish_reason"))
    if finish in _TOOLS:
        raise ChatError("the model called a tool that nobody offered", response_body=body, usage=usage)
    require_whole_prompt(usage, " ".join(one["content"] for one in request_body["messages"]), body)
    refusal = text_or_none(message.get("refusal"))
    said = said_in_content(message.get("content"))
    text = clean_answer(said)
    return ChatAnswer(
        text=text or refusal or "",
        stop=StopReason.REFUSED if refusal else _STOPS.get(finish, StopReason.COMPLETE),
        usage=usage,
        model_reported=text_or_none(body.get("model")),
        response_body=body if text == said else {**body, "_cleaned": True},
    )


def said_in_content(content: Any) -> str:
    """The text of a message, whose content is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(text_or_none(part.get("text")) or "" for part in tables(content))


def _usage(body: Mapping[str, Any]) -> Usage:
    usage = table(body.get("usage"))
    return Usage(
        tokens_in=token_count(usage.get("prompt_tokens")),
        tokens_out=token_count(usage.get("completion_tokens")),
        tokens_cached=token_count(table(usage.get("prompt_tokens_details")).get("cached_tokens")),
        tokens_reasoning=token_count(table(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )
