"""Exports of a study: the page that offers them, levels and archive as streams, reports as PDF."""

from collections.abc import Iterator

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.exports.levels import Level
from app.services.archives import stream_archive
from app.services.boards import show_study
from app.services.errors import NotFoundError
from app.services.exports import Form, offered_levels, stream_level
from app.services.reports import Typeset, report_run, report_study
from app.services.studies import study_file
from app.web.addresses import RunPath, StudyPath
from app.web.dependencies import Reading
from app.web.pages import page

router = APIRouter()


@router.get("/studies/{study_id}/exports", name="studies.exports")
def index(request: Request, reading: Reading, study_id: StudyPath) -> Response:
    """What can be downloaded."""
    study = show_study(reading, study_id)
    text = study_file(study.study.design)
    return page(request, "exports/show.html", view=study, tab="exports", text=text, levels=offered_levels())


@router.get("/studies/{study_id}/archive.zip", name="exports.archive")
def archive(reading: Reading, study_id: StudyPath) -> Response:
    """The whole study as a zip, written while it is sent."""
    study = reading.studies.get(study_id)
    return _stream(stream_archive(study_id), "application/zip", f"study-{study.design_hash[:12]}.zip")


@router.get("/studies/{study_id}/report.pdf", name="exports.study_report")
def study_report(study_id: StudyPath) -> Response:
    """The report of a study."""
    return _pdf(report_study(study_id))


@router.get("/runs/{run_id}/report.pdf", name="exports.run_report")
def run_report(run_id: RunPath) -> Response:
    """The report of a run."""
    return _pdf(report_run(run_id))


@router.get("/studies/{study_id}/exports/{file}", name="exports.level")
def level(reading: Reading, study_id: StudyPath, file: str) -> Response:
    """One level as CSV or JSON lines, such as ``scores.csv``."""
    name, _, ending = file.partition(".")
    if name not in set(Level) or ending not in set(Form):
        raise NotFoundError("export", file)
    study, form = reading.studies.get(study_id), Form(ending)
    return _stream(
        stream_level(study_id, Level(name), form), form.media_type, f"study-{study.design_hash[:12]}-{name}.{ending}"
    )


def _stream(content: Iterator[bytes], media_type: str, name: str) -> Response:
    return StreamingResponse(content, media_type=media_type, headers=_attachment(name))


def _pdf(report: Typeset) -> Response:
    return Response(report.pdf(), media_type="application/pdf", headers=_attachment(report.file_name))


def _attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
