"""Sent forms: their fields as text, and pydantic models filled from them with what to mend said per field."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Annotated, Generic, TypeVar

from fastapi import Depends
from pydantic import BaseModel, ValidationError
from starlette.datastructures import FormData
from starlette.requests import Request

from app.web.bodies import bounded

MAX_FIELDS = 2_000
MAX_PART = 200_000

Form = TypeVar("Form", bound=BaseModel)


async def _sent_form(request: Request) -> AsyncIterator[FormData]:
    """The body as a form, its files closed afterwards; empty for requests without one. Async, as Starlette reads so."""
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        yield FormData()
        return
    whole = await bounded(request)
    async with whole.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_PART) as sent:
        yield sent


SentForm = Annotated[FormData, Depends(_sent_form)]


@dataclass(frozen=True, slots=True)
class Filled(Generic[Form]):
    """A form's value, or None with problems by field; ``sent`` holds what was written, to be shown again."""

    value: Form | None
    sent: dict[str, str | list[str]]
    problems: dict[str, str] = field(default_factory=dict)


def fill(form: type[Form], sent: FormData) -> Filled[Form]:
    """A pydantic model filled from a form; fields typed as tuples take every value of their name."""
    many = {name for name, info in form.model_fields.items() if "tuple" in str(info.annotation)}
    values: dict[str, str | list[str]] = {
        name: [str(value) for value in sent.getlist(name)] if name in many else str(sent[name])
        for name in form.model_fields
        if name in sent or name in many
    }
    try:
        return Filled(form.model_validate(values), values)
    except ValidationError as error:
        return Filled(None, values, problems_in(error))


def filled_only(sent: FormData) -> FormData:
    """The form without its empty fields, for numbers that may be left out."""
    return FormData(
        [(name, value) for name, value in sent.multi_items() if not isinstance(value, str) or value.strip()]
    )


def problems_in(error: ValidationError) -> dict[str, str]:
    """What to mend, by field; ``form`` stands for what concerns the whole."""
    found: dict[str, str] = {}
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(str(part) for part in item["loc"]) or "form"
        found.setdefault(name, item["msg"].removeprefix("Value error, "))
    return found
