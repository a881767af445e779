"""OpenAI's Responses API: structured output by its text format, nothing stored there, one bounded request."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx2

from app.providers.asking import Bounds, asked_once, own_headers
from app.providers.chat import ChatAnswer, ChatRequest, ExactRequest
from app.providers.clean import clean_text
from app.providers.openai_sdk import ERRORS, OpenAISdk
from app.providers.responses import read_response
from app.providers.schemas import strict_schema
from app.providers.searches import MOST_SEARCHES, RETRIEVED_AT
from app.providers.sending import BoundedClient
from app.providers.wire import MAX_RESPONSE_BYTES, Deadlines

ENDPOINT = "https://api.openai.com/v1"
WEB_SEARCH = {
    "tools": [{"type": "web_search"}],
    "max_tool_calls": MOST_SEARCHES,
    "include": ["web_search_call.action.sources"],
}


class OpenAI:
    """A model behind the Responses API; thread-safe, with a pool of ``connections``.

    ``store`` is always false, since the API keeps answers by itself. ``key`` is the endpoint's own key or None; the
    SDK never retries: the engine decides, by the ChatError it gets.
    """

    def __init__(
        self,
        *,
        base_url: str,
        wire_model: str,
        key: str | None,
        takes_temperature: bool = True,
        deadlines: Deadlines | None = None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        connections: int = 128,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._address = f"{base_url.rstrip('/')}/responses"
        self._wire_model = wire_model
        self._takes_temperature = takes_temperature
        self._now = now
        self._bounds = Bounds(deadlines or Deadlines(), max_response_bytes, clock, key)
        sent_by = BoundedClient(base_url, self._bounds.deadlines, own_headers(key), connections)
        self._client = OpenAISdk(base_url, sent_by)

    def wire_request(self, request: ChatRequest) -> Mapping[str, Any]:
        """The body of the request."""
        form = {
            "type": "json_schema",
            "name": request.schema_name,
            "strict": True,
            "schema": strict_schema(request.schema),
        }
        body: dict[str, Any] = {
            "model": self._wire_model,
            "instructions": clean_text(request.system),
            "input": clean_text(request.prompt),
            "max_output_tokens": request.max_tokens,
            "store": False,
            "text": {"format": form},
        }
        if self._takes_temperature and request.temperature is not None:
            body["temperature"] = request.temperature
        return body | (WEB_SEARCH if request.web_search else {})

    def answer(self, request: ChatRequest, exact: ExactRequest) -> ChatAnswer:
        """Ask once within the deadlines. Raises ChatError."""
        answer = read_response(asked_once(lambda: self._post(exact), self._bounds, ERRORS), exact.body)
        if not request.web_search:
            return answer
        return replace(answer, response_body={**answer.response_body, RETRIEVED_AT: self._now().isoformat()})

    def close(self) -> None:
        """Close the pool; calls in flight fail."""
        self._client.close()

    def _post(self, exact: ExactRequest) -> httpx2.Response:
        return self._client.post_exactly(self._address, exact.text.encode())
