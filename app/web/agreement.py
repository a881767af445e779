"""The agreement report of a closed panel: its tabs, plots, files and PDF, and two panels compared."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.domain.reports.agreement_judge_blocks import BAND_NOTE, annotator_words, judge_lines
from app.domain.reports.agreement_lines import (
    SHORT,
    SUMMARY,
    TITLES,
    axis,
    interval,
    number,
    pair_lines,
    repeat_lines,
    severity_lines,
    statistic_lines,
    summary_lines,
)
from app.domain.reports.agreement_methods import BANDS_NOTE, METHOD
from app.domain.reports.agreement_sections import classifier_words, said_words, title
from app.services.agreement_reports import (
    FILES,
    agreement_file,
    compare_with,
    dimension_of,
    draw_agreement,
    figures_of,
    other_panels,
    show_agreement,
    typeset_agreement,
)
from app.services.errors import NotFoundError
from app.services.plotting import Picture
from app.web.addresses import PanelPath
from app.web.dependencies import Reading
from app.web.pages import page

router = APIRouter()
Word = Annotated[str, Query(max_length=60)]
TABS = {
    "summary": "Summary",
    "dimension": "By dimension",
    "raters": "Raters",
    "items": "Items",
    "judge": "Against the judge",
    "compare": "Compare",
    "method": "Method",
}
PLOTS = {
    "dimension": ("pairs", "bland-altman"),
    "raters": ("severity", "drift"),
    "items": ("heatmap",),
    "judge": ("judge",),
}
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "md": "text/markdown; charset=utf-8"}
LINES: dict[str, Any] = {
    "annotator_words": annotator_words,
    "classifier_words": classifier_words,
    "interval": interval,
    "judge_lines": judge_lines,
    "number": number,
    "pair_lines": pair_lines,
    "repeat_lines": repeat_lines,
    "severity_lines": severity_lines,
    "statistic_lines": statistic_lines,
}
WORDS: dict[str, Any] = {
    "BAND_NOTE": BAND_NOTE,
    "BANDS_NOTE": BANDS_NOTE,
    "METHOD": METHOD,
    "SHORT": SHORT,
    "SUMMARY": SUMMARY,
    "TITLES": TITLES,
}


@router.get("/panels/{panel_id}/report", name="agreement.show")
def show(
    request: Request,
    reading: Reading,
    panel_id: PanelPath,
    tab: Word = "summary",
    dimension: Word = "",
    bands: Word = "on",
    other: UUID | None = None,
) -> Response:
    """One tab of the report."""
    if tab not in TABS:
        raise NotFoundError("tab", tab)
    report = show_agreement(reading, panel_id)
    one = dimension_of(report, dimension)
    summary = summary_lines(report)
    others = other_panels(reading, panel_id) if tab == "compare" else ()
    compared = compare_with(reading, panel_id, other) if tab == "compare" and other else None
    return page(
        request,
        "agreement/show.html",
        fragment="agreement/_body.html",
        panel_id=panel_id,
        report=report,
        title=title(report),
        one=one,
        summary=summary,
        axis=axis(summary),
        said=said_words(report),
        figures=figures_of(report, one, PLOTS.get(tab, ())),
        tab=tab,
        tabs=TABS,
        bands=bands != "off",
        files=FILES,
        others=others,
        other=other,
        compared=compared,
        **LINES,
        **WORDS,
    )


@router.get("/panels/{panel_id}/report/plots/{dimension}/{name}.{form}", name="agreement.plot")
def plot(
    reading: Reading,
    panel_id: PanelPath,
    dimension: str,
    name: str,
    form: str,
    theme: Word = "light",
    size: Word = "wide",
    titles: Word = "on",
) -> Response:
    """One plot as SVG, PDF, CSV or as the specification that the page's script shows."""
    picture = Picture(form, dark=theme == "dark", narrow=size == "narrow", titled=titles != "off")
    drawn = draw_agreement(reading, panel_id, dimension, name, picture)
    headers = {"Cache-Control": "private, max-age=300"}
    if form in {"pdf", "csv"}:
        headers["Content-Disposition"] = f'attachment; filename="{drawn.file_name}"'
    return Response(drawn.content, media_type=drawn.media_type, headers=headers)


@router.get("/panels/{panel_id}/report/files/{name}", name="agreement.file")
def file(reading: Reading, panel_id: PanelPath, name: str) -> Response:
    """One file of the report."""
    text = agreement_file(reading, panel_id, name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text, media_type=TYPES[name.rpartition(".")[2]], headers=headers)


@router.get("/panels/{panel_id}/report.pdf", name="agreement.pdf")
def pdf(reading: Reading, panel_id: PanelPath, bands: Word = "on") -> Response:
    """The report on paper."""
    made = typeset_agreement(reading, panel_id, bands=bands != "off")
    headers = {"Content-Disposition": f'attachment; filename="{made.file_name}"', "Cache-Control": "no-store"}
    return Response(made.pdf(), media_type="application/pdf", headers=headers)


@router.get("/panels/{panel_id}/report/comparison.json", name="agreement.comparison")
def comparison(reading: Reading, panel_id: PanelPath, other: UUID) -> Response:
    """Two panels by paired differences, as JSON."""
    body = compare_with(reading, panel_id, other).as_json()
    return JSONResponse(body, headers={"Cache-Control": "no-store"})
