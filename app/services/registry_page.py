"""The registry of models as a page shows it; keys stay in the environment, the page only says whether they are set."""

from dataclasses import dataclass
from datetime import datetime

from app.services.launch_problems import key_is_set
from app.services.registry import RegisteredModel, own_models_file, registry
from app.services.unit_of_work import Reading


@dataclass(frozen=True, slots=True)
class RegistryLine:
    """One model; ``key_is_set`` is None for one that needs no key."""

    model: RegisteredModel
    key_is_set: bool | None

    @property
    def is_rehearsal(self) -> bool:
        """Whether its texts only rehearse."""
        return self.model.entry.is_rehearsal


@dataclass(frozen=True, slots=True)
class RegistryView:
    """Every model; ``problem`` says why the user's own file is left out, if it is."""

    lines: tuple[RegistryLine, ...]
    own_file: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version of an entry, with who made it and which fields it changed."""

    number: int
    made_at: datetime
    made_by: str | None
    changed: tuple[str, ...]


def show_registry() -> RegistryView:
    """The models in force: shipped, of the user's own file, and as admins wrote them."""
    known = registry()
    lines = tuple(RegistryLine(model, _key_is_set(model)) for model in known.models.values())
    return RegistryView(lines, str(own_models_file()), known.problem)


def show_versions(reading: Reading, name: str) -> tuple[VersionLine, ...]:
    """What admins wrote of a model, the last version first."""
    history = reading.models.history(name)
    states = [({**version.entry, "retired": version.retired}) for version, _ in history]
    befores = [*states, {}][1:]
    return tuple(
        VersionLine(version.number, version.made_at, author, _changed(state, before))
        for (version, author), state, before in zip(history, states, befores, strict=True)
    )


def _changed(state: dict[str, object], before: dict[str, object]) -> tuple[str, ...]:
    names = sorted(state.keys() | before.keys())
    return tuple(name for name in names if state.get(name) != before.get(name)) if before else ()


def _key_is_set(model: RegisteredModel) -> bool | None:
    return key_is_set(model.entry.key_variable) if model.entry.key_variable else None
