"""Calls, to read."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from app.services.call_comparisons import compare_calls
from app.services.call_pages import show_call
from app.services.errors import NotFoundError
from app.web.addresses import CallPath
from app.web.dependencies import Reading
from app.web.pages import page

router = APIRouter()


@router.get("/calls/{call_id}", name="calls.show")
def show(request: Request, reading: Reading, call_id: CallPath) -> Response:
    """One attempt at a model."""
    return page(request, "calls/show.html", view=show_call(reading, call_id))


@router.get("/calls/{call_id}/compare", name="calls.compare")
def compare(
    request: Request,
    reading: Reading,
    call_id: CallPath,
    other: Annotated[UUID | None, Query(alias="with")] = None,
    run: UUID | None = None,
) -> Response:
    """This call beside another, or beside the same step of another run."""
    return page(request, "calls/compare.html", view=compare_calls(reading, call_id, other=other, run=run))


@router.get("/calls/{call_id}/{part}.json", name="calls.part")
def part(reading: Reading, call_id: CallPath, part: str) -> Response:
    """The exact request or response, to download."""
    request, response = reading.calls.texts(call_id)
    text = {"request": request, "response": response}.get(part)
    if text is None:
        raise NotFoundError("text", part)
    disposition = f'attachment; filename="call-{call_id}-{part}.json"'
    return Response(text, media_type="application/json", headers={"Content-Disposition": disposition})
