"""The plots of an agreement report as Altair specifications, one for page and paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from app.exports.agreement_figures import AgreementFigure, AgreementFigureName
from app.exports.axes import Panels, equal_line, panelled, ticks, titled, zero_rule
from app.exports.figures import Row, Value
from app.exports.looks import Look

MARGIN = 0.05
AREA, MOST_AREA = 46, 320
"""Square pixels of a point for one item, and the most that a point takes."""

NAMED = 6
"""Items that a point's tooltip names."""

DIVERGING = {False: ("#b45309", "#f2f0e9", "#0a5a78"), True: ("#f0b860", "#2a2f34", "#6cc3e6")}


def agreement_specification(figure: AgreementFigure, look: Look) -> dict[str, Any]:
    """The Vega-Lite specification of a figure, with its title, notes, axes and data."""
    return titled(_DRAWN[figure.name](figure, look), figure, look, _width(figure, look))


def _square(figure: AgreementFigure, look: Look, names: tuple[str, str]) -> Any:
    """Points on two equal axes with the line on which both are equal."""
    low, high = figure.ends
    margin = MARGIN * (high - low)
    scale = alt.Scale(domain=[low - margin, high + margin], nice=False, zero=False)
    axis = alt.Axis(values=ticks(figure.ends), format="d")
    x = alt.X(f"{names[0]}:Q", title=figure.x, scale=scale, axis=axis)
    y = alt.Y(f"{names[1]}:Q", title=figure.y, scale=scale, axis=axis)
    rows = _gathered(figure.rows, names)
    points = _points(alt.Chart(), look, rows).encode(x=x, y=y, tooltip=_tips(figure, names))
    return panelled([equal_line(look, figure.ends, x, y), points], rows, _panels(figure, look))


def _gathered(rows: Sequence[Row], names: tuple[str, str]) -> list[Row]:
    """A row for each place at which items lie, with their count and the first of their names: no tie is moved apart."""
    places: dict[tuple[Value, ...], list[str]] = {}
    for row in rows:
        places.setdefault((row.get("panel"), *(row[name] for name in names)), []).append(str(row["item"]))
    return [
        {"panel": panel, names[0]: x, names[1]: y, "items": len(items), "item": _named(items)}
        for (panel, x, y), items in places.items()
    ]


def _named(items: Sequence[str]) -> str:
    more = len(items) - NAMED
    return ", ".join(items[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _points(base: Any, look: Look, rows: Sequence[Row]) -> Any:
    """Circles whose area grows with their items."""
    most = max(int(row["items"] or 1) for row in rows)
    areas = alt.Scale(domain=[1, max(2, most)], range=[AREA, min(MOST_AREA, AREA * max(2, most))])
    size = alt.Size("items:Q", scale=areas, legend=None)
    return base.mark_circle(opacity=0.6, color=look.series[0]).encode(size=size)


def _tips(figure: AgreementFigure, names: tuple[str, str]) -> list[Any]:
    tips = [alt.Tooltip("item:N"), alt.Tooltip("items:Q")]
    return tips + [alt.Tooltip(f"{name}:Q", title=figure.labels[name]) for name in names]


def _pairs(figure: AgreementFigure, look: Look) -> Any:
    return _square(figure, look, ("x", "y"))


def _judge(figure: AgreementFigure, look: Look) -> Any:
    return _square(figure, look, ("humans", "judge"))


def _bland_altman(figure: AgreementFigure, look: Look) -> Any:
    base = alt.Chart()
    reach = max([1.0, *(abs(float(row["difference"] or 0)) for row in figure.rows)])
    reach = max([reach, *(abs(float(row["at"] or 0)) for row in figure.lines)]) * 1.1
    across = alt.Scale(domain=list(figure.ends))
    gathered = _gathered(figure.rows, ("mean", "difference"))
    points = (
        _points(base, look, gathered)
        .transform_filter("datum.part == 'point'")
        .encode(
            x=alt.X("mean:Q", title=figure.x, scale=across, axis=alt.Axis(values=ticks(figure.ends))),
            y=alt.Y("difference:Q", title=figure.y, scale=alt.Scale(domain=[-reach, reach], nice=False)),
            tooltip=_tips(figure, ("mean", "difference")),
        )
    )
    dashes = alt.StrokeDash("line:N", scale=alt.Scale(domain=["mean", "limit"], range=[[1, 0], [5, 4]]), legend=None)
    rules = (
        base.mark_rule(color=look.series[1], strokeWidth=1.8)
        .transform_filter("datum.part == 'line'")
        .encode(y="at:Q", strokeDash=dashes, tooltip=[alt.Tooltip("line:N"), alt.Tooltip("at:Q", format=".2f")])
    )
    rows: list[Row] = [{**row, "part": "point"} for row in gathered]
    rows += [{**row, "part": "line"} for row in figure.lines]
    return panelled([zero_rule(look, "y"), points, rules], rows, _panels(figure, look))


def _heatmap(figure: AgreementFigure, look: Look) -> Any:
    drawn = [row for row in figure.rows if row["item"] in set(figure.order)]
    reach = max([1.0, *(abs(float(row["apart"] or 0)) for row in drawn)])
    colours = alt.Scale(domain=[-reach, 0, reach], range=list(DIVERGING[look.dark]), interpolate="rgb")
    base = alt.Chart(alt.InlineData(values=drawn)).properties(width=alt.Step(_cell(look)), height=alt.Step(15))
    x = alt.X("rater:N", sort=list(figure.panels), title=None, axis=alt.Axis(orient="top", labelAngle=0))
    y = alt.Y("item:N", sort=list(figure.order), title=None, axis=alt.Axis(labelFontSize=10))
    legend = alt.Legend(title="from the item’s mean, points", orient="bottom")
    cells = base.mark_rect(stroke=look.paper, strokeWidth=1.5).encode(
        x=x,
        y=y,
        color=alt.Color("apart:Q", scale=colours, legend=legend),
        tooltip=[
            alt.Tooltip(f"{name}:{'N' if name in {'item', 'rater'} else 'Q'}", title=title)
            for name, title in figure.labels.items()
        ],
    )
    far = f"abs(datum.apart) > {0.6 * reach}"
    scores = base.mark_text(fontSize=10).encode(
        x=x, y=y, text=alt.Text("value:Q"), color=alt.condition(far, alt.value(look.paper), alt.value(look.ink))
    )
    return alt.layer(cells, scores)


def _severity(figure: AgreementFigure, look: Look) -> Any:
    base = alt.Chart(alt.InlineData(values=list(figure.rows)))
    y = alt.Y("rater:N", sort=list(figure.order), title=None)
    reach = _reach(figure)
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    points = base.mark_point(filled=True, size=90, opacity=1, color=look.series[0]).encode(
        x=alt.X("severity:Q", title=figure.x, scale=scale),
        y=y,
        tooltip=[
            alt.Tooltip("rater:N"),
            *(alt.Tooltip(f"{name}:Q", format=".2f") for name in ("severity", "low", "high")),
        ],
    )
    known = [row for row in figure.rows if row["low"] is not None]
    bars = alt.Chart(alt.InlineData(values=known)).mark_rule(color=look.series[0], strokeWidth=2)
    drawn = [bars.encode(x=alt.X("low:Q", title=figure.x, scale=scale), x2="high:Q", y=y)] if known else []
    layers = alt.layer(zero_rule(look, "x"), *drawn, points)
    return layers.properties(width=_width(figure, look), height=alt.Step(34))


def _reach(figure: AgreementFigure) -> float:
    """Points from 0 to either end of a severity axis: room for every value, and never less than a tenth of the scale.

    On scales of two points and more it is never less than one point.
    """
    wide = figure.ends[1] - figure.ends[0]
    values = [abs(float(row[name] or 0)) for row in figure.rows for name in ("severity", "low", "high")]
    return 1.1 * max([wide / 10, 1.0 if wide >= 2 else 0.0, *values])


def _drift(figure: AgreementFigure, look: Look) -> Any:
    base = alt.Chart()
    whole = alt.Axis(tickMinStep=1)
    x = alt.X("position:Q", title=figure.x, axis=whole, scale=alt.Scale(zero=False, nice=False, padding=8))
    y = alt.Y("difference:Q", title=figure.y, scale=alt.Scale(padding=8))
    points = base.mark_circle(opacity=0.55, size=42, color=look.series[0]).encode(
        x=x, y=y, tooltip=[alt.Tooltip("item:N"), alt.Tooltip("position:Q"), alt.Tooltip("difference:Q", format=".2f")]
    )
    fit = (
        base.mark_line(color=look.series[1], strokeWidth=2.2)
        .transform_regression("position", "difference", groupby=["panel"])
        .encode(x=x, y=y)
    )
    return panelled([zero_rule(look, "y"), points, fit], figure.rows, _panels(figure, look))


def _panels(figure: AgreementFigure, look: Look) -> Panels:
    """A panel for each pair or rater; pairs of scores stand on squares."""
    square = figure.name in {AgreementFigureName.PAIRS, AgreementFigureName.JUDGE}
    if look.narrow:
        return Panels(figure.panels, 1, 240, 240 if square else 220, gap=16)
    if figure.is_faceted:
        return Panels(figure.panels, 3, 215, 215, gap=16)
    return Panels(figure.panels, 1, 340, 340) if square else Panels(figure.panels, 1, 400, 220)


def _width(figure: AgreementFigure, look: Look) -> int:
    """Pixels of what is drawn."""
    if figure.name is AgreementFigureName.SEVERITY:
        return 200 if look.narrow else 400
    if figure.name is AgreementFigureName.HEATMAP:
        return len(figure.panels) * _cell(look)
    return _panels(figure, look).drawn_width


def _cell(look: Look) -> int:
    return 62 if look.narrow else 110


_DRAWN: Mapping[AgreementFigureName, Callable[[AgreementFigure, Look], Any]] = {
    AgreementFigureName.PAIRS: _pairs,
    AgreementFigureName.BLAND_ALTMAN: _bland_altman,
    AgreementFigureName.HEATMAP: _heatmap,
    AgreementFigureName.SEVERITY: _severity,
    AgreementFigureName.DRIFT: _drift,
    AgreementFigureName.JUDGE: _judge,
}
