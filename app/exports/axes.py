"""What plots share: titles that fit, rules that are drawn once, equal axes, panels beside each other."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from app.exports.figures import Plotted, Row
from app.exports.looks import Look

ONE_ROW = alt.InlineData(values=[{"once": 1}])
TITLE_PIXELS, NOTE_PIXELS = 8.2, 5.6
"""Widths of a mean character of a title and of a note, in pixels."""

MARGINS = 50
"""Pixels that labels take beside what is drawn."""

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Panels:
    """Panels beside each other: their names in order, how many stand in a row, the pixels of each."""

    names: Sequence[str]
    columns: int
    width: int
    height: int
    gap: int = 18

    @property
    def drawn_width(self) -> int:
        """Pixels that a full row of panels takes."""
        across = min(self.columns, max(1, len(self.names)))
        return across * self.width + (across - 1) * self.gap


def titled(chart: Any, figure: Plotted, look: Look, width: int) -> dict[str, Any]:
    """The specification of a chart that is ``width`` pixels wide, its title and notes no wider than the chart.

    A page that says title and notes itself has them not drawn.
    """
    if not look.titled:
        return dict(chart.configure(**look.config()).to_dict())
    across = width + MARGINS
    title = textwrap.wrap(figure.title, round(across / TITLE_PIXELS)) or [figure.title]
    notes = [line for note in figure.notes for line in textwrap.wrap(note, round(across / NOTE_PIXELS))]
    whole = chart.properties(title=alt.TitleParams(text=title, subtitle=notes))
    return dict(whole.configure(**look.config()).to_dict())


def zero_rule(look: Look, axis: str) -> Any:
    """A thin broken rule at 0 of "x" or "y": over one row of its own, since over the figure's it is drawn for each."""
    at: Any = {axis: alt.datum(0)}
    return alt.Chart(ONE_ROW).mark_rule(color=look.soft, strokeWidth=1, strokeDash=[3, 3]).encode(**at)


def equal_line(look: Look, ends: Ends, x: Any, y: Any) -> Any:
    """The line on which both axes are equal, from end to end; ``x`` and ``y`` are the encodings of the points."""
    rows = [{_field(x): end, _field(y): end} for end in ends]
    line = alt.Chart(alt.InlineData(values=rows)).mark_line(color=look.soft, strokeDash=[5, 4])
    return line.encode(x=x, y=y)


def ticks(ends: Ends) -> list[float]:
    """About six whole numbers from end to end."""
    low, high = ends
    step = max(1, round((high - low) / 5))
    return [low + step * place for place in range(int((high - low) // step) + 1)]


def panelled(layers: Sequence[Any], rows: Sequence[Row], panels: Panels) -> Any:
    """Layers over rows, a panel for each name that rows have in "panel" where there are several names."""
    drawn = alt.layer(*layers).properties(width=panels.width, height=panels.height)
    data = alt.InlineData(values=list(rows))
    if len(panels.names) < 2:
        return drawn.properties(data=data)
    header = alt.Header(labelLimit=panels.width + 20)
    facet = alt.Facet("panel:N", sort=list(panels.names), title=None, header=header)
    return drawn.facet(facet, columns=panels.columns, data=data, spacing=panels.gap)


def _field(encoding: Any) -> str:
    """The field of an encoding such as "jx:Q"."""
    return str(encoding.shorthand).partition(":")[0]
