"""The model registry: what is known of each model, and the voice behind it, one pool of connections per entry."""

import threading
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Literal, Protocol, Self, runtime_checkable
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.domain.misfits import problems_of
from app.providers.chat import Chat
from app.providers.compatible import LIMIT_FIELD, Compatible, LimitField, SchemaMode
from app.providers.openai import ENDPOINT as OPENAI
from app.providers.openai import OpenAI
from app.providers.rehearsal import Rehearsal
from app.providers.wire import Deadlines

Count = Annotated[int, Field(ge=1)]
Provider = Literal["rehearsal", "openai_compatible", "anthropic", "openai"]
Price = Annotated[float, Field(ge=0, description="US$ per million tokens")]


class RegistryError(ValueError):
    """A model entry that cannot be used; the message names the model, the field and the mend."""


class Entry(BaseModel):
    """Base of a registry entry's parts: frozen, so that an entry can be a key."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Features(Entry):
    """What an endpoint takes: the form of the schema, a temperature, its name for the limit of output tokens.

    ``web_search`` says that its model can search the web, which the Messages and Responses APIs offer.
    """

    schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA
    temperature: bool = True
    limit_field: LimitField = LIMIT_FIELD
    web_search: bool = False


class Limits(Entry):
    """What an endpoint allows, shared by all workers; None is no limit."""

    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None
    concurrent: Count | None = None


class ModelEntry(Entry):
    """One model; what is not known is None."""

    name: Annotated[str, Field(min_length=1, max_length=120)]
    provider: Provider
    family: Annotated[str, Field(min_length=1, max_length=120)]
    endpoint: str | None = Field(default=None, description="base URL, such as http://127.0.0.1:11434/v1")
    wire_model: Annotated[str, Field(min_length=1)]
    key_variable: str | None = Field(default=None, description="environment variable that holds the endpoint's key")
    features: Features = Features()
    context_tokens: Count | None = None
    max_output_tokens: Count | None = None
    price_in: Price | None = None
    price_out: Price | None = None
    price_cached: Price | None = Field(default=None, description="for tokens read from a cache; else price_in")
    price_searches: Price | None = Field(default=None, description="US$ per thousand web searches")
    training_cutoff: date | None = None
    limits: Limits = Limits()

    @model_validator(mode="before")
    @classmethod
    def _without_sampling(cls, table: Any) -> Any:
        """An entry of the Messages API that says nothing of a temperature takes none."""
        if not isinstance(table, Mapping) or table.get("provider") != "anthropic":
            return table
        features = table.get("features") or {}
        return {**table, "features": {"temperature": False, **features} if isinstance(features, Mapping) else features}

    @model_validator(mode="after")
    def _fits_its_provider(self) -> Self:
        if self.endpoint is None and self.provider == "openai_compatible":
            raise ValueError("endpoint: write the base URL, beginning with http:// or https://")
        if self.endpoint is not None:
            require_address(self.endpoint)
        if self.provider == "anthropic" and self.features.temperature:
            raise ValueError("features.temperature: the Messages API takes no sampling settings; write false")
        if self.provider not in {"anthropic", "openai"} and self.features.web_search:
            raise ValueError("features.web_search: only models of anthropic and openai can search the web here")
        return self

    @property
    def is_rehearsal(self) -> bool:
        """Whether its texts only rehearse: pages and exports mark them."""
        return self.provider == "rehearsal"


def require_address(endpoint: str) -> None:
    """Raise ValueError unless it is a base URL, and one that holds no key."""
    parts = urlsplit(endpoint)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("endpoint: write the base URL, beginning with http:// or https://")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("endpoint: write the base URL alone; a key comes from its variable, never from an address")


def model_entries(tables: Iterable[Mapping[str, Any]]) -> dict[str, ModelEntry]:
    """Entries by name from the tables of model files. Raises RegistryError at the first that does not fit."""
    entries: dict[str, ModelEntry] = {}
    for table in tables:
        name = str(table.get("name", f"number {len(entries) + 1}"))
        try:
            entry = ModelEntry.model_validate(table)
        except ValidationError as error:
            raise RegistryError(f"model {name}: {_explained(error)}") from error
        if entry.name in entries:
            raise RegistryError(f"model {name}: the name is taken twice; rename one of the entries")
        entries[entry.name] = entry
    return entries


_VOICES: dict[tuple[ModelEntry, float, str | None, Deadlines], Chat] = {}
_LOCK = threading.Lock()


def voice(
    entry: ModelEntry, *, pace_seconds: float = 0.0, key: str | None = None, deadlines: Deadlines | None = None
) -> Chat:
    """The voice of an entry: the same object for the same arguments, to be used by any number of threads.

    ``pace_seconds`` is for rehearsal models; ``key`` is the value of the entry's own key variable.
    """
    wanted = (entry, pace_seconds, key, deadlines or Deadlines())
    known = _VOICES.get(wanted)  # without the lock: what is there stays, and to hash an entry takes its time
    if known is not None:
        return known
    with _LOCK:
        if wanted not in _VOICES:
            _VOICES[wanted] = _voice(*wanted)
        return _VOICES[wanted]


def close_voices() -> None:
    """Close every pool and forget the voices; calls in flight fail."""
    with _LOCK:
        for chat in _VOICES.values():
            if isinstance(chat, Pooled):
                chat.close()
        _VOICES.clear()


@runtime_checkable
class Pooled(Protocol):
    """A voice that keeps connections."""

    def close(self) -> None:
        """Close the pool."""
        ...


def _voice(entry: ModelEntry, pace_seconds: float, key: str | None, deadlines: Deadlines) -> Chat:
    match entry.provider:
        case "rehearsal":
            return Rehearsal(pace_seconds=pace_seconds)
        case "anthropic":
            return _anthropic_voice(entry, key, deadlines)
        case "openai":
            return OpenAI(
                base_url=entry.endpoint or OPENAI,
                wire_model=entry.wire_model,
                key=key,
                takes_temperature=entry.features.temperature,
                deadlines=deadlines,
            )
        case "openai_compatible":
            assert entry.endpoint is not None
            return Compatible(
                base_url=entry.endpoint,
                wire_model=entry.wire_model,
                key=key,
                schema_mode=entry.features.schema_mode,
                takes_temperature=entry.features.temperature,
                limit_field=entry.features.limit_field,
                deadlines=deadlines,
            )


def _anthropic_voice(entry: ModelEntry, key: str | None, deadlines: Deadlines) -> Chat:
    from app.providers.anthropic import ENDPOINT, Anthropic  # noqa: PLC0415 - two seconds that few processes need

    return Anthropic(base_url=entry.endpoint or ENDPOINT, wire_model=entry.wire_model, key=key, deadlines=deadlines)


def _explained(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, place)) or 'entry'}: {words}" for place, words in problems_of(error))
