"""Reading an answer of Anthropic's Messages API: why it stopped, then its text and its usage."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.providers.bodies import require_whole_prompt, response_record, table, tables, text_or_none, token_count
from app.providers.chat import ChatAnswer, ChatError, StopReason, Usage
from app.providers.clean import clean_answer

STOPS = {
    "end_turn": StopReason.COMPLETE,
    "stop_sequence": StopReason.COMPLETE,
    "max_tokens": StopReason.TRUNCATED,
    "model_context_window_exceeded": StopReason.TRUNCATED,
    "refusal": StopReason.REFUSED,
}
UNFINISHED = {
    "pause_turn": "the provider paused the turn before an answer; it is asked from the start again",
    "tool_use": "the model called a tool that nobody offered",
}
SEARCHED = "web_search_tool_result"


def read_message(raw: bytes, request_body: Mapping[str, Any]) -> ChatAnswer:
    """The answer in the bytes of a message.

    Text before the last web search is the model's talk on the way to its answer and left out. Raises ChatError with
    the usage that was paid if the turn did not end, or if the prompt was cut.
    """
    body = response_record(raw)
    usage = _usage(body)
    reason = str(body.get("stop_reason"))
    if reason not in STOPS:
        problem = UNFINISHED.get(reason, f"the answer does not say why it stopped, but {reason!r}")
        raise ChatError(problem, response_body=body, usage=usage)
    require_whole_prompt(usage, _sent(request_body), body)
    stop = STOPS[reason]
    said = said_in_blocks(tables(body.get("content")))
    text = clean_answer(said)
    if stop is StopReason.REFUSED and not text:
        text = text_or_none(table(body.get("stop_details")).get("explanation")) or ""
    return ChatAnswer(
        text=text,
        stop=stop,
        usage=usage,
        model_reported=text_or_none(body.get("model")),
        response_body=body if clean_answer(said) == said else {**body, "_cleaned": True},
    )


def said_in_blocks(blocks: list[Mapping[str, Any]]) -> str:
    """The text blocks after the last search, as one: citations cut an answer into several."""
    searched = [place for place, block in enumerate(blocks) if block.get("type") == SEARCHED]
    after = blocks[searched[-1] + 1 :] if searched else blocks
    return "".join(text_or_none(block.get("text")) or "" for block in after if block.get("type") == "text")


def _usage(body: Mapping[str, Any]) -> Usage:
    """Anthropic counts tokens read from and written to its cache apart; ours are parts of the sum."""
    usage = table(body.get("usage"))
    fresh = token_count(usage.get("input_tokens"))
    read, written = (token_count(usage.get(f"cache_{way}_input_tokens")) for way in ("read", "creation"))
    counted = Usage(
        tokens_out=token_count(usage.get("output_tokens")),
        tokens_cached=read,
        tokens_cache_written=written,
        tokens_reasoning=token_count(table(usage.get("output_tokens_details")).get("thinking_tokens")),
        searches=token_count(table(usage.get("server_tool_use")).get("web_search_requests")),
    )
    return counted if fresh is None else replace(counted, tokens_in=fresh + (read or 0) + (written or 0))


def _sent(request_body: Mapping[str, Any]) -> str:
    return " ".join([request_body["system"], *(message["content"] for message in request_body["messages"])])
