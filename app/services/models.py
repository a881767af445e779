"""The models there are: the shipped ones and those of the user's own file, and a voice for each."""

from functools import lru_cache
from pathlib import Path

from app.domain.engine.estimates import TokenPrices
from app.library.model_tables import model_tables
from app.providers.chat import Chat, Usage
from app.providers.registry import ModelEntry, voice
from app.settings import get_settings, provider_key

OWN_MODELS = "models.toml"


class UnknownModelError(Exception):
    """No model of that name is registered; the message names those there are."""


def registered_models() -> tuple[ModelEntry, ...]:
    """Every model, the shipped ones first. Raises ModelFileError or ValidationError for a wrong entry."""
    own = own_models_file()
    return _entries(own, own.stat().st_mtime_ns if own.exists() else 0)


def own_models_file() -> Path:
    """Where a user writes models of their own, in the form of the shipped file."""
    return get_settings().home / OWN_MODELS


def model_entry(name: str) -> ModelEntry:
    """The registered model of a name. Raises UnknownModelError."""
    entries = registered_models()
    for entry in entries:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in entries)
    raise UnknownModelError(f"model {name} is not registered; there are {known}")


def voice_of(entry: ModelEntry, *, pace_seconds: float) -> Chat:
    """The voice of a model, with the endpoint's own key only."""
    key = provider_key(entry.key_variable) if entry.key_variable else None
    return voice(entry, pace_seconds=pace_seconds, key=key)


def cost_of(entry: ModelEntry, usage: Usage) -> float | None:
    """US$ of a call; None if a price or the usage is not known."""
    if usage.tokens_in is None or usage.tokens_out is None:
        return 0.0 if entry.price_in == 0 and entry.price_out == 0 else None
    return TokenPrices(entry.price_in, entry.price_out).cost(usage.tokens_in, usage.tokens_out)


@lru_cache(maxsize=4)
def _entries(own: Path, changed_at: int) -> tuple[ModelEntry, ...]:
    return tuple(ModelEntry.model_validate(table) for table in model_tables(own))
