"""A figure before it is drawn: what it says, the rows it is drawn from, and the same rows as a table or CSV."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

Value = str | float | int | None
Row = Mapping[str, Value]


class FigureName(StrEnum):
    """The study's plots, by the name in their addresses."""

    ERA_TOTALS = "era-totals"
    GAPS = "gaps"
    TOTAL_HINDSIGHT = "total-hindsight"
    SUBSCORES = "subscores"
    TYPED_MECHANICAL = "typed-mechanical"
    LAYER_DISTANCE = "layer-distance"


@dataclass(frozen=True, slots=True)
class Guide:
    """The values of a figure's panels, series and categories in the order in which they are shown."""

    panels: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    series_title: str = ""
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """One plot's content.

    ``notes`` stand under the title: what n is, and the mark of a rehearsal. ``labels`` names the table's columns by
    field, in order. ``lines`` are fitted lines, two rows each, drawn and not tabled.
    """

    name: FigureName
    title: str
    notes: tuple[str, ...]
    x: str
    y: str
    labels: Mapping[str, str]
    rows: tuple[Row, ...]
    guide: Guide
    lines: tuple[Row, ...] = ()

    @property
    def table(self) -> tuple[tuple[str, ...], ...]:
        """The rows as text, numbers with as many digits as they have up to three."""
        return tuple(tuple(shown(row.get(name)) for name in self.labels) for row in self.rows)


def figure_csv(figure: Figure) -> str:
    """The figure's numbers, unrounded; an undefined one is an empty cell."""
    return as_csv(tuple(figure.labels), [[row.get(name) for name in figure.labels] for row in figure.rows])


def as_csv(header: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    """Comma-separated text with line feeds; None is an empty cell, and no cell is taken for a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([[_safe(value) for value in row] for row in rows])
    return out.getvalue()


def shown(value: Value) -> str:
    """A value for a table cell: up to three digits after the point, a true minus, a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".").replace("-", "−")
    return str(value)


def _safe(value: Value) -> Value:
    """Spreadsheets run text that begins like a formula; a leading apostrophe keeps it text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
