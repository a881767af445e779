"""What is done to a run beyond its steps: noting what it may have seen, and taking a text out of it."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.services.exposures import show_exposure
from app.services.interventions import annotate_exposure
from app.services.redaction_pages import RedactionView, show_redaction
from app.services.redactions import redact_artifact
from app.web.addresses import RunPath
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page
from app.web.wishes import kept_wish, wish_in

router = APIRouter()
operate = Depends(needs(Right.OPERATE))


class Seen(BaseModel):
    """What a run may have seen: runs of its study, ticked, and anything else, a line each."""

    seen: tuple[Annotated[str, Field(max_length=300)], ...] = ()
    other: Annotated[str, Field(max_length=4_000)] = ""

    @property
    def names(self) -> list[str]:
        """Everything named, once."""
        written = (line.strip() for line in self.other.splitlines())
        return list(dict.fromkeys([*self.seen, *(line for line in written if line)]))


@router.get("/runs/{run_id}/exposure", name="runs.exposure", dependencies=[operate])
def exposure(request: Request, reading: Reading, run_id: RunPath) -> Response:
    """The form that notes what a run may have seen."""
    kept = {**kept_wish(None), "seen": [], "other": ""}
    return page(request, "runs/exposure.html", view=show_exposure(reading, run_id), kept=kept, problems={})


@router.post("/runs/{run_id}/exposure", name="runs.annotate", dependencies=[operate])
def annotate(request: Request, work: Work, viewer: Viewer, run_id: RunPath, sent: SentForm) -> Response:
    """Note it; with something to mend, the same page."""
    asked, form = wish_in(sent, viewer), fill(Seen, sent)
    problems = {**asked.problems, **form.problems}
    names = form.value.names if form.value else []
    if not names and not form.problems:
        problems["seen"] = "Tick a run, or write what else it may have seen."
    if asked.wish and not problems:
        annotate_exposure(work, run_id, asked.wish, seen=names)
        return go_to(request, "runs.show", run_id=run_id)
    kept = {**kept_wish(sent), "seen": sent.getlist("seen"), "other": str(sent.get("other", ""))}
    named = {f"exposure.{name}": words for name, words in problems.items()}
    view = show_exposure(work, run_id)
    return page(request, "runs/exposure.html", status=422, view=view, kept=kept, problems=named)


@router.get("/runs/{run_id}/redact/{key:path}", name="documents.redact", dependencies=[operate])
def ask_redaction(request: Request, reading: Reading, run_id: RunPath, key: str) -> Response:
    """What taking the text out would change."""
    return _redaction_page(request, show_redaction(reading, run_id, key))


@router.post("/runs/{run_id}/redact/{key:path}", name="documents.blank", dependencies=[operate])
def redact(request: Request, work: Work, viewer: Viewer, run_id: RunPath, key: str, sent: SentForm) -> Response:
    """Take the text out."""
    view = show_redaction(work, run_id, key)
    asked = wish_in(sent, viewer)
    if asked.wish is None:
        named = {f"redact.{name}": words for name, words in asked.problems.items()}
        return _redaction_page(request, view, sent=sent, problems=named, status=422)
    redact_artifact(work, view.step_id, asked.wish)
    return go_to(request, "eras.show", run_id=run_id, era_id=view.document.era.id)


def _redaction_page(
    request: Request,
    view: RedactionView,
    *,
    sent: FormData | None = None,
    problems: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    return page(
        request, "documents/redact.html", status=status, view=view, kept=kept_wish(sent), problems=problems or {}
    )
