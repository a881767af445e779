"""A model's entry as admins write it: flat fields, checked as the registry checks them, kept as a new version."""

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, field_validator

from app.domain.ids import UserId
from app.domain.misfits import problems_of
from app.domain.naming import Name
from app.providers.compatible import LIMIT_FIELD, LimitField, SchemaMode
from app.providers.registry import Features, Limits, ModelEntry, require_address
from app.services.errors import AlreadyThereError, RefusedError
from app.services.registry import RegisteredModel, forget_registry, registered_model, registry
from app.services.unit_of_work import Work
from app.settings import KEY_VARIABLE
from app.storage.registry import ModelVersion

NAME = re.compile(r"[\w.:+-]+(/[\w.:+-]+)*")
Blank = BeforeValidator(lambda value: None if isinstance(value, str) and not value.strip() else value)
Text = Annotated[str | None, Blank]
Count = Annotated[int | None, Blank]
Price = Annotated[float | None, Blank]
GROUPS: dict[str, type[BaseModel]] = {"features": Features, "limits": Limits}


class ModelForm(BaseModel):
    """The page's fields; a field left empty is not known."""

    name: Annotated[str, Field(max_length=120)] = ""
    provider: Literal["anthropic", "openai", "openai_compatible"] = "openai_compatible"
    family: Annotated[Name, Field(max_length=120)] = ""
    endpoint: Text = None
    wire_model: Annotated[Name, Field(max_length=200)] = ""
    key_variable: Text = None
    schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA
    temperature: bool = False
    limit_field: LimitField = LIMIT_FIELD
    web_search: bool = False
    context_tokens: Count = None
    max_output_tokens: Count = None
    price_in: Price = None
    price_out: Price = None
    price_cached: Price = None
    price_searches: Price = None
    training_cutoff: Annotated[date | None, Blank] = None
    requests_per_minute: Count = None
    tokens_per_minute: Count = None
    concurrent: Count = None

    @field_validator("name")
    @classmethod
    def _fits_an_address(cls, name: str) -> str:
        if not NAME.fullmatch(name):
            raise ValueError("write letters, digits and . : + - _, in parts divided by /, such as lab/model-1")
        return name

    @field_validator("key_variable")
    @classmethod
    def _names_a_variable(cls, name: str | None) -> str | None:
        if name and not KEY_VARIABLE.fullmatch(name):
            raise ValueError("write the name of a variable such as EXAMPLE_API_KEY, never the key itself")
        return name

    @field_validator("endpoint")
    @classmethod
    def _is_an_address(cls, endpoint: str | None) -> str | None:
        if endpoint:
            require_address(endpoint)
        return endpoint


class UnfitEntryError(Exception):
    """A form that makes no entry; ``problems`` says what to mend, by field."""

    def __init__(self, problems: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {words}" for field, words in problems.items()))
        self.problems = problems


def form_of(entry: ModelEntry) -> dict[str, str]:
    """An entry as a browser would send it; boxes that are not ticked are left out."""
    values = entry.model_dump(mode="json")
    flat = {**values, **values["features"], **values["limits"]}
    return {name: _sent(flat[name]) for name in ModelForm.model_fields if flat[name] is not False}


def entry_from(form: ModelForm) -> ModelEntry:
    """The entry a form makes. Raises UnfitEntryError."""
    values: dict[str, Any] = form.model_dump()
    table = {group: {name: values.pop(name) for name in parts.model_fields} for group, parts in GROUPS.items()} | values
    try:
        return ModelEntry.model_validate(table)
    except ValidationError as error:
        raise UnfitEntryError(_problems(error)) from error


def add_model(work: Work, entry: ModelEntry, by: UserId) -> None:
    """Register a model. Raises AlreadyThereError if the name is taken."""
    if entry.name in registry().models:
        raise AlreadyThereError("model", entry.name)
    _keep(work, entry, retired=False, number=1, by=by)


def change_model(work: Work, name: str, entry: ModelEntry, *, based_on: int, by: UserId) -> None:
    """Keep a new version of a model under its name; ``based_on`` is the version the change began from.

    Raises RefusedError if somebody changed it since, or if it is a rehearsal model.
    """
    _keep(work, entry.model_copy(update={"name": name}), retired=_editable(name).retired, number=based_on + 1, by=by)


def retire_model(work: Work, name: str, *, retired: bool, by: UserId) -> None:
    """Offer a model to new studies no longer, or again. Raises RefusedError for a rehearsal model."""
    model = _editable(name)
    _keep(work, model.entry, retired=retired, number=model.number + 1, by=by)


def _editable(name: str) -> RegisteredModel:
    model = registered_model(name)
    if model.entry.is_rehearsal:
        raise RefusedError(f"{name} comes with the software and stays as it is.")
    return model


def _keep(work: Work, entry: ModelEntry, *, retired: bool, number: int, by: UserId) -> None:
    table = entry.model_dump(mode="json", exclude={"name"})
    version = ModelVersion(entry.name, number, table, retired, work.now, by)
    try:
        work.models.add(work.new_id(), version)
    except AlreadyThereError as error:
        words = f"Somebody else changed {entry.name} in the meantime. Nothing was changed; look at it again."
        raise RefusedError(words) from error
    work.after_commit(forget_registry)


def _sent(value: Any) -> str:
    if value is None:
        return ""
    return "true" if value is True else str(value)


def _problems(error: ValidationError) -> dict[str, str]:
    found: dict[str, str] = {}
    for parts, said in problems_of(error):
        place, words = ".".join(map(str, parts)), said
        if not place and ": " in words:
            place, words = words.split(": ", 1)
        found.setdefault(place.rpartition(".")[2] or "form", words)
    return found
