"""One figure in the form that was asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.exports.figures import figure_csv
from app.exports.looks import Look, as_json, as_pdf, as_svg
from app.exports.plots import specification
from app.services.errors import NotFoundError
from app.services.results import Choice, show_figure
from app.services.unit_of_work import Reading

MEDIA_TYPES = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A form of a figure and the page it is for; paper is always light, wide and titled."""

    form: str
    dark: bool = False
    narrow: bool = False
    titled: bool = True


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure's file."""

    content: str | bytes
    media_type: str
    file_name: str


def draw_figure(reading: Reading, study_id: UUID, name: str, choice: Choice, picture: Picture) -> Drawn:
    """The figure as a file. Raises NotFoundError for a figure or a form that there is not."""
    if picture.form not in MEDIA_TYPES:
        raise NotFoundError("form of a figure", picture.form)
    figure = show_figure(reading, study_id, name, choice)
    content = drawn_as(picture, lambda: figure_csv(figure), lambda look: specification(figure, look))
    return Drawn(content, MEDIA_TYPES[picture.form], f"{figure.name}-{str(study_id)[:8]}.{picture.form}")


def drawn_as(picture: Picture, csv: Callable[[], str], specified: Callable[[Look], dict[str, Any]]) -> str | bytes:
    """A plot in the form that was asked for: its table, or its specification for a look, as it is or rendered."""
    if picture.form == "csv":
        return csv()
    look = Look() if picture.form == "pdf" else Look(dark=picture.dark, narrow=picture.narrow, titled=picture.titled)
    spec = as_json(specified(look))
    if picture.form == "json":
        return spec
    return as_svg(spec) if picture.form == "svg" else as_pdf(spec)
