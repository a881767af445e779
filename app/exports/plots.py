"""Figures drawn as Altair specifications, one for page and paper: the plots the field knows."""

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt

from app.exports.axes import Panels, equal_line, panelled, titled, zero_rule
from app.exports.figures import Figure, FigureName, Row
from app.exports.looks import SHAPES, Look

MARKS = ("as run", "with an intervention")
DISTANCES = ("match", "neighbour", "miss")
WIDTHS = {False: 440, True: 240}
"""Pixels of a plot by whether the page is narrow."""


def specification(figure: Figure, look: Look) -> dict[str, Any]:
    """The Vega-Lite specification of a figure, with its title, notes, axes and data."""
    return titled(_DRAWN[figure.name](figure, look), figure, look, WIDTHS[look.narrow])


def _era_totals(figure: Figure, look: Look) -> Any:
    base = alt.Chart()
    x = alt.X("era:N", sort=list(figure.guide.categories), title=figure.x, axis=alt.Axis(labelAngle=0))
    y = alt.Y("total:Q", title=figure.y, scale=_open_scale())
    runs = base.mark_line(opacity=0.45, strokeWidth=1.2).encode(x=x, y=y, color=_color(figure, look), detail="run:N")
    marks = alt.Scale(domain=list(MARKS), range=["circle", "diamond"])
    points = base.mark_point(filled=True, opacity=0.8).encode(
        x=x,
        y=y,
        color=_color(figure, look),
        shape=alt.Shape("mark:N", scale=marks, legend=_marks(figure, look)),
        size=alt.condition(f"datum.mark == '{MARKS[1]}'", alt.value(130), alt.value(34)),
        tooltip=_tips(figure),
    )
    layers = [runs, points]
    if any(_count(figure, "run", panel) > 1 for panel in figure.guide.panels):
        mean = base.mark_line(strokeWidth=3, color=look.ink, strokeDash=[6, 3]).encode(
            x=x, y=alt.Y("mean(total):Q", title=figure.y)
        )
        layers.append(mean)
    return _panels(layers, figure, look)


def _gaps(figure: Figure, look: Look) -> Any:
    base = alt.Chart()
    x = alt.X("era:N", sort=list(figure.guide.categories), title=figure.x, axis=alt.Axis(labelAngle=0))
    y = alt.Y("gap:Q", title=figure.y, axis=alt.Axis(tickMinStep=1, format="d"), scale=_open_scale())
    bubbles = base.mark_circle(opacity=0.7, color=look.series[0]).encode(
        x=x,
        y=y,
        size=alt.Size("count():Q", scale=alt.Scale(range=[40, 420], domainMin=0), legend=None),
        tooltip=[
            alt.Tooltip("era:N"),
            alt.Tooltip("gap:Q", title=figure.labels["gap"]),
            alt.Tooltip("count():Q", title="runs"),
        ],
    )
    mean = base.mark_line(
        color=look.series[1],
        strokeWidth=2.5,
        point={"shape": "diamond", "size": 70, "color": look.series[1], "opacity": 1},
    ).encode(x=x, y=alt.Y("mean(gap):Q", title=figure.y), tooltip=[alt.Tooltip("mean(gap):Q", format=".2f")])
    return _panels([zero_rule(look, "y"), bubbles, mean, *_rings(base, x, y, figure, look)], figure, look)


def _total_hindsight(figure: Figure, look: Look) -> Any:
    base = alt.Chart()
    whole = alt.Axis(format="d", tickMinStep=1)
    x = alt.X("hindsight:Q", title=figure.x, scale=alt.Scale(domain=[0, 10]), axis=whole)
    y = alt.Y("total:Q", title=figure.y, scale=_open_scale())
    points = (
        base.mark_point(filled=True, opacity=0.6)
        .encode(
            x=x,
            y=y,
            color=_color(figure, look),
            shape=_shape(figure, look),
            size=alt.Size("count():Q", scale=alt.Scale(range=[35, 300], domainMin=0), legend=None),
            tooltip=[alt.Tooltip("hindsight:Q"), alt.Tooltip("total:Q"), alt.Tooltip("count():Q", title="eras")],
        )
        .transform_filter("datum.part == 'era'")
    )
    fits = (
        base.mark_line(strokeWidth=2.5)
        .encode(x=x, y=y, color=_color(figure, look), detail="fit:N")
        .transform_filter("datum.part == 'fit'")
    )
    return _panels([points, fits, *_rings(base, x, y, figure, look)], figure, look)


def _subscores(figure: Figure, look: Look) -> Any:
    y = alt.Y("dimension:N", sort=list(figure.guide.categories), title=None, axis=alt.Axis(labelLimit=170))
    offset = alt.YOffset("series:N", sort=list(figure.guide.series), scale=alt.Scale(paddingInner=0.1))
    base = alt.Chart(alt.InlineData(values=list(figure.rows))).properties(
        width=360, height=alt.Step(max(9, 60 // max(1, len(figure.guide.series))))
    )
    if look.narrow:
        base = base.properties(width=170)
    bars = base.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", title=figure.x, scale=alt.Scale(domain=[0, 10])),
        x2="high:Q",
        y=y,
        yOffset=offset,
        color=_color(figure, look),
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("mean:Q", title=figure.x),
        y=y,
        yOffset=offset,
        color=_color(figure, look),
        shape=_shape(figure, look),
        tooltip=_tips(figure),
    )
    return alt.layer(bars, points)


def _typed_mechanical(figure: Figure, look: Look) -> Any:
    totals = [float(row[name] or 0) for row in figure.rows for name in ("typed", "mechanical")]
    low, high = (min(totals) // 5 * 5, -(-max(totals) // 5) * 5) if totals else (0, 100)
    ends = (low, max(high, low + 5))
    scale = alt.Scale(domain=list(ends), nice=False)
    x = alt.X("mechanical:Q", title=figure.x, scale=scale)
    y = alt.Y("typed:Q", title=figure.y, scale=scale)
    base = alt.Chart(alt.InlineData(values=list(figure.rows)))
    points = base.mark_point(filled=True, opacity=0.75).encode(
        x=x,
        y=y,
        color=_color(figure, look),
        shape=_shape(figure, look),
        size=alt.Size("count():Q", scale=alt.Scale(range=[45, 260], domainMin=0), legend=None),
        tooltip=[alt.Tooltip("mechanical:Q"), alt.Tooltip("typed:Q"), alt.Tooltip("count():Q", title="eras")],
    )
    side = 240 if look.narrow else 360
    layers = (equal_line(look, ends, x, y), points, *_rings(base, x, y, figure, look))
    return alt.layer(*layers).properties(width=side, height=side)


def _layer_distance(figure: Figure, look: Look) -> Any:
    base = alt.Chart(alt.InlineData(values=list(figure.rows))).properties(
        width=200 if look.narrow else 400, height=alt.Step(34)
    )
    order = alt.Order("order:Q")
    x = alt.X("eras:Q", stack="normalize", title=figure.x, axis=alt.Axis(format="%"))
    y = alt.Y("panel:N", sort=list(figure.guide.panels), title=None, axis=alt.Axis(labelLimit=170))
    colours = [look.series[3], look.series[1], look.soft]
    bars = base.mark_bar(size=24).encode(
        x=x,
        y=y,
        order=order,
        color=alt.Color("distance:N", scale=alt.Scale(domain=list(DISTANCES), range=colours), title="chosen layer"),
        tooltip=_tips(figure),
    )
    counts = base.mark_text(dx=-6, align="right", color=look.paper, fontWeight=600).encode(
        x=x, y=y, order=order, detail="distance:N", text=alt.condition("datum.eras > 0", "eras:Q", alt.value(""))
    )
    return alt.layer(bars, counts)


def _rings(base: Any, x: Any, y: Any, figure: Figure, look: Look) -> list[Any]:
    """A hollow diamond around every era that carries an intervention; nothing where none does."""
    if not any(row.get("mark") == MARKS[1] for row in figure.rows):
        return []
    ring = base.mark_point(shape="diamond", filled=False, size=330, color=look.ink, strokeWidth=1.4, opacity=1)
    return [ring.encode(x=x, y=y, tooltip=_tips(figure)).transform_filter(f"datum.mark == '{MARKS[1]}'")]


def _panels(layers: list[Any], figure: Figure, look: Look) -> Any:
    """Layers over the figure's rows, a panel for each of its panels where there are several."""
    rows: list[Row] = [{**row, "part": "era"} for row in figure.rows]
    rows += [{**line, "part": "fit"} for line in figure.lines]
    names = figure.guide.panels
    return panelled(layers, rows, Panels(names, look.columns, look.width(len(names)), 190 if len(names) > 1 else 260))


def _color(figure: Figure, look: Look) -> Any:
    if len(figure.guide.series) < 2:
        return alt.value(look.series[0])
    scale = alt.Scale(domain=list(figure.guide.series), range=list(look.series))
    return alt.Color("series:N", scale=scale, legend=_legend(figure, look))


def _shape(figure: Figure, look: Look) -> Any:
    if len(figure.guide.series) < 2:
        return alt.value("circle")
    scale = alt.Scale(domain=list(figure.guide.series), range=list(SHAPES))
    return alt.Shape("series:N", scale=scale, legend=_legend(figure, look))


def _legend(figure: Figure, look: Look) -> alt.Legend:
    return alt.Legend(title=figure.guide.series_title or None, columns=_columns(look), labelLimit=220, symbolOpacity=1)


def _open_scale() -> alt.Scale:
    """Wide enough that marks at its ends are whole."""
    return alt.Scale(zero=False, nice=True, padding=12)


def _marks(figure: Figure, look: Look) -> alt.Legend | None:
    marked = any(row.get("mark") == MARKS[1] for row in figure.rows)
    if not marked:
        return None
    return alt.Legend(title="era", symbolFillColor=look.soft, symbolStrokeColor=look.soft, columns=_columns(look))


def _columns(look: Look) -> int:
    return 1 if look.narrow else 3


def _tips(figure: Figure) -> list[alt.Tooltip]:
    sample = figure.rows[0] if figure.rows else {}
    return [
        alt.Tooltip(f"{name}:Q", title=label, format=".4~g")
        if isinstance(sample.get(name), int | float)
        else alt.Tooltip(f"{name}:N", title=label)
        for name, label in figure.labels.items()
    ]


def _count(figure: Figure, name: str, panel: str) -> int:
    return len({row[name] for row in figure.rows if row.get("panel") == panel})


_DRAWN: Mapping[FigureName, Callable[[Figure, Look], Any]] = {
    FigureName.ERA_TOTALS: _era_totals,
    FigureName.GAPS: _gaps,
    FigureName.TOTAL_HINDSIGHT: _total_hindsight,
    FigureName.SUBSCORES: _subscores,
    FigureName.TYPED_MECHANICAL: _typed_mechanical,
    FigureName.LAYER_DISTANCE: _layer_distance,
}
