"""The registry of models as a page shows it; keys stay in the environment, the page only says whether they are set."""

from dataclasses import dataclass

from pydantic import ValidationError

from app.library.model_tables import ModelFileError
from app.providers.registry import ModelEntry
from app.services.models import own_models_file, registered_models
from app.settings import SettingsProblem, provider_key


@dataclass(frozen=True, slots=True)
class RegistryLine:
    """One model; ``key_is_set`` is None for one that needs no key."""

    entry: ModelEntry
    key_is_set: bool | None
    is_rehearsal: bool


@dataclass(frozen=True, slots=True)
class RegistryView:
    """Every model, or why the user's own file cannot be read."""

    lines: tuple[RegistryLine, ...]
    own_file: str
    problem: str | None


def show_registry() -> RegistryView:
    """The models of the shipped file and of the user's own."""
    try:
        entries, problem = registered_models(), None
    except (ModelFileError, ValidationError) as error:
        entries, problem = (), str(error)
    lines = tuple(RegistryLine(entry, _key_is_set(entry), entry.provider == "rehearsal") for entry in entries)
    return RegistryView(lines, str(own_models_file()), problem)


def _key_is_set(entry: ModelEntry) -> bool | None:
    if not entry.key_variable:
        return None
    try:
        return provider_key(entry.key_variable) is not None
    except SettingsProblem:
        return False
