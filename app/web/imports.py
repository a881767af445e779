"""Importing published runs and score tables: upload, look at what was found, confirm."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, Field
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.domain.naming import WrittenName
from app.imports.bundles import LARGEST_UPLOAD
from app.services.boards import show_study
from app.services.errors import RefusedError
from app.services.imports_published import ShiftedScoresError, confirm_import, preview_upload, show_import, show_preview
from app.web.addresses import StudyPath
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()
operate = Depends(needs(Right.OPERATE))
DraftPath = Annotated[UUID, Path(alias="draft_id")]


class Confirmation(BaseModel):
    """What the operator decided: the study's name and which proposals hold."""

    name: Annotated[WrittenName, Field(min_length=1, max_length=120)]
    accept: tuple[str, ...] = ()


@router.get("/imports/new", name="imports.new", dependencies=[operate])
def new(request: Request) -> Response:
    """The upload form."""
    return page(request, "imports/new.html", problem="")


@router.post("/imports", name="imports.read", dependencies=[operate])
def read(request: Request, work: Work, viewer: Viewer, sent: SentForm) -> Response:
    """Read an upload; what is wrong with it is said on the same page, and nothing is kept of it."""
    uploaded = _upload(sent)
    if uploaded is None:
        return page(request, "imports/new.html", status=422, problem="Choose a zip file or a score table first.")
    name, content = uploaded
    try:
        preview = preview_upload(work, content, name, viewer.user.id, mend=sent.get("mend") == "yes")
    except (ValueError, RefusedError) as error:  # every importer's refusals are ValueErrors that name the mend
        return page(request, "imports/new.html", status=422, problem=_words(error))
    return go_to(request, "imports.show", draft_id=preview.draft_id)


@router.get("/imports/{draft_id}", name="imports.show", dependencies=[operate])
def show(request: Request, reading: Reading, draft_id: DraftPath) -> Response:
    """What an upload holds and what is proposed."""
    return page(request, "imports/preview.html", preview=show_preview(reading, draft_id), problems={})


@router.post("/imports/{draft_id}", name="imports.confirm", dependencies=[operate])
def confirm(request: Request, work: Work, viewer: Viewer, draft_id: DraftPath, sent: SentForm) -> Response:
    """Store it as a study."""
    form = fill(Confirmation, sent)
    if form.value is None:
        preview = show_preview(work, draft_id)
        return page(request, "imports/preview.html", status=422, preview=preview, problems=form.problems)
    study_id = confirm_import(work, draft_id, form.value.name, form.value.accept, viewer.user.id)
    return go_to(request, "imports.study", study_id=study_id)


@router.get("/studies/{study_id}/import", name="imports.study")
def study(request: Request, reading: Reading, study_id: StudyPath) -> Response:
    """How a study was imported: lessons, texts, and what was not parsed."""
    view = show_study(reading, study_id)
    return page(request, "imports/study.html", view=view, imported=show_import(reading, study_id), tab="import")


def _words(error: Exception) -> str:
    """What is wrong and the mend, as this page offers it."""
    if isinstance(error, ShiftedScoresError):
        mend = "Correct the export, or tick “Mend subscores” and read it again"
        return f"{error.file}, lines {error.line}: {error.problem}. {mend}."
    return str(error)


def _upload(sent: FormData) -> tuple[str, bytes] | None:
    file = sent.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return None
    return file.filename, file.file.read(LARGEST_UPLOAD + 1)
