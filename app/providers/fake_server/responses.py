"""Responses, as OpenAI speaks it now."""

from collections.abc import Mapping
from typing import Any

from app.providers.fake_server.completions import ChatCompletions
from app.providers.fake_server.dialects import Answered, Asked, Ending, Trouble, schema_in, words_of


class Responses:
    """POST /v1/responses."""

    def read(self, body: Mapping[str, Any]) -> Asked:
        """Model, instructions, input and the schema of ``text.format``, or the one in the prompt."""
        given = body["input"]
        texts = [given] if isinstance(given, str) else [words_of(item["content"]) for item in given]
        prompt = "\n\n".join([body.get("instructions") or "", *texts])
        form = (body.get("text") or {}).get("format") or {}
        schema = form.get("schema") or schema_in(prompt)
        return Asked(model=body["model"], prompt=prompt, schema=schema, schema_name=form.get("name", ""))

    def answer(self, asked: Asked, answered: Answered) -> Mapping[str, Any]:
        """A ``response`` with one message."""
        is_whole = answered.ending is not Ending.TRUNCATED
        part = (
            {"type": "refusal", "refusal": answered.text}
            if answered.ending is Ending.REFUSED
            else {"type": "output_text", "text": answered.text, "annotations": []}
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
            "output": [message],
            "parallel_tool_calls": False,
            "tool_choice": "none",
            "tools": [],
            "usage": {
                "input_tokens": answered.tokens_in,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": answered.tokens_out,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": answered.tokens_in + answered.tokens_out,
            },
        }

    def error(self, trouble: Trouble, message: str) -> Mapping[str, Any]:
        """The same ``error`` object as in Chat Completions."""
        return ChatCompletions().error(trouble, message)
