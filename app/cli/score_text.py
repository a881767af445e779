"""`score` for people: a section a schedule and mode, totals without hindsight first, nothing pooled over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.domain.protocol.eras import Mode
from app.domain.scoring.measures import Measure
from app.domain.scoring.run_measures import RunMeasures, TableMeasures, measure_table
from app.domain.scoring.scored_eras import ScoredEra, eras_of_mode
from app.domain.scoring.totals import totals_as_published
from app.domain.wording import counted
from app.imports.scores import ScoreTable

FIRST = (
    ("mean T*", "mean_controlled", ".1f"),
    ("slope T*", "slope_controlled", "+.2f"),
    ("r(T*,h)", "r_controlled_hindsight", "+.2f"),
    ("gap", "mean_gap", "+.2f"),
    ("mean h", "mean_hindsight", ".2f"),
    ("mean T~", "mean_mechanical", ".1f"),
    ("r(T~,h)", "r_mechanical_hindsight", "+.2f"),
)
SHOWN = (
    ("mean {T}", "mean", ".1f"),
    ("SD {T}", "sd", ".1f"),
    ("slope {T}", "slope", "+.2f"),
    ("1st half", "mean_first_half", ".1f"),
    ("2nd half", "mean_second_half", ".1f"),
)
TYPED_R = ("r(T,h)", "r_total_hindsight", "+.2f")
LEGEND = (
    "T* = 2.5 x the four subscores other than hindsight, T~ = 2 x all five{typed}; h = hindsight subscore "
    "(10 = no leakage).\n{names} h itself: its correlation with h is partly h with itself. Read r(T*,h)."
)


@dataclass(frozen=True, slots=True)
class _Section:
    """The eras of one schedule, measured over one mode; ``pooled`` names the total that all runs have."""

    measures: TableMeasures
    mode: Mode
    typed: bool
    pooled: str

    @property
    def columns(self) -> tuple[tuple[str, str, str], ...]:
        total = "T" if self.typed else "T~"
        shown = tuple((name.format(T=total), field, form) for name, field, form in SHOWN)
        return (*FIRST, *shown, *((TYPED_R,) if self.typed else ()))


def as_text(table: ScoreTable, mode: Mode | None) -> str:
    """Give an aligned table for every schedule and mode (or the one mode asked for) with the notes a reader needs."""
    lines: list[str] = []
    for schedule in dict.fromkeys(table.schedules.get(era.run, "") for era in table.eras) or [""]:
        eras = [era for era in table.eras if table.schedules.get(era.run, "") == schedule]
        for measured in [mode] if mode else _modes_with_outcome(eras):
            lines += _section(eras, measured, schedule)
        lines += [*_totals_lines(eras, schedule), ""]
    return "\n".join([*lines, *(f"Note: {note}" for note in table.notes)]).rstrip()


def _modes_with_outcome(eras: Sequence[ScoredEra]) -> list[Mode]:
    present = {era.mode for era in eras}
    return [mode for mode in Mode if mode.has_outcome and mode in present] or [Mode.TRAINING]


def _section(eras: Sequence[ScoredEra], mode: Mode, schedule: str) -> list[str]:
    scored = eras_of_mode(eras, mode)
    heading = f"{_named(mode)}, one line a run{f'; schedule {schedule}' if schedule else ''}"
    if not scored:
        return [heading, "", "No era of this mode is in the table.", ""]
    is_typed = [era.typed_total is not None for era in scored]
    typed = any(is_typed)
    section = _Section(measure_table(eras, mode), mode, typed, "T" if all(is_typed) else "T~")
    lines = [heading, "", *_summary(section), "", *_rows(section), ""]
    legend = LEGEND.format(
        typed=", T = the judge's typed total (T~ where a run lacks one)" if typed else "",
        names="T and T~ contain" if typed else "T~ contains",
    )
    return [*lines, legend, *_reasons(section), ""]


def _summary(section: _Section) -> list[str]:
    measures, gaps, name = section.measures, section.measures.gaps, section.pooled
    eras = counted(measures.r_controlled_within_runs.n, f"{_words(section.mode)} era")
    within, mixed = _figure(measures.r_within_runs, "+.2f"), _figure(measures.r_pooled, "+.2f")
    spread = f"mean {_figure(gaps.mean, '.3f')}, SD {_figure(gaps.sd, '.2f')}"
    test = f"sign test p = {_figure(gaps.sign_test_p, '.3g')} (one-sided)"
    return [
        f"r(T*, h) = {_figure(measures.r_controlled_within_runs, '+.2f')} within runs ({eras}, run means removed).",
        f"Gaps (frontier accuracy - layer choice): {gaps.positive} of {gaps.n} positive, {spread}, {test}.",
        f"  {gaps.warning}",
        f"r({name}, h) = {within} within runs, {mixed} without removing run means; {name} contains h.",
    ]


def _rows(section: _Section) -> list[str]:
    header = ["run", "eras", *(name for name, _, _ in section.columns), "pivots", "totals are"]
    rows = [header, *(_cells(run, section.columns) for run in section.measures.runs if run.n_training)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_aligned(row, widths)).rstrip() for row in rows]


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    last = len(row) - 1
    sides: list[Callable[[str, int], str]] = [str.ljust if i in {0, last} else str.rjust for i in range(len(row))]
    return [side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)]


def _cells(run: RunMeasures, columns: Sequence[tuple[str, str, str]]) -> list[str]:
    figures = [_figure(getattr(run, field), form) for _, field, form in columns]
    pivots = f"{run.pivots.pivots}/{run.pivots.transitions}"
    kind = run.total_kind if run.aggregation_rule is None else f"{run.total_kind} ({run.aggregation_rule})"
    return [run.run, str(run.n_training), *figures, pivots, kind]


def _totals_lines(eras: Sequence[ScoredEra], schedule: str) -> list[str]:
    """Totals by mode: those of two modes, schedules or rubrics are on different scales and are not put together."""
    lines = [f"Totals by mode{f' on {schedule}' if schedule else ''}; never pooled over modes, schedules or rubrics:"]
    for mode in Mode:
        totals = totals_as_published(eras_of_mode(eras, mode))
        if totals.n and totals.minimum is not None and totals.maximum is not None:
            rubric = "The Record" if mode.has_outcome else "The Auditor"
            lines.append(
                f"  {_named(mode)} ({rubric}): n = {totals.n}, {totals.minimum:g} to {totals.maximum:g}, "
                f"mean {_figure(totals.mean, '.1f')}, SD {_figure(totals.sd, '.1f')}; {totals.label}"
            )
    return lines


def _reasons(section: _Section) -> list[str]:
    found = ((run, field, getattr(run, field)) for run in section.measures.runs for _, field, _ in section.columns)
    return [
        f"n/a: {run.run}.{field}: {measure.reason}"
        for run, field, measure in found
        if run.n_training and measure.reason
    ]


def _figure(measure: Measure, form: str) -> str:
    return "n/a" if measure.value is None else format(measure.value, form)


def _words(mode: Mode) -> str:
    return str(mode).replace("_", "-")


def _named(mode: Mode) -> str:
    return f"{_words(mode).capitalize()} eras"
