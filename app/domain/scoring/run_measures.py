"""Every measure of a run and of a table of runs that scores alone decide: the published check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.protocol.eras import Mode
from app.domain.scoring.correlations import pearson_r, within_group_r
from app.domain.scoring.gaps import GapSummary, gap_of, summarize_gaps
from app.domain.scoring.measures import Measure, mean_of, sd_of
from app.domain.scoring.pivots import PivotCount, count_adjoining_pivots
from app.domain.scoring.scored_eras import ScoredEra, eras_by_run, eras_of_mode, require_record
from app.domain.scoring.slopes import half_means, slope_of
from app.domain.scoring.totals import (
    TotalsRange,
    aggregation_rule,
    controlled_total,
    mechanical_total,
    shown_totals,
    totals_as_published,
)


@dataclass(frozen=True, slots=True)
class RunMeasures:
    """One run over the eras of one of The Record's modes; pivots run over all its eras.

    `mean`, `sd`, `slope`, the halves and `r_total_hindsight` are of the typed totals where every era has one, else of
    the mechanical ones (`total_kind` says which).
    """

    run: str
    n_training: int
    total_kind: str
    aggregation_rule: str | None
    mean: Measure
    sd: Measure
    slope: Measure
    mean_first_half: Measure
    mean_second_half: Measure
    mean_hindsight: Measure
    r_total_hindsight: Measure
    r_mechanical_hindsight: Measure
    r_controlled_hindsight: Measure
    mean_mechanical: Measure
    slope_mechanical: Measure
    mean_controlled: Measure
    slope_controlled: Measure
    mean_gap: Measure
    pivots: PivotCount


@dataclass(frozen=True, slots=True)
class TableMeasures:
    """All runs of a score table, with what is pooled over them."""

    runs: tuple[RunMeasures, ...]
    gaps: GapSummary
    r_within_runs: Measure
    r_pooled: Measure
    r_controlled_within_runs: Measure
    totals: TotalsRange


def measure_run(run: str, eras: Sequence[ScoredEra], mode: Mode = Mode.TRAINING) -> RunMeasures:
    """Measure one run; `eras` are all its eras, `mode` the one of The Record's modes to score."""
    scored = eras_of_mode(eras, mode)
    require_record(scored, "a run's training measures")
    indices = [era.index for era in scored]
    totals, kind = shown_totals(scored)
    mechanical = [mechanical_total(era) for era in scored]
    controlled = controlled_totals(scored)
    hindsight = hindsight_scores(scored)
    first, second = half_means(totals)
    return RunMeasures(
        run=run,
        n_training=len(scored),
        total_kind=kind,
        aggregation_rule=aggregation_rule(eras),
        mean=mean_of(totals, "era"),
        sd=sd_of(totals, "era"),
        slope=slope_of(indices, totals),
        mean_first_half=first,
        mean_second_half=second,
        mean_hindsight=mean_of(hindsight, "era"),
        r_total_hindsight=pearson_r(list(zip(totals, hindsight, strict=True))),
        r_mechanical_hindsight=pearson_r(list(zip(mechanical, hindsight, strict=True))),
        r_controlled_hindsight=pearson_r(list(zip(controlled, hindsight, strict=True))),
        mean_mechanical=mean_of(mechanical, "era"),
        slope_mechanical=slope_of(indices, mechanical),
        mean_controlled=mean_of(controlled, "era"),
        slope_controlled=slope_of(indices, controlled),
        mean_gap=mean_of([gap_of(era) for era in scored], "era"),
        pivots=count_adjoining_pivots((era.index, era.company) for era in eras),
    )


def measure_table(eras: Sequence[ScoredEra], mode: Mode = Mode.TRAINING) -> TableMeasures:
    """Measure every run of a table over one of The Record's modes, and what is pooled over the runs."""
    grouped = eras_by_run(eras)
    scored = {run: eras_of_mode(of_run, mode) for run, of_run in grouped.items()}
    typed = all(era.typed_total is not None for of_run in scored.values() for era in of_run)
    pairs = [_total_and_hindsight(of_run, typed=typed) for of_run in scored.values()]
    return TableMeasures(
        runs=tuple(measure_run(run, of_run, mode) for run, of_run in grouped.items()),
        gaps=summarize_gaps([era for of_run in scored.values() for era in of_run]),
        r_within_runs=within_group_r(pairs),
        r_pooled=pearson_r([pair for of_run in pairs for pair in of_run]),
        r_controlled_within_runs=within_group_r(
            [list(zip(controlled_totals(of_run), hindsight_scores(of_run), strict=True)) for of_run in scored.values()]
        ),
        totals=totals_as_published(eras),
    )


def controlled_totals(eras: Sequence[ScoredEra]) -> list[float]:
    """The controlled totals of eras that The Record scored; raises MixedRubricsError for others."""
    require_record(eras, "the controlled total")
    return [measure.value for measure in map(controlled_total, eras) if measure.value is not None]


def hindsight_scores(eras: Sequence[ScoredEra]) -> list[float]:
    """The hindsight subscores (10 = no leakage) of eras that The Record scored."""
    require_record(eras, "the hindsight subscore")
    return [float(era.subscores["hindsight_leakage"]) for era in eras]


def _total_and_hindsight(eras: Sequence[ScoredEra], *, typed: bool) -> list[tuple[float, float]]:
    # One kind of total for all pooled runs, or the correlation would compare two scales.
    totals = shown_totals(eras)[0] if typed else [mechanical_total(era) for era in eras]
    return list(zip(totals, hindsight_scores(eras), strict=True))
