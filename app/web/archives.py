"""Taking in an archive of a study in the browser: upload, wait, and what came of it."""

from typing import BinaryIO

from fastapi import APIRouter
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from app.imports.archive import ArchiveError
from app.services.archives import take_in_archive
from app.web.bodies import LARGEST_UPLOAD
from app.web.forms import SentForm
from app.web.pages import page

router = APIRouter()

MEGABYTES = LARGEST_UPLOAD >> 20


@router.get("/archives/new", name="archives.new")
def new(request: Request) -> Response:
    """The upload form."""
    return _form(request)


@router.post("/archives", name="archives.read")
def read(request: Request, sent: SentForm) -> Response:
    """Check an archive and put its study into this instance, all of it or nothing; repeating it changes nothing."""
    uploaded = _upload(sent)
    if uploaded is None:
        return _form(request, "Choose an archive first: the zip file of a study’s Exports page.")
    name, size, content = uploaded
    if size > LARGEST_UPLOAD:
        return _form(request, f"{name} has more than {MEGABYTES:,} MB. Put it in with ./autolab import FILE.zip.")
    try:
        done = take_in_archive(content, name)
    except ArchiveError as error:
        return _form(request, str(error).removesuffix(" Nothing was imported."))
    return page(request, "archives/done.html", done=done, file=name)


def _form(request: Request, problem: str = "") -> Response:
    return page(request, "archives/new.html", status=422 if problem else 200, problem=problem, largest=MEGABYTES)


def _upload(sent: FormData) -> tuple[str, int, BinaryIO] | None:
    file = sent.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return None
    return file.filename, file.size or 0, file.file
