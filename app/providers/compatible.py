"""Chat Completions at any base URL: one bounded request, stop reason first, every failure named."""

import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Literal

import httpx2
import openai

from app.providers.chat import ChatAnswer, ChatError, ChatRequest
from app.providers.clean import clean_text
from app.providers.completion import read_completion
from app.providers.refusals import refused_status
from app.providers.schemas import schema_text, strict_schema
from app.providers.wire import (
    MAX_RESPONSE_BYTES,
    Allowance,
    Deadlines,
    ResponseTooLargeError,
    allowance,
    bounded_client,
)

LimitField = Literal["max_tokens", "max_completion_tokens"]
LIMIT_FIELD: LimitField = "max_tokens"
USER_AGENT = "frontier-autolab"
NO_KEY = "none"
"""What the SDK is told where an endpoint takes no key; the line does not send it."""


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
        self._wire_model = wire_model
        self._schema_mode = schema_mode
        self._takes_temperature = takes_temperature
        self._limit_field = limit_field
        self._deadlines = deadlines or Deadlines()
        self._max_response_bytes = max_response_bytes
        self._clock = clock
        headers = {"user-agent": USER_AGENT} | ({"authorization": f"Bearer {key}"} if key else {})
        self._client = openai.OpenAI(
            api_key=key or NO_KEY,
            base_url=base_url,
            max_retries=0,
            http_client=bounded_client(self._deadlines, headers, connections),
        )

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

    def answer(self, request: ChatRequest) -> ChatAnswer:
        """Ask once within the deadlines. Raises ChatError."""
        body = self.wire_request(request)
        raw = self._ask(body)
        return read_completion(raw, body)

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

    def _ask(self, body: Mapping[str, Any]) -> bytes:
        with allowance(self._deadlines.total, self._clock, self._max_response_bytes) as bound:
            try:
                return self._read(body)
            except openai.APIStatusError as error:
                raise refused_status(error.response) from error
            except ResponseTooLargeError as error:
                raise ChatError(f"the answer is larger than {self._max_response_bytes:,} bytes") from error
            except (openai.APITimeoutError, httpx2.TimeoutException) as error:
                raise ChatError(self._late(bound)) from error
            except (openai.APIConnectionError, httpx2.HTTPError) as error:
                raise ChatError(f"the connection failed: {error.__cause__ or error}") from error

    def _read(self, body: Mapping[str, Any]) -> bytes:
        """The exact bytes of the answer; the body is sent as it stands, without the SDK's slower typed path."""
        response = self._client.post("/chat/completions", body=body, cast_to=httpx2.Response)
        if len(response.content) > self._max_response_bytes:
            raise ResponseTooLargeError
        return response.content

    def _late(self, bound: Allowance) -> str:
        if bound.seconds_left() <= 0:
            return f"no complete answer within {self._deadlines.total:g} s, the total deadline"
        read, connect = self._deadlines.read, self._deadlines.connect
        return f"silence: nothing came for {read:g} s, or no connection in {connect:g} s"
