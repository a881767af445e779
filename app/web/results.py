"""A study's results: figures with their numbers, measures, hypotheses, deviations; and runs compared."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from app.services.boards import show_study
from app.services.comparisons import show_comparison
from app.services.deviations import group_deviations
from app.services.plotting import Picture, draw_figure
from app.services.results import Choice, show_results
from app.web.addresses import StudyPath
from app.web.dependencies import Reading
from app.web.pages import page

router = APIRouter()
Word = Annotated[str, Query(max_length=40)]
Name = Annotated[str, Query(max_length=120)]


def chosen(scale: Word = "", total: Word = "", schedule: Name = "", interventions: Word = "") -> Choice:
    """What a page or a plot of results is to show, as its address says."""
    return Choice(scale, total, schedule, interventions)


Chosen = Annotated[Choice, Depends(chosen)]


@router.get("/studies/{study_id}/results", name="results.show")
def show(
    request: Request,
    reading: Reading,
    study_id: StudyPath,
    choice: Chosen,
) -> Response:
    """Figures and measures on one scale of scores and one schedule; hypotheses on all runs."""
    results = show_results(reading, study_id, choice)
    return page(request, "results/show.html", view=results.page, results=results, tab="results")


@router.get("/studies/{study_id}/plots/{name}.{form}", name="results.plot")
def plot(
    request: Request,
    reading: Reading,
    study_id: StudyPath,
    name: str,
    form: str,
    choice: Chosen,
    theme: Word = "light",
    size: Word = "wide",
    titles: Word = "on",
) -> Response:
    """One figure as SVG, PDF, CSV or as the specification that the page's script shows."""
    picture = Picture(form, dark=theme == "dark", narrow=size == "narrow", titled=titles != "off")
    drawn = draw_figure(reading, study_id, name, choice, picture)
    headers = {"Cache-Control": "private, max-age=30"}
    if form in {"pdf", "csv"}:
        headers["Content-Disposition"] = f'attachment; filename="{drawn.file_name}"'
    return Response(drawn.content, media_type=drawn.media_type, headers=headers)


@router.get("/studies/{study_id}/deviations", name="results.deviations")
def deviations(request: Request, reading: Reading, study_id: StudyPath) -> Response:
    """What went otherwise than designed."""
    study = show_study(reading, study_id)
    groups = group_deviations(reading, study.study)
    return page(request, "results/deviations.html", view=study, groups=groups, tab="deviations")


@router.get("/compare", name="results.compare")
def compare(
    request: Request,
    reading: Reading,
    run: Annotated[list[UUID] | None, Query()] = None,
    era: Word = "",
    step: Word = "",
) -> Response:
    """Two to four runs side by side."""
    comparison = show_comparison(reading, run or [], era_id=era, step=step)
    return page(request, "results/compare.html", comparison=comparison)
