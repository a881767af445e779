"""`score`: the measures of a score table, as an aligned table or as JSON; starts no service."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.score_text import as_text
from app.domain.protocol.eras import Mode
from app.domain.scoring.measures import Measure
from app.domain.scoring.run_measures import RunMeasures, TableMeasures, measure_table
from app.domain.scoring.scored_eras import without_interventions
from app.domain.wording import counted
from app.imports.score_files import ScoreFileError
from app.imports.scores import ScoreTable, read_scores


def score_command(
    scores: Annotated[Path, typer.Argument(help="Score table (CSV) in the unified, wide or long layout.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print unrounded JSON instead of a table.")] = False,
    run: Annotated[str | None, typer.Option(help="Name of the run, where the file has no run column.")] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(help="Measure only this mode, one that The Record judges; --json measures training without it."),
    ] = None,
    mend_shifted: Annotated[
        bool, typer.Option("--mend-shifted", help="Move subscores that stand one column to the left.")
    ] = False,
    without: Annotated[
        bool, typer.Option("--without-interventions", help="Leave out eras that are marked as intervened.")
    ] = False,
) -> None:
    """Print totals, slopes, gaps, pivots and correlations of every run in a score table."""
    if mode is not None and not mode.has_outcome:
        raise typer.BadParameter(f"{mode} eras are The Auditor's; choose training, fictional or post_cutoff")
    try:
        table = read_scores(scores, run=run, mend=mend_shifted)
    except ScoreFileError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from error
    table = _treated(table, without=without)
    if as_json:
        judged = mode or Mode.TRAINING
        measures = measure_table(table.eras, judged)
        print(json.dumps(as_object(measures, table, judged), indent=2, ensure_ascii=False))
    else:
        print(as_text(table, mode))


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
        "r_controlled_within_runs": _value("r_controlled_within_runs", measures.r_controlled_within_runs, reasons),
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
