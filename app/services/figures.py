"""The study's figures, from its judged runs: rows to draw and to read, on one rubric's scale at a time."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.protocol.eras import Schedule
from app.domain.protocol.layers import LayerDistance
from app.domain.protocol.rubrics import RubricId, dimensions_of
from app.domain.scoring.correlations import pearson_r, within_group_r
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.measures import mean_of, sd_of
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import controlled_total, mechanical_total, total_without_playbook
from app.domain.wording import counted, written
from app.exports.figures import Figure, FigureName, Guide, Row
from app.services.scales import Scale, Total

REHEARSAL = "Rehearsal model: shows how the software works, not how models behave."
FEW_RUNS = 6
"""Up to so many runs of one condition are told apart by colour and get a fit of their own."""

HINDSIGHT = "hindsight_leakage"
GAP = "gap, score points"
MARKED = "eras of the run or condition with an intervention"
LARGER = "Larger marks: more eras."


@dataclass(frozen=True, slots=True)
class DrawnRun:
    """A run as figures show it: its panel is the condition in words, its eras those of one scale."""

    label: str
    panel: str
    player: str
    eras: tuple[ScoredEra, ...]
    distances: Mapping[str, LayerDistance]
    intervened: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """What all figures of a page share."""

    runs: tuple[DrawnRun, ...]
    scale: Scale
    total: Total
    eras: tuple[str, ...]
    rehearsal: bool
    schedule: Schedule
    schedule_title: str = ""
    interventions: str = ""

    @property
    def panels(self) -> tuple[str, ...]:
        """Conditions in the design's order."""
        return tuple(dict.fromkeys(run.panel for run in self.runs))

    @property
    def by_run(self) -> bool:
        """Whether runs are few enough to be told apart."""
        return len(self.panels) == 1 and len(self.runs) <= FEW_RUNS

    @property
    def series(self) -> tuple[str, ...]:
        """What colours stand for: runs where they are few, else player models."""
        return tuple(dict.fromkeys(self.series_of(run) for run in self.runs))

    @property
    def series_title(self) -> str:
        """The name of what colours stand for."""
        return "run" if self.by_run else "player model"

    def series_of(self, run: DrawnRun) -> str:
        """The series of one run."""
        return run.label if self.by_run else run.player

    @property
    def guide(self) -> Guide:
        """Orders and names that most figures share."""
        return Guide(self.panels, self.series, self.series_title, self.eras)

    def pairs(self) -> list[tuple[DrawnRun, ScoredEra]]:
        """Every judged era with its run."""
        return [(run, era) for run in self.runs for era in run.eras]

    @property
    def rings(self) -> str:
        """What hollow diamonds are, where any are drawn."""
        marked = any(run.intervened or era.intervened for run, era in self.pairs())
        return "Hollow diamonds: eras with an intervention." if marked else ""

    def marked(self, runs: Sequence[DrawnRun]) -> int:
        """How many judged eras of these runs carry an intervention."""
        return sum(run.intervened or era.intervened for run in runs for era in run.eras)

    def notes(self, *more: str) -> tuple[str, ...]:
        """The lines under a title: n, what else is to be known, and the marks of interventions and of a rehearsal."""
        runs, eras = len(self.runs), len(self.pairs())
        of = f"{self.scale.words}; {self.schedule_title}" if self.schedule_title else self.scale.words
        n = f"n = {counted(runs, 'run')}, {counted(eras, 'judged era')} ({of})."
        return (n, *filter(None, (*more, self.interventions, REHEARSAL if self.rehearsal else "")))


def figures_of(drawing: Drawing) -> tuple[Figure, ...]:
    """Every figure that this scale has numbers for, in the order of the page."""
    made = [build(drawing) for build in _BUILT.values()]
    return tuple(figure for figure in made if figure is not None)


def figure_of(drawing: Drawing, name: FigureName) -> Figure | None:
    """One figure, or None where there are no numbers for it."""
    return _BUILT[name](drawing)


def total_of(era: ScoredEra, total: Total) -> float | None:
    """The chosen total of an era; None where the era has none of that kind."""
    if total is Total.TYPED:
        return era.typed_total
    if total is Total.WITHOUT_PLAYBOOK:
        return total_without_playbook(era)
    return controlled_total(era).value if total is Total.CONTROLLED else mechanical_total(era)


def _era_totals(drawing: Drawing) -> Figure | None:
    rows: list[Row] = []
    for run, era in drawing.pairs():
        total = total_of(era, drawing.total)
        if total is not None:
            rows.append(_place(drawing, run, era) | {"total": total})
    if not rows:
        return None
    marked = any(row["mark"] != "as run" for row in rows)
    thick = () if drawing.by_run and len(drawing.runs) == 1 else ("Dashed: mean over runs.",)
    return Figure(
        name=FigureName.ERA_TOTALS,
        title=f"Era totals of each run: {drawing.total.words}",
        notes=drawing.notes(*thick, *(("Diamonds: eras with an intervention.",) if marked else ())),
        x="era",
        y=f"{drawing.total.words}, 0 to 100",
        labels={**_PLACE, "total": drawing.total.words},
        rows=tuple(rows),
        guide=drawing.guide,
    )


def _gaps(drawing: Drawing) -> Figure | None:
    if drawing.scale.rubric is not RubricId.RECORD or not drawing.pairs():
        return None
    rows = tuple(_place(drawing, run, era) | {"gap": gap_of(era)} for run, era in drawing.pairs())
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
        labels={**_PLACE, "gap": GAP},
        rows=rows,
        guide=drawing.guide,
    )


def _total_hindsight(drawing: Drawing) -> Figure | None:
    if drawing.scale.rubric is not RubricId.RECORD:
        return None
    rows: list[Row] = []
    for run, era in drawing.pairs():
        total = total_of(era, drawing.total)
        if total is not None:
            rows.append(_place(drawing, run, era) | {"hindsight": era.subscores[HINDSIGHT], "total": total})
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
        y=f"{drawing.total.words}, 0 to 100",
        labels={**_PLACE, "hindsight": "hindsight subscore", "total": drawing.total.words},
        rows=tuple(rows),
        lines=tuple(_fits(drawing)),
        guide=drawing.guide,
    )


def _subscores(drawing: Drawing) -> Figure | None:
    groups = _groups(drawing)
    dimensions = dimensions_of(drawing.scale.rubric)
    rows: list[Row] = []
    for name, runs in groups.items():
        for dimension in dimensions:
            by_run = [mean_of([run_era.subscores[dimension] for run_era in run.eras]).value for run in runs]
            means = [value for value in by_run if value is not None]
            mean, sd = mean_of(means), sd_of(means)
            if mean.value is None:
                continue
            spread = sd.value or 0.0
            rows.append(
                {
                    "series": name,
                    "dimension": dimension.replace("_", " "),
                    "mean": mean.value,
                    "sd": sd.value,
                    "low": max(0.0, mean.value - spread),
                    "high": min(10.0, mean.value + spread),
                    "runs": mean.n,
                    "marked": drawing.marked(runs),
                }
            )
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


def _typed_mechanical(drawing: Drawing) -> Figure | None:
    rows: list[Row] = []
    for run, era in drawing.pairs():
        if era.typed_total is not None:
            mechanical = mechanical_total(era)
            rows.append(
                _place(drawing, run, era)
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
        labels={**_PLACE, "typed": "typed total T", "mechanical": "mechanical total T̃", "difference": "T − T̃"},
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


_PLACE = {"panel": "condition", "run": "run", "player": "player model", "era": "era", "mark": "intervention"}


def _place(drawing: Drawing, run: DrawnRun, era: ScoredEra) -> dict[str, str | float | int | None]:
    mark = "with an intervention" if era.intervened or run.intervened else "as run"
    series = drawing.series_of(run)
    return {
        "panel": run.panel,
        "run": run.label,
        "player": run.player,
        "series": series,
        "era": era.era,
        "mark": mark,
    }


def _groups(drawing: Drawing) -> dict[str, list[DrawnRun]]:
    found: dict[str, list[DrawnRun]] = {}
    for run in drawing.runs:
        if run.eras:
            found.setdefault(run.label if drawing.by_run else run.panel, []).append(run)
    return found


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


_BUILT: Mapping[FigureName, Callable[[Drawing], Figure | None]] = {
    FigureName.ERA_TOTALS: _era_totals,
    FigureName.GAPS: _gaps,
    FigureName.TOTAL_HINDSIGHT: _total_hindsight,
    FigureName.SUBSCORES: _subscores,
    FigureName.TYPED_MECHANICAL: _typed_mechanical,
    FigureName.LAYER_DISTANCE: _layer_distance,
}
