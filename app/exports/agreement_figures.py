"""The plots of an agreement report before they are drawn: what each says, its rows, and the lines behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.domain.agreement.drift import others_mean
from app.domain.agreement.judge_bias import human_mean
from app.domain.reports.agreement_report import DimensionReport, PanelAgreement
from app.domain.reports.blocks import plain
from app.domain.wording import counted
from app.exports.figures import Plotted, Row

BY_COUNT = "the larger a point, the more items it stands for"
MOST_PAIRS = 6
MOST_IN_HEATMAP = 40


class AgreementFigureName(StrEnum):
    """The plots of a dimension, by the name in their addresses."""

    PAIRS = "pairs"
    BLAND_ALTMAN = "bland-altman"
    HEATMAP = "heatmap"
    SEVERITY = "severity"
    DRIFT = "drift"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementFigure(Plotted):
    """One plot of a dimension.

    ``panels`` and ``order`` are the values of its panels and of its categories as they are shown; ``ends`` are those
    of the declared scale.
    """

    name: AgreementFigureName
    ends: tuple[float, float]
    panels: tuple[str, ...] = ()
    order: tuple[str, ...] = ()

    @property
    def is_faceted(self) -> bool:
        """Whether it is drawn as several panels side by side."""
        return len(self.panels) > 1 and self.name is not AgreementFigureName.HEATMAP


def agreement_figures(report: PanelAgreement, one: DimensionReport) -> tuple[AgreementFigure, ...]:
    """Every plot that the dimension's data allow; names that have no distances have none."""
    if not one.ratings.numeric:
        return ()
    made = (make(report, one) for make in _MADE.values())
    return tuple(figure for figure in made if figure.rows)


def agreement_figure(report: PanelAgreement, one: DimensionReport, name: str) -> AgreementFigure | None:
    """One plot by name; None if there is none of it."""
    return next((figure for figure in agreement_figures(report, one) if figure.name == name), None)


def _pairs(report: PanelAgreement, one: DimensionReport) -> AgreementFigure:
    values, raters = one.ratings.values, report.panel.raters
    rows: list[Row] = []
    for first, second in _pairs_of(len(raters)):
        name = f"{raters[first]} (across), {raters[second]} (up)"
        for row in np.flatnonzero(np.isfinite(values[:, first] + values[:, second])):
            at = {"x": float(values[row, first]), "y": float(values[row, second])}
            rows.append({"panel": name, "item": report.panel.items[row].name, **at})
    return AgreementFigure(
        name=AgreementFigureName.PAIRS,
        title=f"{one.name}: one rater’s scores against another’s, item by item",
        notes=_notes(report, f"{counted(len(rows), 'pair')} of ratings; {BY_COUNT}; on the line both are equal"),
        x="score of the first",
        y="score of the second",
        labels={"panel": "raters", "item": "item", "x": "first", "y": "second"},
        rows=tuple(rows),
        ends=one.ratings.scale,
        panels=_names(rows),
    )


def _bland_altman(report: PanelAgreement, one: DimensionReport) -> AgreementFigure:
    values, raters = one.ratings.values, report.panel.raters
    found = {pair.raters: pair.statistics for pair in one.found.pairs}
    rows: list[Row] = []
    lines: list[Row] = []
    for first, second in _pairs_of(len(raters)):
        name = f"{raters[first]} − {raters[second]}"
        for row in np.flatnonzero(np.isfinite(values[:, first] + values[:, second])):
            mean = float(values[row, first] + values[row, second]) / 2
            apart = float(values[row, first] - values[row, second])
            at = {"mean": mean, "difference": apart}
            rows.append({"panel": name, "item": report.panel.items[row].name, **at})
        statistics = found.get((raters[first], raters[second]), {})
        for key, words in (("bias", "mean"), ("loa_low", "limit"), ("loa_high", "limit")):
            if key in statistics and statistics[key].value is not None:
                lines.append({"panel": name, "at": statistics[key].value, "line": words})
    return AgreementFigure(
        name=AgreementFigureName.BLAND_ALTMAN,
        title=f"{one.name}: differences of two raters over their mean (Bland-Altman)",
        notes=_notes(
            report,
            f"{counted(len(rows), 'pair')}; {BY_COUNT}; whole line: mean difference, broken: limits of 95 %",
        ),
        x="mean of both, points",
        y="difference, points",
        labels={"panel": "raters", "item": "item", "mean": "mean of both", "difference": "difference"},
        rows=tuple(rows),
        ends=one.ratings.scale,
        panels=_names(rows),
        lines=tuple(lines),
    )


def _heatmap(report: PanelAgreement, one: DimensionReport) -> AgreementFigure:
    given = np.isfinite(one.ratings.values).sum(axis=1)
    rated = [int(row) for row in np.flatnonzero(given >= 2)]
    spread = {row: float(np.nanstd(one.ratings.values[row], ddof=1)) for row in rated}
    ordered = sorted(rated, key=lambda row: (-spread[row], row))
    shown_items = ordered[:MOST_IN_HEATMAP]
    words = f"{counted(len(ordered), 'item')} with two ratings or more, from the least agreed on"
    if len(ordered) > MOST_IN_HEATMAP:
        words += f"; the first {MOST_IN_HEATMAP} are drawn, the table has all"
    return AgreementFigure(
        name=AgreementFigureName.HEATMAP,
        title=f"{one.name}: where the raters disagree",
        notes=_notes(report, words),
        x="rater",
        y="item",
        labels={
            "item": "item",
            "sd": "SD of its ratings",
            "rater": "rater",
            "value": "score",
            "apart": "from the mean",
        },
        rows=tuple(_given_scores(report, one, {row: spread[row] for row in ordered})),
        ends=one.ratings.scale,
        panels=report.panel.raters,
        order=tuple(report.panel.items[row].name for row in shown_items),
    )


def _given_scores(report: PanelAgreement, one: DimensionReport, spread: Mapping[int, float]) -> Iterator[Row]:
    """Every score of these items, in their order, with how far it lies from the item's mean."""
    values, mean = one.ratings.values, human_mean(one.ratings.values)
    for row, sd in spread.items():
        for column, rater in enumerate(report.panel.raters):
            if np.isfinite(values[row, column]):
                yield {
                    "item": report.panel.items[row].name,
                    "rater": rater,
                    "value": float(values[row, column]),
                    "apart": float(values[row, column] - mean[row]),
                    "sd": sd,
                }


def _severity(report: PanelAgreement, one: DimensionReport) -> AgreementFigure:
    rows: tuple[Row, ...] = tuple(
        {
            "rater": rater,
            "severity": found.value,
            "low": found.ci95[0] if found.ci95 else None,
            "high": found.ci95[1] if found.ci95 else None,
            "n": found.n,
        }
        for rater, found in one.found.severity.items()
        if found.value is not None
    )
    return AgreementFigure(
        name=AgreementFigureName.SEVERITY,
        title=f"{one.name}: how much each rater scores above or below the panel",
        notes=_notes(report, f"rater effects over {counted(one.found.usage.pairable, 'item')}; {_intervals(one)}"),
        x="points above the panel",
        y="rater",
        labels={"rater": "rater", "severity": "points", "low": "95 % from", "high": "to", "n": "items"},
        rows=rows,
        ends=one.ratings.scale,
        order=tuple(str(row["rater"]) for row in rows),
    )


def _intervals(one: DimensionReport) -> str:
    """What the rules beside the severities are, or why there are none."""
    found = [each for each in one.found.severity.values() if each.value is not None]
    without = [each.reason or "it cannot be computed" for each in found if each.ci95 is None]
    if not without:
        return "95 % intervals by runs"
    said = ", ".join(dict.fromkeys(without))
    if len(without) == len(found):
        return f"no 95 % intervals: {said}"
    return f"95 % intervals by runs, none for {len(without)} of {counted(len(found), 'rater')}: {said}"


def _drift(report: PanelAgreement, one: DimensionReport) -> AgreementFigure:
    values, positions, raters = one.ratings.values, one.ratings.positions, report.panel.raters
    rows: list[Row] = []
    for column, rater in enumerate(raters):
        apart = values[:, column] - others_mean(values, column)
        for row in np.flatnonzero(np.isfinite(apart + positions[:, column])):
            at = {"panel": rater, "item": report.panel.items[row].name}
            rows.append({**at, "position": int(positions[row, column]), "difference": float(apart[row])})
    slopes = ", ".join(
        f"{rater} {plain(found.value, 2, signed=True)}" for rater, found in one.found.drift.items() if len(raters) <= 4
    )
    words = f"{counted(len(rows), 'rating')}; line: least squares"
    return AgreementFigure(
        name=AgreementFigureName.DRIFT,
        title=f"{one.name}: does a rater grow harsher or milder along the queue?",
        notes=_notes(report, f"{words}, points per ten positions: {slopes}" if slopes else words),
        x="position in the queue",
        y="from the others’ mean, points",
        labels={"panel": "rater", "item": "item", "position": "position", "difference": "from the others’ mean"},
        rows=tuple(rows),
        ends=one.ratings.scale,
        panels=_names(rows),
    )


def _judge(report: PanelAgreement, one: DimensionReport) -> AgreementFigure:
    mean = human_mean(one.ratings.values)
    rows: list[Row] = []
    for row, item in enumerate(report.panel.items):
        judge = float(one.ratings.judge[row])
        if one.judge is None or item.intervened or not np.isfinite(judge + mean[row]):
            continue
        at: Row = {"item": item.name, "humans": float(mean[row]), "judge": judge, "mode": item.strata.get("mode", "–")}
        rows.append({**at, "difference": judge - float(mean[row])})
    return AgreementFigure(
        name=AgreementFigureName.JUDGE,
        title=f"{one.name}: the judge’s score against the mean of the people’s",
        notes=_notes(report, f"{counted(len(rows), 'item')}; {BY_COUNT}; on the line both are equal"),
        x="mean of the raters",
        y="judge",
        labels={"item": "item", "mode": "mode", "humans": "raters’ mean", "judge": "judge", "difference": "difference"},
        rows=tuple(rows),
        ends=one.ratings.scale,
    )


def _pairs_of(raters: int) -> list[tuple[int, int]]:
    """The pairs that are drawn: the first six."""
    return [(a, b) for a in range(raters) for b in range(a + 1, raters)][:MOST_PAIRS]


def _names(rows: list[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(row["panel"]) for row in rows))


def _notes(report: PanelAgreement, words: str) -> tuple[str, ...]:
    return (f"{words}.", *((report.panel.mark,) if report.panel.mark else ()))


_MADE: Mapping[AgreementFigureName, Callable[[PanelAgreement, DimensionReport], AgreementFigure]] = {
    AgreementFigureName.PAIRS: _pairs,
    AgreementFigureName.BLAND_ALTMAN: _bland_altman,
    AgreementFigureName.HEATMAP: _heatmap,
    AgreementFigureName.SEVERITY: _severity,
    AgreementFigureName.DRIFT: _drift,
    AgreementFigureName.JUDGE: _judge,
}
