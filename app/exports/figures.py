"""A figure before it is drawn: what it says, the rows it is drawn from, and the same rows as a table or CSV."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.exports.as_csv import csv_lines

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plotted:
    """What every plot says: ``notes`` stand under the title, ``labels`` names the table's columns by field, in order.

    ``lines`` are drawn and not tabled.
    """

    title: str
    notes: tuple[str, ...]
    x: str
    y: str
    labels: Mapping[str, str]
    rows: tuple[Row, ...]
    lines: tuple[Row, ...] = ()

    @property
    def table(self) -> tuple[tuple[str, ...], ...]:
        """The rows as text, numbers with as many digits as they have up to three."""
        return tuple(tuple(shown(row.get(name)) for name in self.labels) for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(Plotted):
    """One plot of a study; its notes are what n is, and the mark of a rehearsal; its lines are fits of two rows."""

    name: FigureName
    guide: Guide


def figure_csv(figure: Plotted, **always: Value) -> str:
    """The figure's numbers, unrounded; an undefined one is an empty cell; ``always`` are columns of one value."""
    header = (*always, *figure.labels)
    return b"".join(csv_lines(header, ({**always, **row} for row in figure.rows))).decode()


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Rows in the header's order as CSV; None is an empty cell, and no cell is taken for a formula."""
    return b"".join(csv_lines(header, (dict(zip(header, row, strict=True)) for row in rows))).decode()


def shown(value: Value) -> str:
    """A value for a table cell: up to three digits after the point, a true minus, a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".").replace("-", "−")
    return str(value)
