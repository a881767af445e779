"""Sent forms: their fields as text, and pydantic models filled from them with what to mend said per field."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Generic, TypeVar
from uuid import UUID

from fastapi import Depends
from pydantic import BaseModel, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from app.domain.misfits import problems_of
from app.web.bodies import bounded

MAX_FIELDS = 2_000
MAX_PART = 200_000
SENDING = "sending"
UTF_8 = frozenset({b"utf-8", b"utf8"})

Form = TypeVar("Form", bound=BaseModel)


async def _sent_form(request: Request) -> AsyncIterator[FormData]:
    """The body as a form, its files closed afterwards; empty for requests without one. Async, as Starlette reads so."""
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        yield FormData()
        return
    _check_charset(request)
    whole = await bounded(request)
    try:
        sent = await whole.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_PART)
    except HTTPException as error:
        raise _unread(error) from error
    try:
        yield _without_nul(sent)
    finally:
        await sent.close()


def _unread(error: HTTPException) -> HTTPException:
    """What to mend in a form that the framework gave up on; other refusals as they are."""
    if error.status_code != HTTPStatus.BAD_REQUEST:
        return error
    said = error.detail.rstrip(".")
    return HTTPException(400, f"The form cannot be read: {said}. Nothing was kept. Send less, or shorter texts.")


def _check_charset(request: Request) -> None:
    """Refuse another charset than UTF-8: some decode to what is no text, some fail, some take minutes."""
    _, options = parse_options_header(request.headers.get("Content-Type", ""))
    charset = options.get(b"charset", b"utf-8").strip().lower()
    if charset not in UTF_8:
        raise HTTPException(415, "The form is not in UTF-8. Nothing was kept. Send it as UTF-8.")


def _without_nul(sent: FormData) -> FormData:
    """The same without NUL, which no text in the database can hold and no page of ours sends."""
    for file in (value for value in sent.values() if isinstance(value, UploadFile)):
        file.filename = (file.filename or "").replace("\0", "")
    return FormData(
        [
            (name.replace("\0", ""), value.replace("\0", "") if isinstance(value, str) else value)
            for name, value in sent.multi_items()
        ]
    )


SentForm = Annotated[FormData, Depends(_sent_form)]


class SentFields(dict[str, str | list[str]]):
    """What was written, to be shown again; a field that the form did not send is shown empty, as it came."""

    def __missing__(self, name: str) -> str:
        """Nothing was written."""
        return ""


@dataclass(frozen=True, slots=True)
class Filled(Generic[Form]):
    """A form's value, or None with problems by field; ``sent`` holds what was written, to be shown again."""

    value: Form | None
    sent: dict[str, str | list[str]]
    problems: dict[str, str] = field(default_factory=dict)


def fill(form: type[Form], sent: FormData) -> Filled[Form]:
    """A pydantic model filled from a form; fields typed as tuples take every value of their name."""
    many = {name for name, info in form.model_fields.items() if "tuple" in str(info.annotation)}
    values = SentFields(
        {
            name: [str(value) for value in sent.getlist(name)] if name in many else str(sent[name])
            for name in form.model_fields
            if name in sent or name in many
        }
    )
    try:
        return Filled(form.model_validate(values), values)
    except ValidationError as error:
        return Filled(None, values, problems_in(error))


def id_in(text: str) -> UUID | None:
    """An id that a form or address sends, or None for what is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def filled_only(sent: FormData) -> FormData:
    """The form without its empty fields, for numbers that may be left out."""
    return FormData(
        [(name, value) for name, value in sent.multi_items() if not isinstance(value, str) or value.strip()]
    )


def sending_of(sent: FormData) -> UUID | None:
    """The id of the form that was sent, which a second click sends again; None where it has none."""
    return id_in(str(sent.get(SENDING, "")))


def problems_in(error: ValidationError) -> dict[str, str]:
    """What to mend, by field (of a list, whichever item it is); ``form`` stands for what concerns the whole."""
    found: dict[str, str] = {}
    for place, words in problems_of(error):
        found.setdefault(".".join(part for part in place if isinstance(part, str)) or "form", words)
    return found
