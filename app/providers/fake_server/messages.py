"""Messages, as Anthropic speaks it."""

from collections.abc import Mapping
from typing import Any

from app.providers.fake_server.dialects import QUERY, Answered, Asked, Ending, Trouble, schema_in, words_of

REASONS = {Ending.WHOLE: "end_turn", Ending.TRUNCATED: "max_tokens", Ending.REFUSED: "refusal"}
KINDS = {
    Trouble.RATE_LIMITED: "rate_limit_error",
    Trouble.QUOTA: "rate_limit_error",
    Trouble.OVERLOADED: "overloaded_error",
    Trouble.SERVER_ERROR: "api_error",
    Trouble.BAD_REQUEST: "invalid_request_error",
}

FOUND = {"title": "A fake page", "url": "https://example.org/page"}
CITED = {"type": "web_search_result_location", **FOUND, "encrypted_index": "abc", "cited_text": "As the page says."}


class Messages:
    """POST /v1/messages."""

    def read(self, body: Mapping[str, Any]) -> Asked:
        """Model, texts and the schema of ``output_config.format``, or the one in the prompt."""
        texts = [words_of(body.get("system")), *(words_of(message["content"]) for message in body["messages"])]
        prompt = "\n\n".join(texts)
        form = (body.get("output_config") or {}).get("format") or {}
        schema = form.get("schema") or schema_in(prompt)
        searches = any(str(tool.get("type")).startswith("web_search") for tool in body.get("tools") or ())
        return Asked(model=body["model"], prompt=prompt, schema=schema, schema_name="", searches=searches)

    def answer(self, asked: Asked, answered: Answered) -> Mapping[str, Any]:
        """A ``message``, after one web search if that is offered."""
        text = {"type": "text", "text": answered.text}
        usage = {"server_tool_use": {"web_search_requests": 1, "web_fetch_requests": 0}} if asked.searches else {}
        return {
            "id": f"msg_{answered.number}",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [*_searched(answered.number), text | {"citations": [CITED]}] if asked.searches else [text],
            "stop_reason": REASONS[answered.ending],
            "stop_sequence": None,
            "usage": {
                "input_tokens": answered.tokens_in,
                "output_tokens": answered.tokens_out,
                "cache_read_input_tokens": 0,
                "cache_creation_input_tokens": 0,
                **usage,
            },
        }

    def error(self, trouble: Trouble, message: str) -> Mapping[str, Any]:
        """An ``error`` of Anthropic's kind; a spending limit is told from a rate limit by its details only."""
        error: dict[str, Any] = {"type": KINDS[trouble], "message": message}
        if trouble is Trouble.QUOTA:
            error["details"] = {"error_code": "enforced_spend_limit_reached"}
        return {"type": "error", "error": error}


def _searched(number: int) -> list[Mapping[str, Any]]:
    """What stands before an answer that was searched for: talk, a query, and the page it gave."""
    use = {"type": "server_tool_use", "id": f"srvtoolu_{number}", "name": "web_search", "input": {"query": QUERY}}
    page = {"type": "web_search_result", **FOUND, "encrypted_content": "abc", "page_age": "November 3, 2026"}
    result = {"type": "web_search_tool_result", "tool_use_id": use["id"], "content": [page]}
    return [{"type": "text", "text": "I will look that up."}, use, result]
