"""What is known of a model: who serves it, what it can do and costs, and the voice that speaks for it."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.providers.chat import Chat
from app.providers.rehearsal.voice import Rehearsal


class Provider(StrEnum):
    """The ways to reach a model."""

    REHEARSAL = "rehearsal"
    OPENAI_COMPATIBLE = "openai_compatible"


class SchemaMode(StrEnum):
    """How an endpoint takes the schema of an answer."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    JSON_ONLY = "json_only"
    NONE = "none"


class Features(BaseModel):
    """What an endpoint can do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA
    temperature: bool = True


class Limits(BaseModel):
    """What an endpoint allows; None where it says nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    requests_per_minute: Annotated[int, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[int, Field(gt=0)] | None = None
    concurrent: Annotated[int, Field(gt=0)] | None = None


class ModelEntry(BaseModel):
    """One model; prices are US$ per million tokens, None where they are not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=120)]
    provider: Provider
    family: Annotated[str, Field(min_length=1)]
    endpoint: str | None = None
    wire_model: Annotated[str, Field(min_length=1)]
    key_variable: str | None = None
    features: Features = Features()
    context_tokens: Annotated[int, Field(gt=0)] | None = None
    max_output_tokens: Annotated[int, Field(gt=0)] | None = None
    price_in: Annotated[float, Field(ge=0)] | None = None
    price_out: Annotated[float, Field(ge=0)] | None = None
    training_cutoff: date | None = None
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        if self.provider is Provider.OPENAI_COMPATIBLE and not self.endpoint:
            raise ValueError(f"endpoint: model {self.name} needs the base URL of its endpoint")
        return self


def voice(entry: ModelEntry, *, pace_seconds: float, key: str | None) -> Chat:
    """The voice of a model; ``key`` is its endpoint's own, ``pace_seconds`` is for rehearsal only."""
    return Rehearsal(pace_seconds=pace_seconds)
