"""The study's figures, from its judged runs: rows to draw and to read, on one rubric's scale at a time."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from app.domain.protocol.layers import LayerDistance
from app.domain.protocol.rubrics import RubricId, dimensions_of
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.measures import mean_of, sd_of
from app.domain.scoring.totals import mechanical_total
from app.exports.figures import Figure, FigureName, Guide, Row
from app.services.drawings import LARGER, PLACE, Drawing, DrawnRun, place_of, total_of
from app.services.hindsight_figure import total_hindsight

GAP = "gap, score points"
MARKED = "eras of the run or condition with an intervention"


def figures_of(drawing: Drawing) -> tuple[Figure, ...]:
    """Every figure that this scale has numbers for, in the order of the page."""
    made = [build(drawing) for build in _BUILT.values()]
    return tuple(figure for figure in made if figure is not None)


def figure_of(drawing: Drawing, name: FigureName) -> Figure | None:
    """One figure, or None where there are no numbers for it."""
    return _BUILT[name](drawing)


def _era_totals(drawing: Drawing) -> Figure | None:
    rows: list[Row] = []
    for run, era in drawing.pairs():
        total = total_of(era, drawing.total)
        if total is not None:
            rows.append(place_of(drawing, run, era) | {"total": total})
    if not rows:
        return None
    marked = any(row["mark"] != "as run" for row in rows)
    thick = () if drawing.by_run and len(drawing.runs) == 1 else ("Dashed: mean over runs.",)
    return Figure(
        name=FigureName.ERA_TOTALS,
        title=f"Era totals of each run: {drawing.total.words}",
        notes=drawing.notes(*thick, *(("Diamonds: eras with an intervention.",) if marked else ())),
        x="era",
        y=drawing.total.axis,
        labels={**PLACE, "total": drawing.total.words},
        rows=tuple(rows),
        guide=drawing.guide,
    )


def _gaps(drawing: Drawing) -> Figure | None:
    if drawing.scale.rubric is not RubricId.RECORD or not drawing.pairs():
        return None
    rows = tuple(place_of(drawing, run, era) | {"gap": gap_of(era)} for run, era in drawing.pairs())
    positive = sum(gap_of(era) > 0 for _, era in drawing.pairs())
    return Figure(
        name=FigureName.GAPS,
        title="Foresight-commitment gap in each era",
        notes=drawing.notes(
            f"Frontier accuracy − layer choice: {positive} of {len(rows)} gaps are positive.",
            "Circles grow with the number of runs; filled diamonds: mean over runs.",
            drawing.rings,
        ),
        x="era",
        y=GAP,
        labels={**PLACE, "gap": GAP},
        rows=rows,
        guide=drawing.guide,
    )


def _subscores(drawing: Drawing) -> Figure | None:
    groups, dimensions = _groups(drawing), dimensions_of(drawing.scale.rubric)
    found = (_mean_row(name, runs, dimension) for name, runs in groups.items() for dimension in dimensions)
    rows: list[Row] = [row | {"marked": drawing.marked(groups[str(row["series"])])} for row in found if row]
    if not rows:
        return None
    return Figure(
        name=FigureName.SUBSCORES,
        title="Mean subscores by " + ("run" if drawing.by_run else "condition"),
        notes=drawing.notes("Lines: one SD between runs to each side (n−1)." if not drawing.by_run else ""),
        x="mean subscore over eras, 0 to 10",
        y="",
        labels={
            "series": "run" if drawing.by_run else "condition",
            "dimension": "dimension",
            "mean": "mean",
            "sd": "SD between runs",
            "runs": "runs",
            "marked": MARKED,
        },
        rows=tuple(rows),
        guide=Guide(drawing.panels, tuple(groups), "", tuple(name.replace("_", " ") for name in dimensions)),
    )


def _mean_row(name: str, runs: Sequence[DrawnRun], dimension: str) -> dict[str, str | float | int | None] | None:
    """The mean over runs of one subscore with its spread between runs; None where no run has any."""
    by_run = [mean_of([era.subscores[dimension] for era in run.eras]).value for run in runs]
    means = [value for value in by_run if value is not None]
    mean, sd = mean_of(means), sd_of(means)
    if mean.value is None:
        return None
    spread = sd.value or 0.0
    return {
        "series": name,
        "dimension": dimension.replace("_", " "),
        "mean": mean.value,
        "sd": sd.value,
        "low": max(0.0, mean.value - spread),
        "high": min(10.0, mean.value + spread),
        "runs": mean.n,
    }


def _typed_mechanical(drawing: Drawing) -> Figure | None:
    rows: list[Row] = []
    for run, era in drawing.pairs():
        if era.typed_total is not None:
            mechanical = mechanical_total(era)
            rows.append(
                place_of(drawing, run, era)
                | {"typed": era.typed_total, "mechanical": mechanical, "difference": era.typed_total - mechanical}
            )
    if not rows:
        return None
    equal = sum(row["difference"] == 0 for row in rows)
    return Figure(
        name=FigureName.TYPED_MECHANICAL,
        title="Totals the judge typed against mechanical totals",
        notes=drawing.notes(
            f"{equal} of {len(rows)} typed totals equal twice the sum of the subscores (dashed line). {LARGER}",
            drawing.rings,
        ),
        x="mechanical total T̃, 0 to 100",
        y="typed total T, 0 to 100",
        labels={**PLACE, "typed": "typed total T", "mechanical": "mechanical total T̃", "difference": "T − T̃"},
        rows=tuple(rows),
        guide=drawing.guide,
    )


def _layer_distance(drawing: Drawing) -> Figure | None:
    rows: list[Row] = []
    for panel in drawing.panels:
        inside = [run for run in drawing.runs if run.panel == panel]
        found = Counter(run.distances[era.era] for run in inside for era in run.eras if era.era in run.distances)
        every = sum(found.values())
        for order, kind in enumerate(LayerDistance):
            share = found[kind] / every if every else None
            row: Row = {"panel": panel, "distance": str(kind), "eras": found[kind], "share": share, "order": order}
            rows.append({**row, "marked": drawing.marked(inside)})
    if not any(row["eras"] for row in rows):
        return None
    return Figure(
        name=FigureName.LAYER_DISTANCE,
        title="How far the chosen layer lay from where value pooled",
        notes=drawing.notes(f"Where value pooled is {_whose(drawing)}. Numbers in the bars: eras."),
        x="share of eras",
        y="condition",
        labels={
            "panel": "condition",
            "distance": "chosen layer",
            "eras": "eras",
            "share": "share of eras",
            "marked": MARKED,
        },
        rows=tuple(rows),
        guide=Guide(drawing.panels),
    )


def _whose(drawing: Drawing) -> str:
    return "the market model’s truth" if drawing.schedule.is_fictional else "the judge’s label"


def _groups(drawing: Drawing) -> dict[str, list[DrawnRun]]:
    found: dict[str, list[DrawnRun]] = {}
    for run in drawing.runs:
        if run.eras:
            found.setdefault(run.label if drawing.by_run else run.panel, []).append(run)
    return found


_BUILT: Mapping[FigureName, Callable[[Drawing], Figure | None]] = {
    FigureName.ERA_TOTALS: _era_totals,
    FigureName.GAPS: _gaps,
    FigureName.TOTAL_HINDSIGHT: total_hindsight,
    FigureName.SUBSCORES: _subscores,
    FigureName.TYPED_MECHANICAL: _typed_mechanical,
    FigureName.LAYER_DISTANCE: _layer_distance,
}
