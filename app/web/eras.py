"""Eras and their documents, to read."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.services.era_pages import show_document, show_era, show_window
from app.services.judging_pages import is_judging
from app.web.addresses import RunPath
from app.web.dependencies import Reading
from app.web.pages import go_to, page

router = APIRouter()


@router.get("/runs/{run_id}/eras/{era_id}", name="eras.show")
def show(request: Request, reading: Reading, run_id: RunPath, era_id: str) -> Response:
    """The era whole; long documents wait until they are opened."""
    if is_judging(reading, run_id):
        return go_to(request, "judgings.show", run_id=run_id)
    return page(request, "eras/show.html", view=show_era(reading, run_id, era_id))


@router.get("/runs/{run_id}/eras/{era_id}/window", name="eras.window")
def window(request: Request, reading: Reading, run_id: RunPath, era_id: str) -> Response:
    """What happened: the record's events of the era's window."""
    run, study, era, events = show_window(reading, run_id, era_id)
    return page(request, "eras/window.html", fragment="eras/_window.html", run=run, study=study, era=era, events=events)


@router.get("/runs/{run_id}/documents/{key:path}", name="documents.show")
def document(request: Request, reading: Reading, run_id: RunPath, key: str) -> Response:
    """One document: a page of its own, or the part that an era's page opens."""
    view = show_document(reading, run_id, key)
    return page(
        request, "documents/show.html", fragment="documents/_document.html", run=view.run, study=view.study,
        era=view.era, document=view.document,
    )  # fmt: skip
