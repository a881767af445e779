"""A run: its board, and what an operator does to it as a whole."""

from collections.abc import Callable
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.services import interventions
from app.services.interventions import Wish
from app.services.judging_pages import is_judging, show_judging
from app.services.run_pages import show_run
from app.services.unit_of_work import Work as Unit
from app.services.users import SignedIn
from app.web.addresses import RunPath
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()
operate = Depends(needs(Right.OPERATE))


class Reason(BaseModel):
    """Why somebody intervenes."""

    reason: Annotated[str, Field(min_length=3, max_length=2_000)]


@router.get("/runs/{run_id}", name="runs.show")
def show(request: Request, reading: Reading, run_id: RunPath, era: str = "") -> Response:
    """The board of an era; as a fragment when something changed."""
    if is_judging(reading, run_id):
        return go_to(request, "judgings.show", run_id=run_id)
    view = show_run(reading, run_id, era_id=era)
    return page(request, "runs/show.html", fragment="runs/_now.html", view=view, problems={})


@router.post("/runs/{run_id}/pause", name="runs.pause", dependencies=[operate])
def pause(request: Request, work: Work, viewer: Viewer, run_id: RunPath, sent: SentForm) -> Response:
    """No further step is taken up."""
    return _intervene(request, work, viewer, run_id, sent, interventions.pause_run)


@router.post("/runs/{run_id}/resume", name="runs.resume", dependencies=[operate])
def resume(request: Request, work: Work, viewer: Viewer, run_id: RunPath, sent: SentForm) -> Response:
    """The run goes on."""
    return _intervene(request, work, viewer, run_id, sent, interventions.resume_run)


@router.post("/runs/{run_id}/cancel", name="runs.cancel", dependencies=[operate])
def cancel(request: Request, work: Work, viewer: Viewer, run_id: RunPath, sent: SentForm) -> Response:
    """The run ends where it is."""
    return _intervene(request, work, viewer, run_id, sent, interventions.cancel_run)


def _intervene(
    request: Request,
    work: Unit,
    viewer: SignedIn,
    run_id: UUID,
    sent: FormData,
    act: Callable[[Unit, UUID, Wish], None],
) -> Response:
    form = fill(Reason, sent)
    if form.value is None:
        wanted = "Write a reason of a few words: an intervention is kept for ever, and readers will ask why."
        problems = {request.url.path.rsplit("/", 1)[-1]: wanted}
        if is_judging(work, run_id):
            view = show_judging(work, run_id)
            return page(request, "judgings/show.html", status=422, view=view, problems=problems)
        return page(request, "runs/show.html", status=422, view=show_run(work, run_id), problems=problems)
    act(work, run_id, Wish(author=viewer.user.id, reason=form.value.reason))
    return go_to(request, "runs.show", run_id=run_id)
