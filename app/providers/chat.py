"""The one door to every voice: a request goes in, an answer with its usage or a named failure comes out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from pydantic_core import to_json

from app.domain.engine.inputs import StepInput


class StopReason(StrEnum):
    """Why a model stopped, read before its text is."""

    COMPLETE = "complete"
    TRUNCATED = "truncated"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, ``None`` where the provider did not say; cached and reasoning ones are parts of the sums.

    ``tokens_cached`` were read from the provider's cache, ``tokens_cache_written`` written to it; ``searches`` counts
    the web searches that are billed.
    """

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_cache_written: int | None = None
    tokens_reasoning: int | None = None
    searches: int | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to one model.

    ``schema`` is the JSON schema of the answer. ``step`` is the typed material the prompt was made from and ``seed``
    the study's seed with the step's key: only the in-process rehearsal voice reads them, they are never sent.
    ``web_search`` lets the model search the web, where its entry says that it can.
    """

    model: str
    system: str
    prompt: str
    schema_name: str
    schema: Mapping[str, Any]
    temperature: float | None
    max_tokens: int
    step: StepInput
    seed: str
    web_search: bool = False


@dataclass(frozen=True, slots=True)
class ExactRequest:
    """A request as it goes over the wire: its fields, and the text that is kept and then sent, byte for byte."""

    body: Mapping[str, Any]
    text: str


_IN_ITS_ORDER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
"""Models write the fields of an answer in the order of the schema: keys stay as they are."""


def exact_request(body: Mapping[str, Any]) -> ExactRequest:
    """A body with its text: JSON in UTF-8 without spare white space. Raises ValueError for a number it cannot hold."""
    raw = to_json(body)
    if b"NaN" in raw or b"Infinity" in raw:  # words of a prompt, or numbers at which the slower writer stops
        return ExactRequest(body, _IN_ITS_ORDER.encode(body))
    return ExactRequest(body, raw.decode())


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What came back: the text, why it stopped, what it used, and the body it came in."""

    text: str
    stop: StopReason
    usage: Usage
    model_reported: str | None
    response_body: Mapping[str, Any]


class ChatError(Exception):
    """A call without an answer; ``final`` ones are not tried again; ``retry_after`` is in seconds, if it was said.

    ``quota`` says that the account ran out: no model behind it is to be asked until somebody looked. ``usage`` is what
    was paid all the same, None if the provider did not say or took nothing; ``may_be_billed`` says that nobody knows:
    the request went out, and no answer that could be read came back.
    """

    def __init__(
        self,
        reason: str,
        *,
        final: bool = False,
        quota: bool = False,
        retry_after: float | None = None,
        response_body: Mapping[str, Any] | None = None,
        usage: Usage | None = None,
        may_be_billed: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final or quota
        self.quota = quota
        self.retry_after = retry_after
        self.response_body = response_body or {}
        self.usage = usage
        self.may_be_billed = may_be_billed


class Chat(Protocol):
    """A voice: a model behind a provider."""

    def wire_request(self, request: ChatRequest) -> Mapping[str, Any]:
        """The body of a request, in the form of the voice's API."""
        ...

    def answer(self, request: ChatRequest, exact: ExactRequest) -> ChatAnswer:
        """Ask once, without retries of its own, by sending ``exact``, which was made of ``request``'s body.

        Raises ChatError.
        """
        ...


def ask(voice: Chat, request: ChatRequest) -> ChatAnswer:
    """Ask where nothing is kept before. Raises ChatError."""
    return voice.answer(request, exact_request(voice.wire_request(request)))
