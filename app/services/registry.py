"""The models there are: shipped ones, those of the user's own file, and what admins wrote; and a voice for each."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Lock

import structlog
from pydantic import ValidationError
from sqlalchemy.exc import OperationalError

from app.domain.engine.estimates import MILLION, TokenPrices
from app.library.model_tables import ModelFileError, model_tables
from app.providers.chat import Chat, Usage
from app.providers.registry import ModelEntry, RegistryError, model_entries, voice
from app.providers.wire import deadlines_of
from app.settings import Settings, get_settings, provider_key
from app.storage.registry import Models, ModelVersion
from app.storage.session import session_apart

OWN_MODELS = "models.toml"
FRESH_SECONDS = 5.0
"""How long a process works with what it knows of the registry; its own edits it sees at once.

A launch, and who meets a study or judging for the first time, read it anew: calls are made with models as they were
when the design was fixed, or later, never as they were before.
"""

LOOK_SECONDS = 1.0
"""How long calls go on without a look at whether the user's own file was changed."""

log = structlog.get_logger()


class UnknownModelError(Exception):
    """No model of that name is registered; the message names those there are."""


class Source(StrEnum):
    """Where an entry stands as it is."""

    SHIPPED = "shipped"
    FILE = "file"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """An entry in force; ``number`` is that of its version in the database, 0 for one that was never edited.

    A ``retired`` model is not offered to new studies; those under way go on with it.
    """

    entry: ModelEntry
    source: Source
    number: int = 0
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Registry:
    """Every model by name, the shipped ones first; ``problem`` is why the user's own file is left out, if it is."""

    models: Mapping[str, RegisteredModel]
    problem: str | None


def registry() -> Registry:
    """The registry, read anew at most every few seconds; no thread waits for another's reading twice."""
    where = _where()
    return _KEPT.registry_for(where) or _KEPT.renewed(where)


def forget_registry() -> None:
    """Read the registry anew when it is next asked for, such as after an edit."""
    _KEPT.forget()


def registered_models() -> tuple[ModelEntry, ...]:
    """Every model, retired ones too."""
    return tuple(model.entry for model in registry().models.values())


def offered_models() -> tuple[ModelEntry, ...]:
    """The models that a new study may choose."""
    return tuple(model.entry for model in registry().models.values() if not model.retired)


def own_models_file() -> Path:
    """Where a user may write models of their own, in the form of the shipped file."""
    return get_settings().home / OWN_MODELS


def model_entry(name: str) -> ModelEntry:
    """The registered model of a name. Raises UnknownModelError."""
    return registered_model(name).entry


def registered_model(name: str) -> RegisteredModel:
    """The same with where it stands; a change of the user's file is seen after a second. Raises UnknownModelError."""
    where = _KEPT.looked_up()
    known = _KEPT.registry_for(where) or _KEPT.renewed(where)
    if name not in known.models:  # another process may have added it just now, and launched a study with it
        known = _KEPT.renewed(_where(), lacking=known)
    if name in known.models:
        return known.models[name]
    words = f"model {name} is not registered; there are {', '.join(known.models)}"
    raise UnknownModelError(f"{words}; {known.problem}" if known.problem else words)


def voice_of(entry: ModelEntry, *, pace_seconds: float) -> Chat:
    """The voice of a model, with the endpoint's own key only and the deadlines of the settings."""
    key = provider_key(entry.key_variable) if entry.key_variable else None
    return voice(entry, pace_seconds=pace_seconds, key=key, deadlines=deadlines_of(get_settings().call_seconds))


def cost_of(entry: ModelEntry, usage: Usage) -> float | None:
    """US$ of a call, its web searches too; None if a price or the usage is not known."""
    if usage.tokens_in is None or usage.tokens_out is None:
        return 0.0 if entry.price_in == 0 and entry.price_out == 0 else None
    cost = TokenPrices(entry.price_in, entry.price_out).cost(usage.tokens_in, usage.tokens_out)
    if cost is None or (usage.searches and entry.price_searches is None):
        return None
    if entry.price_cached is not None and entry.price_in is not None:
        cached = min(usage.tokens_cached or 0, usage.tokens_in)
        cost -= cached * (entry.price_in - entry.price_cached) / MILLION
    return cost + (usage.searches or 0) * (entry.price_searches or 0.0) / 1_000


Where = tuple[str | None, Path, int]


def _where() -> Where:
    """The database, the user's own file, and when that was changed."""
    own = own_models_file()
    return get_settings().database_url, own, own.stat().st_mtime_ns if own.exists() else 0


class _Kept:
    """What this process knows of the registry, for the database and file it was read from."""

    def __init__(self) -> None:
        self._reading = Lock()
        self._known: tuple[Where, Registry] | None = None
        self._fresh_until = 0.0
        self._forgotten = 0
        self._looked: tuple[Settings, float, Where] | None = None

    def looked_up(self) -> Where:
        """Where the registry stands, as it was within the last second under the same settings."""
        looked, settings, now = self._looked, get_settings(), time.monotonic()
        if looked is None or looked[0] is not settings or now >= looked[1]:
            looked = self._looked = (settings, now + LOOK_SECONDS, _where())
        return looked[2]

    def registry_for(self, where: Where) -> Registry | None:
        """The registry, if it is fresh or another thread is renewing it now."""
        known = self._known
        if known is None or known[0] != where:
            return None
        return known[1] if time.monotonic() < self._fresh_until or self._reading.locked() else None

    def renewed(self, where: Where, lacking: Registry | None = None) -> Registry:
        """Read the registry, though it be fresh if it lacks something; while the database is away, the known stays."""
        with self._reading:
            known = self._known
            is_fresh = known is not None and known[0] == where and time.monotonic() < self._fresh_until
            if known is not None and is_fresh and known[1] is not lacking:
                return known[1]
            try:
                found = self._read_since_forgotten(where)
            except OperationalError:
                if known is None or known[0] != where:
                    raise
                log.warning("registry not read, database away")
                found = known[1]
            self._known, self._fresh_until = (where, found), time.monotonic() + FRESH_SECONDS
            return found

    def _read_since_forgotten(self, where: Where) -> Registry:
        """Read until nobody forgot it meanwhile: what was being read may be older than what made somebody forget it."""
        while True:
            forgotten = self._forgotten
            found = _read(where)
            if forgotten == self._forgotten:
                return found

    def forget(self) -> None:
        """Nothing is known, and what is being read now is not trusted."""
        self._forgotten += 1
        self._known = self._looked = None


_KEPT = _Kept()


def _read(where: Where) -> Registry:
    database, own, _ = where
    models = _models(model_entries(model_tables()), Source.SHIPPED)
    problem = None
    try:
        from_file = model_entries(model_tables(own))
        models |= _models({name: entry for name, entry in from_file.items() if name not in models}, Source.FILE)
    except (ModelFileError, RegistryError) as error:
        problem = str(error)
    if database is not None:
        with session_apart() as session:
            models |= {version.name: _edited(version) for version in Models(session).current()}
    return Registry(models, problem)


def _models(entries: Mapping[str, ModelEntry], source: Source) -> dict[str, RegisteredModel]:
    return {name: RegisteredModel(entry, source) for name, entry in entries.items()}


def _edited(version: ModelVersion) -> RegisteredModel:
    try:
        entry = ModelEntry.model_validate({**version.entry, "name": version.name})
    except ValidationError as error:
        raise RegistryError(f"model {version.name}, version {version.number}: {error}") from error
    return RegisteredModel(entry, Source.PAGE, version.number, version.retired)
