"""Anthropic's Messages API: structured output by its output format, no sampling settings, one bounded request."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import anthropic
import httpx2
from anthropic._constants import ANTHROPIC_API_VERSION

from app.providers.asking import NO_KEY, Bounds, SdkErrors, asked_once, own_headers
from app.providers.chat import ChatAnswer, ChatRequest, ExactRequest
from app.providers.clean import clean_text
from app.providers.messages import read_message
from app.providers.schemas import described_schema, schema_text
from app.providers.searches import MOST_SEARCHES, RETRIEVED_AT
from app.providers.sending import BoundedClient
from app.providers.wire import MAX_RESPONSE_BYTES, Deadlines

ENDPOINT = "https://api.anthropic.com"
WEB_SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": MOST_SEARCHES}
"""The form of the tool whose every query and page stands in the answer; later ones filter them by code out of sight."""
ERRORS = SdkErrors(anthropic.APIStatusError, anthropic.APITimeoutError, anthropic.APIConnectionError)


class Anthropic:
    """A model behind the Messages API; thread-safe, with a pool of ``connections``.

    The API takes no sampling settings, so none is ever sent. ``key`` is the endpoint's own key or None; the SDK never
    retries: the engine decides, by the ChatError it gets.
    """

    def __init__(
        self,
        *,
        base_url: str,
        wire_model: str,
        key: str | None,
        deadlines: Deadlines | None = None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        connections: int = 128,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._address = f"{base_url.rstrip('/')}/v1/messages"
        self._wire_model = wire_model
        self._now = now
        self._bounds = Bounds(deadlines or Deadlines(), max_response_bytes, clock, key)
        headers = own_headers(key) | {"anthropic-version": ANTHROPIC_API_VERSION}
        self._client = anthropic.Anthropic(
            api_key=NO_KEY,
            base_url=base_url,
            max_retries=0,
            open_telemetry=False,
            http_client=BoundedClient(base_url, self._bounds.deadlines, headers, connections),
        )

    def wire_request(self, request: ChatRequest) -> Mapping[str, Any]:
        """The body of the request.

        With web search the schema stands in the prompt: its citations and the output format exclude each other.
        """
        prompt = request.prompt
        body: dict[str, Any] = {"model": self._wire_model, "max_tokens": request.max_tokens}
        if request.web_search:
            prompt = f"{prompt}\n\n{schema_text(request.schema)}\n\nAfter your searches, answer with JSON only."
            body["tools"] = [WEB_SEARCH]
        else:
            form = {"type": "json_schema", "schema": described_schema(request.schema)}
            body["output_config"] = {"format": form}
        body["system"] = clean_text(request.system)
        body["messages"] = [{"role": "user", "content": clean_text(prompt)}]
        return body

    def answer(self, request: ChatRequest, exact: ExactRequest) -> ChatAnswer:
        """Ask once within the deadlines. Raises ChatError."""
        answer = read_message(asked_once(lambda: self._post(exact), self._bounds, ERRORS), exact.body)
        if not request.web_search:
            return answer
        return replace(answer, response_body={**answer.response_body, RETRIEVED_AT: self._now().isoformat()})

    def close(self) -> None:
        """Close the pool; calls in flight fail."""
        self._client.close()

    def _post(self, exact: ExactRequest) -> httpx2.Response:
        """The text is sent as it stands, without the SDK's slower typed path, which copies what it is not told."""
        return self._client.post(
            self._address,
            content=exact.text.encode(),
            cast_to=httpx2.Response,
            options={"max_retries": 0, "timeout": None, "params": {}, "headers": {}},
        )
