"""Chat Completions, as OpenAI began it and as compatible servers speak it."""

from collections.abc import Mapping
from typing import Any

from app.providers.fake_server.dialects import Answered, Asked, Ending, Trouble, schema_in, words_of

FINISH = {Ending.WHOLE: "stop", Ending.TRUNCATED: "length", Ending.REFUSED: "stop"}
CODES = {
    Trouble.RATE_LIMITED: ("rate_limit_exceeded", "requests"),
    Trouble.QUOTA: ("insufficient_quota", "insufficient_quota"),
    Trouble.OVERLOADED: ("overloaded", "server_error"),
    Trouble.SERVER_ERROR: ("server_error", "server_error"),
    Trouble.BAD_REQUEST: ("invalid_request", "invalid_request_error"),
}


class ChatCompletions:
    """POST /v1/chat/completions."""

    def read(self, body: Mapping[str, Any]) -> Asked:
        """Model, texts and the schema of ``response_format``, or the one in the prompt."""
        prompt = "\n\n".join(words_of(message["content"]) for message in body["messages"])
        form = (body.get("response_format") or {}).get("json_schema") or {}
        schema = form.get("schema") or schema_in(prompt)
        return Asked(model=body["model"], prompt=prompt, schema=schema, schema_name=form.get("name", ""))

    def answer(self, asked: Asked, answered: Answered) -> Mapping[str, Any]:
        """A ``chat.completion``."""
        refused = answered.ending is Ending.REFUSED
        message = {
            "role": "assistant",
            "content": None if refused else answered.text,
            "refusal": answered.text if refused else None,
        }
        choice = {"index": 0, "message": message, "finish_reason": FINISH[answered.ending], "logprobs": None}
        return {
            "id": f"chatcmpl-{answered.number}",
            "object": "chat.completion",
            "created": 0,
            "model": asked.model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": answered.tokens_in,
                "completion_tokens": answered.tokens_out,
                "total_tokens": answered.tokens_in + answered.tokens_out,
                "prompt_tokens_details": {"cached_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0},
            },
        }

    def error(self, trouble: Trouble, message: str) -> Mapping[str, Any]:
        """An ``error`` object with code and type."""
        code, kind = CODES[trouble]
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}
