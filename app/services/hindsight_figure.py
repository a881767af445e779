"""Totals against the hindsight subscore: correlations and fits within runs, since run means would mix in."""

import math
from collections.abc import Sequence

from app.domain.protocol.rubrics import RubricId
from app.domain.scoring.correlations import pearson_r, within_group_r
from app.domain.wording import written
from app.exports.figures import Figure, FigureName, Row
from app.services.drawings import LARGER, PLACE, Drawing, DrawnRun, place_of, total_of
from app.services.scales import Total

HINDSIGHT = "hindsight_leakage"


def total_hindsight(drawing: Drawing) -> Figure | None:
    """The figure, for The Record alone: The Auditor scores no hindsight."""
    if drawing.scale.rubric is not RubricId.RECORD:
        return None
    rows: list[Row] = []
    for run, era in drawing.pairs():
        total = total_of(era, drawing.total)
        if total is not None:
            rows.append(place_of(drawing, run, era) | {"hindsight": era.subscores[HINDSIGHT], "total": total})
    if not rows:
        return None
    pairs = [_hindsight_pairs(run, drawing.total) for run in drawing.runs]
    within, pooled = within_group_r(pairs), pearson_r([pair for run in pairs for pair in run])
    rs = f"r = {_r(within.value)} within runs, {_r(pooled.value)} pooled without removing run means."
    contains = " This total contains the hindsight subscore." if drawing.total is Total.MECHANICAL else ""
    fits = "Lines: least squares in each run." if drawing.by_run else "Lines: fit within runs."
    return Figure(
        name=FigureName.TOTAL_HINDSIGHT,
        title=f"{drawing.total.heading} against the hindsight subscore",
        notes=drawing.notes(f"{rs} {fits} {LARGER}{contains}", drawing.rings),
        x="hindsight subscore (10 = no leakage)",
        y=drawing.total.axis,
        labels={**PLACE, "hindsight": "hindsight subscore", "total": drawing.total.words},
        rows=tuple(rows),
        lines=tuple(_fits(drawing)),
        guide=drawing.guide,
    )


def _hindsight_pairs(run: DrawnRun, total: Total) -> list[tuple[float, float]]:
    values = [(total_of(era, total), float(era.subscores[HINDSIGHT])) for era in run.eras]
    return [(value, hindsight) for value, hindsight in values if value is not None]


def _fits(drawing: Drawing) -> list[Row]:
    """A line per run where runs are few; else per panel and series one slope within runs, through its mean point."""
    groups: dict[tuple[str, str], list[list[tuple[float, float]]]] = {}
    for run in drawing.runs:
        groups.setdefault((run.panel, drawing.series_of(run)), []).append(_hindsight_pairs(run, drawing.total))
    lines: list[Row] = []
    for (panel, series), runs in groups.items():
        centred = [pair for pairs in runs for pair in _centred(pairs)]
        every = [pair for pairs in runs for pair in pairs]
        spread = math.fsum(x * x for _, x in centred)
        if spread == 0:
            continue
        slope = math.fsum(x * y for y, x in centred) / spread
        middle_x = math.fsum(x for _, x in every) / len(every)
        middle_y = math.fsum(y for y, _ in every) / len(every)
        for x in (min(x for _, x in every), max(x for _, x in every)):
            total = middle_y + slope * (x - middle_x)
            lines.append({"panel": panel, "series": series, "fit": f"{panel}/{series}", "hindsight": x, "total": total})
    return lines


def _centred(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    if not pairs:
        return []
    y = math.fsum(value for value, _ in pairs) / len(pairs)
    x = math.fsum(value for _, value in pairs) / len(pairs)
    return [(one - y, other - x) for one, other in pairs]


def _r(value: float | None) -> str:
    return "undefined" if value is None else written(value, "%+.2f")
