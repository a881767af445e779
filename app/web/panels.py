"""Panels: the list, a new one, a draft's design with its plan, a locked panel's progress, and exports."""

from typing import Any

from fastapi import APIRouter, Depends
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.domain.rating.sessions import PanelState
from app.services.boards import list_studies
from app.services.errors import NotFoundError, RefusedError
from app.services.panel_exports import FILES as EXPORTS
from app.services.panel_exports import export_panel
from app.services.panel_forms import (
    RUBRIC_EXAMPLE,
    DesignForm,
    NewPanelForm,
    changed_design,
    first_design,
    first_problem,
    sent_of,
)
from app.services.panel_frames import plan_panel
from app.services.panel_masks import label_of
from app.services.panel_pages import PanelView, list_panels, show_panel
from app.services.panels import LockedDesignError, create_panel, lock_problem, save_design
from app.web.addresses import PanelPath
from app.web.bodies import FILES
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()
operate = Depends(needs(Right.OPERATE))
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "md": "text/markdown; charset=utf-8"}
EMPTY: dict[str, Any] = {
    "name": "",
    "source": "studies",
    "rubric": "record",
    "rubric_text": "",
    "studies": [],
    "blind_to_condition": "yes",
}


@router.get("/panels", name="panels.index")
def index(request: Request, reading: Reading) -> Response:
    """Every panel, the last made first."""
    return page(request, "panels/index.html", panels=list_panels(reading))


@router.get("/panels/new", name="panels.new", dependencies=[operate])
def new(request: Request, reading: Reading) -> Response:
    """Where the items come from, and on what they are scored."""
    return _new_page(request, reading, EMPTY, {})


@router.post("/panels", name="panels.create", dependencies=[operate])
def create(request: Request, work: Work, viewer: Viewer, sent: SentForm) -> Response:
    """Keep a draft with its frame."""
    form = fill(NewPanelForm, sent)
    shown = {**EMPTY, "blind_to_condition": "", **form.sent}
    if form.value is None:
        return _new_page(request, work, shown, form.problems, status=422)
    try:
        design, items = first_design(work, form.value, _upload(sent))
        panel_id = create_panel(work, design, items, viewer.user.id)
    except (RefusedError, NotFoundError) as error:
        return _new_page(request, work, shown, _said_of(str(error)), status=422)
    return go_to(request, "panels.show", panel_id=panel_id)


@router.get("/panels/{panel_id}", name="panels.show")
def show(request: Request, reading: Reading, panel_id: PanelPath, lock: str = "") -> Response:
    """A draft's design with its plan, and why it could not be locked (``lock``); or a locked panel's progress."""
    view = show_panel(reading, panel_id)
    if view.panel.state is PanelState.DRAFT:
        problem = lock_problem(reading, panel_id) if lock else None
        return _design_page(request, reading, view, sent_of(view.panel.design), _said_of(problem) if problem else {})
    return page(request, "panels/show.html", fragment="panels/_progress.html", view=view, files=EXPORTS, issued=None)


@router.post("/panels/{panel_id}/plan", name="panels.plan", dependencies=[operate])
def plan(request: Request, reading: Reading, panel_id: PanelPath, sent: SentForm) -> Response:
    """The plan of the form as it stands; the whole page again for browsers without scripts."""
    view = show_panel(reading, panel_id)
    shown, problems, design = _read(view, sent)
    made = plan_panel(reading, view.panel, design or view.panel.design)
    values: dict[str, Any] = {"view": view, "sent": shown, "problems": problems, "plan": made}
    return page(request, "panels/design.html", fragment="panels/_plan.html", **values)


@router.post("/panels/{panel_id}/design", name="panels.design", dependencies=[operate])
def design(request: Request, work: Work, panel_id: PanelPath, sent: SentForm) -> Response:
    """Save a draft's design; a locked one answers with a form for amendments."""
    view = show_panel(work, panel_id)
    shown, problems, changed = _read(view, sent)
    if changed is None:
        return _design_page(request, work, view, shown, problems, status=422)
    try:
        save_design(work, panel_id, changed)
    except LockedDesignError as error:
        return page(request, "panels/amend.html", status=409, view=view, changes=error.changes, words=str(error))
    return go_to(request, "panels.show", panel_id=panel_id)


@router.get("/panels/{panel_id}/design", name="panels.locked_design")
def locked_design(request: Request, reading: Reading, panel_id: PanelPath) -> Response:
    """The design of a panel as it was locked, with its amendments."""
    view = show_panel(reading, panel_id)
    if view.panel.state is PanelState.DRAFT:
        return go_to(request, "panels.show", panel_id=panel_id)
    names = {line.key: label_of(line) for line in view.sample}
    return page(request, "panels/locked.html", view=view, names=names)


@router.get("/panels/{panel_id}/exports/{name}", name="panels.export")
def export(reading: Reading, panel_id: PanelPath, name: str) -> Response:
    """One file of the panel."""
    if name not in EXPORTS:
        raise NotFoundError("export", name)
    text = export_panel(reading, panel_id, name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text, media_type=TYPES[name.rpartition(".")[2]], headers=headers)


def _new_page(
    request: Request, reading: Reading, sent: dict[str, Any], problems: dict[str, str], *, status: int = 200
) -> Response:
    studies = list_studies(reading, page=1)
    values: dict[str, Any] = {"sent": sent, "problems": problems, "studies": studies, "example": RUBRIC_EXAMPLE}
    return page(request, "panels/new.html", status=status, **values)


def _design_page(
    request: Request,
    reading: Reading,
    view: PanelView,
    sent: dict[str, Any],
    problems: dict[str, str],
    *,
    status: int = 200,
) -> Response:
    """A draft's page with what was written and what is wrong with it."""
    made = plan_panel(reading, view.panel, view.panel.design)
    return page(request, "panels/design.html", status=status, view=view, sent=sent, problems=problems, plan=made)


def _read(view: PanelView, sent: FormData) -> tuple[dict[str, Any], dict[str, str], Any]:
    """What was written, its problems, and the design it makes, or None."""
    form = fill(DesignForm, sent)
    boxes = {name: name in sent for name in ("short_packets", "with_interventions")}
    shown = {**sent_of(view.panel.design), **form.sent, **boxes}
    if form.value is None:
        return shown, form.problems, None
    try:
        return shown, {}, changed_design(view.panel.design, form.value)
    except ValidationError as error:
        return shown, first_problem(error), None


def _said_of(problem: str) -> dict[str, str]:
    """A refusal by the field that it names, or of the form as a whole."""
    field, _, words = problem.partition(": ")
    return {field if words else "form": words or field}


def _upload(sent: FormData) -> tuple[str, bytes] | None:
    file = sent.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return None
    return file.filename, file.file.read(FILES["panels.create"] + 1)  # a byte more tells the readers, which refuse it
