"""Messages, as Anthropic speaks it."""

from collections.abc import Mapping
from typing import Any

from app.providers.fake_server.dialects import Answered, Asked, Ending, Trouble, schema_in, words_of

REASONS = {Ending.WHOLE: "end_turn", Ending.TRUNCATED: "max_tokens", Ending.REFUSED: "refusal"}
KINDS = {
    Trouble.RATE_LIMITED: "rate_limit_error",
    Trouble.QUOTA: "enforced_spend_limit_reached",
    Trouble.OVERLOADED: "overloaded_error",
    Trouble.SERVER_ERROR: "api_error",
    Trouble.BAD_REQUEST: "invalid_request_error",
}


class Messages:
    """POST /v1/messages."""

    def read(self, body: Mapping[str, Any]) -> Asked:
        """Model, texts and the schema of ``output_config.format``, or the one in the prompt."""
        texts = [words_of(body.get("system")), *(words_of(message["content"]) for message in body["messages"])]
        prompt = "\n\n".join(texts)
        form = (body.get("output_config") or {}).get("format") or {}
        schema = form.get("schema") or schema_in(prompt)
        return Asked(model=body["model"], prompt=prompt, schema=schema, schema_name="")

    def answer(self, asked: Asked, answered: Answered) -> Mapping[str, Any]:
        """A ``message``."""
        return {
            "id": f"msg_{answered.number}",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [{"type": "text", "text": answered.text}],
            "stop_reason": REASONS[answered.ending],
            "stop_sequence": None,
            "usage": {
                "input_tokens": answered.tokens_in,
                "output_tokens": answered.tokens_out,
                "cache_read_input_tokens": 0,
                "cache_creation_input_tokens": 0,
            },
        }

    def error(self, trouble: Trouble, message: str) -> Mapping[str, Any]:
        """An ``error`` of Anthropic's kind."""
        return {"type": "error", "error": {"type": KINDS[trouble], "message": message}}
