"""`score`: the measures of a score table, as an aligned table or as JSON; starts no service."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from app.domain.protocol.eras import Mode
from app.domain.scoring.measures import Measure
from app.domain.scoring.run_measures import RunMeasures, TableMeasures, measure_table
from app.domain.scoring.scored_eras import without_interventions
from app.domain.wording import counted
from app.imports.score_files import ScoreFileError
from app.imports.scores import ScoreTable, read_scores

COLUMNS = (
    ("mean", "mean", ".1f"),
    ("SD", "sd", ".1f"),
    ("slope", "slope", "+.2f"),
    ("1st half", "mean_first_half", ".1f"),
    ("2nd half", "mean_second_half", ".1f"),
    ("mean h", "mean_hindsight", ".2f"),
    ("r(T,h)", "r_total_hindsight", "+.2f"),
    ("r(T~,h)", "r_mechanical_hindsight", "+.2f"),
    ("mean T~", "mean_mechanical", ".1f"),
    ("mean T*", "mean_controlled", ".1f"),
    ("gap", "mean_gap", ".2f"),
)
LEGEND = (
    "T = typed total, T~ = twice the sum of the subscores, T* = controlled total without hindsight, "
    "h = hindsight subscore (10 = no leakage)."
)


def score_command(
    scores: Annotated[Path, typer.Argument(help="Score table (CSV) in the unified, wide or long layout.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print unrounded JSON instead of a table.")] = False,
    run: Annotated[str | None, typer.Option(help="Name of the run, where the file has no run column.")] = None,
    mode: Annotated[Mode, typer.Option(help="The mode to measure: one that The Record judges.")] = Mode.TRAINING,
    mend_shifted: Annotated[
        bool, typer.Option("--mend-shifted", help="Move subscores that stand one column to the left.")
    ] = False,
    without: Annotated[
        bool, typer.Option("--without-interventions", help="Leave out eras that are marked as intervened.")
    ] = False,
) -> None:
    """Print totals, slopes, gaps, pivots and correlations of every run in a score table."""
    if not mode.has_outcome:
        raise typer.BadParameter(f"{mode} eras are The Auditor's; choose training, fictional or post_cutoff")
    try:
        table = read_scores(scores, run=run, mend=mend_shifted)
    except ScoreFileError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from error
    table = _treated(table, without=without)
    measures = measure_table(table.eras, mode)
    if as_json:
        print(json.dumps(as_object(measures, table, mode), indent=2, ensure_ascii=False))
    else:
        print(as_text(measures, table, mode))


def _treated(table: ScoreTable, *, without: bool) -> ScoreTable:
    """The table with or without the eras that carry an intervention, and a note that says which."""
    marked = [f"{era.run} {era.era}" for era in table.eras if era.intervened]
    if not marked:
        return table
    named = f"{counted(len(marked), 'era')} with an intervention ({', '.join(marked)})"
    if not without:
        return replace(table, notes=(*table.notes, f"{named} kept; --without-interventions leaves them out."))
    return replace(table, eras=tuple(without_interventions(table.eras)), notes=(*table.notes, f"{named} left out."))


def as_object(measures: TableMeasures, table: ScoreTable, mode: Mode) -> dict[str, Any]:
    """Give the JSON object: unrounded numbers, null where undefined, and every reason under `undefined`."""
    reasons: dict[str, str] = {}
    runs = [_run_object(run, reasons) for run in measures.runs]
    gaps, totals = measures.gaps, measures.totals
    return {
        "mode": str(mode),
        "layout": str(table.layout),
        "runs": runs,
        "gaps": {
            "n": gaps.n,
            "positive": gaps.positive,
            "mean": _value("gaps.mean", gaps.mean, reasons),
            "sd": _value("gaps.sd", gaps.sd, reasons),
            "sign_test_p": _value("gaps.sign_test_p", gaps.sign_test_p, reasons),
            "warning": gaps.warning,
        },
        "r_within_runs": _value("r_within_runs", measures.r_within_runs, reasons),
        "r_pooled": _value("r_pooled", measures.r_pooled, reasons),
        "totals": {
            "n": totals.n,
            "min": totals.minimum,
            "max": totals.maximum,
            "mean": _value("totals.mean", totals.mean, reasons),
            "sd": _value("totals.sd", totals.sd, reasons),
            "label": totals.label,
        },
        "notes": list(table.notes),
        "undefined": reasons,
    }


def as_text(measures: TableMeasures, table: ScoreTable, mode: Mode) -> str:
    """Give the same as an aligned table with the notes a reader needs."""
    header = ["run", "eras", *(title for title, _, _ in COLUMNS), "pivots", "totals are"]
    rows = [header, *(_cells(run) for run in measures.runs)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    lines = [f"{str(mode).capitalize()} eras, one line a run", ""]
    lines += [
        "  ".join(_aligned(cell, width, i) for i, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]
    lines += ["", LEGEND, "", *_pooled_lines(measures)]
    lines += [f"Note: {note}" for note in table.notes]
    return "\n".join([*lines, *_reason_lines(measures)])


def _run_object(run: RunMeasures, reasons: dict[str, str]) -> dict[str, Any]:
    shown: dict[str, Any] = {"run": run.run, "n_training": run.n_training}
    for name in RunMeasures.__dataclass_fields__:
        value = getattr(run, name)
        if isinstance(value, Measure):
            shown[name] = _value(f"{run.run}.{name}", value, reasons)
    shown |= {"pivots": run.pivots.pivots, "transitions": run.pivots.transitions}
    return shown | {"total_kind": run.total_kind, "aggregation_rule": run.aggregation_rule}


def _value(name: str, measure: Measure, reasons: dict[str, str]) -> float | None:
    if measure.reason is not None:
        reasons[name] = measure.reason
    return measure.value


def _cells(run: RunMeasures) -> list[str]:
    figures = [_figure(getattr(run, field), form) for _, field, form in COLUMNS]
    pivots = f"{run.pivots.pivots}/{run.pivots.transitions}"
    kind = run.total_kind if run.aggregation_rule is None else f"{run.total_kind} ({run.aggregation_rule})"
    return [run.run, str(run.n_training), *figures, pivots, kind]


def _figure(measure: Measure, form: str) -> str:
    return "n/a" if measure.value is None else format(measure.value, form)


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 or column == len(COLUMNS) + 3 else cell.rjust(width)


def _pooled_lines(measures: TableMeasures) -> list[str]:
    gaps, totals = measures.gaps, measures.totals
    gap_line = (
        f"Gaps (frontier accuracy - layer choice): {gaps.positive} of {gaps.n} positive, "
        f"mean {_figure(gaps.mean, '.3f')}, SD {_figure(gaps.sd, '.2f')}, "
        f"sign test p = {_figure(gaps.sign_test_p, '.3g')} (one-sided)."
    )
    r_line = (
        f"Total and hindsight: r = {_figure(measures.r_within_runs, '+.2f')} within runs, "
        f"{_figure(measures.r_pooled, '+.2f')} pooled without removing run means."
    )
    totals_line = (
        f"All {totals.n} totals: {_bound(totals.minimum)} to {_bound(totals.maximum)}, "
        f"mean {_figure(totals.mean, '.1f')}, SD {_figure(totals.sd, '.1f')}"
    )
    return [gap_line, f"  {gaps.warning}", r_line, totals_line, f"  ({totals.label})."]


def _bound(total: float | None) -> str:
    return "n/a" if total is None else f"{total:g}"


def _reason_lines(measures: TableMeasures) -> list[str]:
    reasons: dict[str, str] = {}
    for run in measures.runs:
        _run_object(run, reasons)
    return [f"n/a: {name}: {reason}" for name, reason in reasons.items()]
