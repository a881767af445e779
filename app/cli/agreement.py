"""`agreement`: how far raters agree in a ratings table, as text or as JSON; starts no service."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.cli.agreement_text import as_text
from app.domain.agreement.report import AgreementReport, agreement
from app.imports.ratings import RatingsError, RatingsFile, RatingsTable, read_ratings

Level = Literal["interval", "ordinal", "nominal"]
Side = Literal["rows", "columns"]


def agreement_command(
    file: Annotated[Path, typer.Argument(help="Ratings (CSV): one rating per line, or one item per line.")],
    scale: Annotated[
        tuple[float, float] | None, typer.Option(metavar="LOW HIGH", help="Ends of the scale, such as 0 10.")
    ] = None,
    level: Annotated[Level, typer.Option(help="What kind of scale it is; picks the headline.")] = "interval",
    cluster: Annotated[str | None, typer.Option(help="Column of what belongs together, such as run.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print unrounded JSON instead of text.")] = False,
    items: Annotated[Side | None, typer.Option(help="Whether items stand in rows or columns, if asked.")] = None,
    resamples: Annotated[int, typer.Option(min=0, max=100_000, help="Resamples of the item bootstrap.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the item bootstrap.")] = 1,
    bands: Annotated[bool, typer.Option(help="Add words for the lower limit of each headline.")] = True,
) -> None:
    """Print every agreement statistic of a ratings table, with interval, method and what was left out."""
    if scale is not None and not scale[0] < scale[1]:
        raise typer.BadParameter("give the lower end of the scale first", param_hint="--scale")
    try:
        ratings = _right_way_round(read_ratings(file, scale=scale, cluster=cluster), items)
    except RatingsError as error:
        print(f"{file}: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
    report = report_of(ratings, scale=scale, level=level, unit=cluster or "run", resamples=resamples, seed=seed)
    if as_json:
        shown = {"file": file.name, "layout": ratings.layout, "read": ratings.said, "categories": list(ratings.names)}
        print(json.dumps(shown | report.as_json(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(as_text(report, ratings, bands=bands))


def report_of(
    ratings: RatingsFile, *, scale: tuple[float, float] | None, level: Level, unit: str, resamples: int, seed: int
) -> AgreementReport:
    """Compute the report of every dimension of a ratings file; items of one dimension need not be those of another."""

    def one(name: str, table: RatingsTable) -> AgreementReport:
        return agreement(
            {name: table.values},
            raters=ratings.raters,
            scale=table.scale or scale,
            level=level,
            clusters=table.clusters,
            weights=table.weights,
            numeric=ratings.numeric,
            resamples=resamples,
            seed=seed,
            unit=unit,
            positions=None if table.positions is None else {name: table.positions},
            repeats=None if table.repeats is None else {name: table.repeats},
        )

    reports = [one(name, table) for name, table in ratings.dimensions.items()]
    dimensions = {name: found for report in reports for name, found in report.dimensions.items()}
    return AgreementReport(dimensions, reports[0].headline, level, scale)


def _right_way_round(ratings: RatingsFile, items: Side | None) -> RatingsFile:
    """Ask about a table that seems to lie on its side; where nobody can answer, say how to."""
    if items == "columns":
        return ratings.turned()
    if items == "rows" or ratings.question is None:
        return ratings
    if not someone_answers():
        print(ratings.question, file=sys.stderr)
        print("Say so with --items columns if they are, or --items rows if they are not.", file=sys.stderr)
        raise typer.Exit(1)
    return ratings.turned() if typer.confirm(ratings.question, err=True) else ratings


def someone_answers() -> bool:
    """Whether a person sits at this command."""
    return sys.stdin.isatty()
