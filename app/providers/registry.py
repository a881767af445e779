"""The model registry: what is known of each model, and the voice behind it, one pool of connections per entry."""

import threading
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.providers.chat import Chat
from app.providers.compatible import LIMIT_FIELD, Compatible, LimitField, SchemaMode
from app.providers.rehearsal import Rehearsal
from app.providers.wire import Deadlines

Count = Annotated[int, Field(ge=1)]
Price = Annotated[float, Field(ge=0, description="US$ per million tokens")]


class RegistryError(ValueError):
    """A model entry that cannot be used; the message names the model, the field and the mend."""


class Entry(BaseModel):
    """Base of a registry entry's parts: frozen, so that an entry can be a key."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Features(Entry):
    """What an endpoint takes: the form of the schema, a temperature, and how it names the limit of output tokens."""

    schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA
    temperature: bool = True
    limit_field: LimitField = LIMIT_FIELD


class Limits(Entry):
    """What an endpoint allows, shared by all workers; None is no limit."""

    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None
    concurrent: Count | None = None


class ModelEntry(Entry):
    """One model; what is not known is None."""

    name: Annotated[str, Field(min_length=1, max_length=120)]
    provider: Literal["rehearsal", "openai_compatible"]
    family: Annotated[str, Field(min_length=1, max_length=120)]
    endpoint: str | None = Field(default=None, description="base URL, such as http://127.0.0.1:11434/v1")
    wire_model: Annotated[str, Field(min_length=1)]
    key_variable: str | None = Field(default=None, description="environment variable that holds the endpoint's key")
    features: Features = Features()
    context_tokens: Count | None = None
    max_output_tokens: Count | None = None
    price_in: Price | None = None
    price_out: Price | None = None
    training_cutoff: date | None = None
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _has_an_address(self) -> Self:
        if self.provider == "openai_compatible" and not (self.endpoint or "").startswith(("http://", "https://")):
            raise ValueError("endpoint: write the base URL, beginning with http:// or https://")
        return self

    @property
    def is_rehearsal(self) -> bool:
        """Whether its texts only rehearse: pages and exports mark them."""
        return self.provider == "rehearsal"


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
    with _LOCK:
        if wanted not in _VOICES:
            _VOICES[wanted] = _voice(*wanted)
        return _VOICES[wanted]


def close_voices() -> None:
    """Close every pool and forget the voices; calls in flight fail."""
    with _LOCK:
        for chat in _VOICES.values():
            if isinstance(chat, Compatible):
                chat.close()
        _VOICES.clear()


def _voice(entry: ModelEntry, pace_seconds: float, key: str | None, deadlines: Deadlines) -> Chat:
    if entry.endpoint is None or entry.is_rehearsal:
        return Rehearsal(pace_seconds=pace_seconds)
    return Compatible(
        base_url=entry.endpoint,
        wire_model=entry.wire_model,
        key=key,
        schema_mode=entry.features.schema_mode,
        takes_temperature=entry.features.temperature,
        limit_field=entry.features.limit_field,
        deadlines=deadlines,
    )


def _explained(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, item['loc'])) or 'entry'}: {item['msg'].removeprefix('Value error, ')}"
        for item in error.errors(include_url=False, include_context=False)
    )
