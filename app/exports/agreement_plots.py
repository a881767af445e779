"""The plots of an agreement report as Altair specifications, one for page and paper."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import altair as alt

from app.exports.agreement_figures import AgreementFigure, AgreementFigureName
from app.exports.looks import Look

MARGIN = 0.05
DIVERGING = {False: ("#b45309", "#f2f0e9", "#0a5a78"), True: ("#f0b860", "#2a2f34", "#6cc3e6")}


def agreement_specification(figure: AgreementFigure, look: Look) -> dict[str, Any]:
    """The Vega-Lite specification of a figure, with its title, notes, axes and data."""
    chart = _DRAWN[figure.name](figure, look)
    width = 38 if look.narrow else 100
    notes = [line for note in figure.notes for line in textwrap.wrap(note, width + 8)]
    title = alt.TitleParams(text=textwrap.wrap(figure.title, width), subtitle=notes)
    return dict(chart.properties(title=title).configure(**look.config()).to_dict())


def _square(figure: AgreementFigure, look: Look, names: tuple[str, str]) -> Any:
    """Points on two equal axes with the line on which both are equal."""
    low, high = figure.ends
    margin = MARGIN * (high - low)
    scale = alt.Scale(domain=[low - margin, high + margin], nice=False, zero=False)
    axis = alt.Axis(values=_ticks(figure.ends), format="d")
    base = alt.Chart()
    equal = base.mark_line(color=look.soft, strokeDash=[5, 4]).transform_filter("datum.part == 'line'")
    points = base.mark_circle(opacity=0.6, size=46, color=look.series[0]).transform_filter("datum.part == 'point'")
    x = alt.X("jx:Q", title=figure.x, scale=scale, axis=axis)
    y = alt.Y("jy:Q", title=figure.y, scale=scale, axis=axis)
    tips = [alt.Tooltip("item:N"), *(alt.Tooltip(f"{name}:Q", title=figure.labels[name]) for name in names)]
    layers = alt.layer(equal.encode(x=x, y=y), points.encode(x=x, y=y, tooltip=tips))
    ends: list[dict[str, Any]] = [{"jx": low, "jy": low, "part": "line"}, {"jx": high, "jy": high, "part": "line"}]
    rows = [{**row, "part": "point"} for row in figure.rows]
    rows += [{**end, "panel": panel} for panel in (figure.panels or ("",)) for end in ends]
    return _faceted(layers, figure, look, rows, square=True)


def _pairs(figure: AgreementFigure, look: Look) -> Any:
    return _square(figure, look, ("x", "y"))


def _judge(figure: AgreementFigure, look: Look) -> Any:
    return _square(figure, look, ("humans", "judge"))


def _bland_altman(figure: AgreementFigure, look: Look) -> Any:
    low, high = figure.ends
    base = alt.Chart()
    reach = max([1.0, *(abs(float(row["difference"] or 0)) for row in figure.rows)])
    reach = max([reach, *(abs(float(row["at"] or 0)) for row in figure.lines)]) * 1.1
    points = (
        base.mark_circle(opacity=0.6, size=46, color=look.series[0])
        .transform_filter("datum.part == 'point'")
        .encode(
            x=alt.X(
                "jx:Q", title=figure.x, scale=alt.Scale(domain=[low, high]), axis=alt.Axis(values=_ticks(figure.ends))
            ),
            y=alt.Y("jy:Q", title=figure.y, scale=alt.Scale(domain=[-reach, reach], nice=False)),
            tooltip=[alt.Tooltip("item:N"), alt.Tooltip("mean:Q", title="mean"), alt.Tooltip("difference:Q")],
        )
    )
    dashes = alt.StrokeDash("line:N", scale=alt.Scale(domain=["mean", "limit"], range=[[1, 0], [5, 4]]), legend=None)
    rules = (
        base.mark_rule(color=look.series[1], strokeWidth=1.8)
        .transform_filter("datum.part == 'line'")
        .encode(y="at:Q", strokeDash=dashes, tooltip=[alt.Tooltip("line:N"), alt.Tooltip("at:Q", format=".2f")])
    )
    zero = base.mark_rule(color=look.soft, strokeWidth=0.8).encode(y=alt.datum(0))
    rows = [{**row, "part": "point"} for row in figure.rows] + [{**row, "part": "line"} for row in figure.lines]
    return _faceted(alt.layer(zero, points, rules), figure, look, rows)


def _heatmap(figure: AgreementFigure, look: Look) -> Any:
    drawn = [row for row in figure.rows if row["item"] in set(figure.order)]
    reach = max([1.0, *(abs(float(row["apart"] or 0)) for row in drawn)])
    colours = alt.Scale(domain=[-reach, 0, reach], range=list(DIVERGING[look.dark]))
    base = alt.Chart(alt.InlineData(values=drawn)).properties(
        width=alt.Step(62 if look.narrow else 110), height=alt.Step(15)
    )
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
    base = alt.Chart(alt.InlineData(values=list(figure.rows))).properties(
        width=200 if look.narrow else 440, height=alt.Step(34)
    )
    y = alt.Y("rater:N", sort=list(figure.order), title=None)
    zero = base.mark_rule(color=look.soft, strokeDash=[3, 3]).encode(x=alt.datum(0))
    bars = base.mark_rule(color=look.series[0], strokeWidth=2).encode(
        x=alt.X("low:Q", title=figure.x), x2="high:Q", y=y
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=look.series[0]).encode(
        x=alt.X("severity:Q", title=figure.x),
        y=y,
        tooltip=[
            alt.Tooltip("rater:N"),
            *(alt.Tooltip(f"{name}:Q", format=".2f") for name in ("severity", "low", "high")),
        ],
    )
    return alt.layer(zero, bars, points)


def _drift(figure: AgreementFigure, look: Look) -> Any:
    base = alt.Chart()
    whole = alt.Axis(tickMinStep=1)
    x = alt.X("position:Q", title=figure.x, axis=whole, scale=alt.Scale(zero=False, padding=8))
    y = alt.Y("difference:Q", title=figure.y, scale=alt.Scale(padding=8))
    zero = base.mark_rule(color=look.soft, strokeDash=[3, 3]).encode(y=alt.datum(0))
    points = base.mark_circle(opacity=0.55, size=42, color=look.series[0]).encode(
        x=x, y=y, tooltip=[alt.Tooltip("item:N"), alt.Tooltip("position:Q"), alt.Tooltip("difference:Q", format=".2f")]
    )
    fit = (
        base.mark_line(color=look.series[1], strokeWidth=2.2)
        .transform_regression("position", "difference", groupby=["panel"])
        .encode(x=x, y=y)
    )
    return _faceted(alt.layer(zero, points, fit), figure, look, [dict(row) for row in figure.rows])


def _faceted(
    layers: Any, figure: AgreementFigure, look: Look, rows: list[dict[str, Any]], *, square: bool = False
) -> Any:
    """The layers over their rows, a panel for each pair or rater where there are several."""
    several = len(figure.panels) > 1
    width = (240 if look.narrow else 215) if several else (240 if look.narrow else 400)
    height = width if square and several else 340 if square and not look.narrow else min(width, 220)
    sized = layers.properties(width=height if square else width, height=height)
    data = alt.InlineData(values=rows)
    if not several:
        return sized.properties(data=data)
    facet = alt.Facet(
        "panel:N", sort=list(figure.panels), title=None, header=alt.Header(labelLimit=width + 20, labelFontSize=11)
    )
    return sized.facet(facet, columns=1 if look.narrow else min(3, len(figure.panels)), data=data, spacing=16)


def _ticks(ends: tuple[float, float]) -> list[float]:
    low, high = ends
    step = max(1, round((high - low) / 5))
    return [low + step * place for place in range(int((high - low) // step) + 1)]


_DRAWN: Mapping[AgreementFigureName, Callable[[AgreementFigure, Look], Any]] = {
    AgreementFigureName.PAIRS: _pairs,
    AgreementFigureName.BLAND_ALTMAN: _bland_altman,
    AgreementFigureName.HEATMAP: _heatmap,
    AgreementFigureName.SEVERITY: _severity,
    AgreementFigureName.DRIFT: _drift,
    AgreementFigureName.JUDGE: _judge,
}
