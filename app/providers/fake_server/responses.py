"""Responses, as OpenAI speaks it now."""

from collections.abc import Mapping
from typing import Any

from app.providers.fake_server.completions import ChatCompletions
from app.providers.fake_server.dialects import QUERY, Answered, Asked, Ending, Trouble, schema_in, words_of

CITED = {
    "type": "url_citation",
    "title": "A fake page",
    "url": "https://example.org/page",
    "start_index": 0,
    "end_index": 1,
}


class Responses:
    """POST /v1/responses."""

    def read(self, body: Mapping[str, Any]) -> Asked:
        """Model, instructions, input and the schema of ``text.format``, or the one in the prompt."""
        given = body["input"]
        texts = [given] if isinstance(given, str) else [words_of(item["content"]) for item in given]
        prompt = "\n\n".join([body.get("instructions") or "", *texts])
        form = (body.get("text") or {}).get("format") or {}
        schema = form.get("schema") or schema_in(prompt)
        searches = any(tool.get("type") == "web_search" for tool in body.get("tools") or ())
        name = form.get("name", "")
        return Asked(model=body["model"], prompt=prompt, schema=schema, schema_name=name, searches=searches)

    def answer(self, asked: Asked, answered: Answered) -> Mapping[str, Any]:
        """A ``response`` with one message, after one web search if that is offered."""
        is_whole = answered.ending is not Ending.TRUNCATED
        part = (
            {"type": "refusal", "refusal": answered.text}
            if answered.ending is Ending.REFUSED
            else {"type": "output_text", "text": answered.text, "annotations": [CITED] if asked.searches else []}
        )
        status = "completed" if is_whole else "incomplete"
        message = {
            "id": f"msg_{answered.number}",
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": [part],
        }
        return {
            "id": f"resp_{answered.number}",
            "object": "response",
            "created_at": 0,
            "status": status,
            "incomplete_details": None if is_whole else {"reason": "max_output_tokens"},
            "error": None,
            "model": asked.model,
            "output": [_searched(answered.number), message] if asked.searches else [message],
            "parallel_tool_calls": False,
            "tool_choice": "none",
            "tools": [],
            "usage": {
                "input_tokens": answered.tokens_in,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": answered.tokens_out,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": answered.tokens_in + answered.tokens_out,
            },
        }

    def error(self, trouble: Trouble, message: str) -> Mapping[str, Any]:
        """The same ``error`` object as in Chat Completions."""
        return ChatCompletions().error(trouble, message)


def _searched(number: int) -> Mapping[str, Any]:
    action = {"type": "search", "queries": [QUERY], "sources": [{"type": "url", "url": CITED["url"]}]}
    return {"type": "web_search_call", "id": f"ws_{number}", "status": "completed", "action": action}
