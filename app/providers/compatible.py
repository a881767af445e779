"""Chat Completions at any base URL: one bounded request, stop reason first, every failure named."""

import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Literal

import httpx2

from app.providers.asking import Bounds, asked_once, own_headers
from app.providers.chat import ChatAnswer, ChatRequest, ExactRequest
from app.providers.clean import clean_text
from app.providers.completion import read_completion
from app.providers.openai_sdk import ERRORS, OpenAISdk
from app.providers.schemas import schema_text, strict_schema
from app.providers.sending import BoundedClient
from app.providers.wire import MAX_RESPONSE_BYTES, Deadlines

LimitField = Literal["max_tokens", "max_completion_tokens"]
LIMIT_FIELD: LimitField = "max_tokens"


class SchemaMode(StrEnum):
    """How an endpoint takes the schema of an answer."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    JSON_ONLY = "json_only"
    NONE = "none"


class Compatible:
    """A model behind a Chat Completions endpoint; thread-safe, with a pool of ``connections``.

    ``key`` is the endpoint's own key or None; nothing else of the environment reaches the endpoint. The SDK never
    retries: the engine decides, by the ChatError it gets.
    """

    def __init__(
        self,
        *,
        base_url: str,
        wire_model: str,
        key: str | None,
        schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA,
        takes_temperature: bool = True,
        limit_field: LimitField = LIMIT_FIELD,
        deadlines: Deadlines | None = None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        connections: int = 128,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = f"{base_url.rstrip('/')}/chat/completions"
        self._wire_model = wire_model
        self._schema_mode = schema_mode
        self._takes_temperature = takes_temperature
        self._limit_field = limit_field
        self._bounds = Bounds(deadlines or Deadlines(), max_response_bytes, clock, key)
        sent_by = BoundedClient(base_url, self._bounds.deadlines, own_headers(key), connections)
        self._client = OpenAISdk(base_url, sent_by)

    def wire_request(self, request: ChatRequest) -> Mapping[str, Any]:
        """The body of the request, in the endpoint's form."""
        body: dict[str, Any] = {
            "model": self._wire_model,
            "messages": self._messages(request),
            self._limit_field: request.max_tokens,
        }
        if self._takes_temperature and request.temperature is not None:
            body["temperature"] = request.temperature
        if self._schema_mode is SchemaMode.JSON_SCHEMA:
            schema = {"name": request.schema_name, "strict": True, "schema": strict_schema(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self._schema_mode is SchemaMode.JSON_OBJECT:
            body["response_format"] = {"type": "json_object"}
        return body

    def answer(self, request: ChatRequest, exact: ExactRequest) -> ChatAnswer:
        """Ask once within the deadlines. Raises ChatError."""
        return read_completion(asked_once(lambda: self._post(exact), self._bounds, ERRORS), exact.body)

    def close(self) -> None:
        """Close the pool; calls in flight fail."""
        self._client.close()

    def _messages(self, request: ChatRequest) -> list[dict[str, str]]:
        prompt = request.prompt
        if self._schema_mode is not SchemaMode.JSON_SCHEMA:
            prompt = f"{prompt}\n\n{schema_text(request.schema)}"
        if self._schema_mode is SchemaMode.JSON_ONLY:
            prompt = f"{prompt}\n\nAnswer with JSON only: no introduction, no fences, no remarks."
        return [
            {"role": "system", "content": clean_text(request.system)},
            {"role": "user", "content": clean_text(prompt)},
        ]

    def _post(self, exact: ExactRequest) -> httpx2.Response:
        return self._client.post_exactly(self._address, exact.text.encode())
