"""A study's results as tables of a report: measures of every run, and totals of every era."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.reports.blocks import NONE, Align, Column, Table, number, plain, shown, words
from app.domain.scoring.dissents import DissentSummary
from app.domain.scoring.gaps import GapSummary
from app.domain.scoring.measures import Measure
from app.domain.scoring.pivots import PivotCount
from app.domain.scoring.run_measures import RunMeasures
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import mechanical_total

MARK = "†"
"""Stands behind what carries an intervention."""

MARKED = f"{MARK} carries an intervention."


RECORD_NOTE = (
    "T*: controlled total; h: hindsight subscore (10 = no leakage); gap: frontier accuracy minus layer choice; "
    "capture: 1 match, 0.5 neighbour, 0 miss. "
)
NOTE = (
    "T̃: mechanical total. Over all eras of the run: pivots of transitions; dissents, vindicated of resolved; caution, "
    "the share of decisions that defer all building."
)


@dataclass(frozen=True, slots=True)
class ResultLine:
    """One run's measures on one scale; ``record`` is None where The Auditor judges."""

    label: str
    marked: bool
    eras: tuple[ScoredEra, ...]
    mechanical: Measure
    record: RunMeasures | None
    capture: Measure
    pivots: PivotCount
    dissents: DissentSummary
    caution: Measure


def measures_table(lines: Sequence[ResultLine]) -> Table:
    """Measures of every run, with what the signs mean."""
    record = any(line.record for line in lines)
    names = ["eras", "mean T*", "slope T*", "mean T̃", "mean h", "gap", "capture"] if record else ["eras", "mean T̃"]
    columns = [
        Column("Run", 1),
        *(Column(name, align=Align.RIGHT) for name in [*names, "pivots", "dissents", "caution"]),
    ]
    rows = tuple(_measures(line, record=record) for line in lines)
    note = (RECORD_NOTE if record else "") + NOTE
    return Table(tuple(columns), rows, caption="Runs", note=note + _mark_note(lines), marked=_marked(lines))


def totals_table(lines: Sequence[ResultLine], eras: Sequence[str]) -> Table:
    """The mechanical total of every era of every run."""
    columns = (Column("Run", 3), *(Column(shown(era), 1, Align.RIGHT) for era in eras))
    rows = tuple((_label(line), *_totals({era.era: era for era in line.eras}, eras)) for line in lines)
    note = "Mechanical total T̃, 0 to 100; a dash where the era is not judged." + _mark_note(lines)
    return Table(columns, rows, caption="Totals by era", note=note, marked=_marked(lines))


def gap_words(gaps: GapSummary) -> str:
    """The gaps of all eras in a sentence, with the warning that goes with the sign test."""
    p = gaps.sign_test_p.value
    test = "" if p is None else f" (sign test, one-sided p = {p:.2g})"
    mean, sd = number(gaps.mean, 2, signed=True), number(gaps.sd, 2)
    return f"{gaps.positive} of {gaps.n} gaps are positive{test}; mean {mean}, SD {sd}. {gaps.warning}"


def _measures(line: ResultLine, *, record: bool) -> tuple[str, ...]:
    one = line.record
    found = [_label(line), str(len(line.eras))]
    if record:
        found += [number(one.mean_controlled), number(one.slope_controlled, 2, signed=True)] if one else [NONE, NONE]
    found.append(number(line.mechanical))
    if record:
        found += [number(one.mean_hindsight, 2), number(one.mean_gap, 2, signed=True)] if one else [NONE, NONE]
        found.append(number(line.capture, 2))
    resolved = line.dissents.vindicated + line.dissents.refuted
    unresolved = f" ({line.dissents.unresolved} open)" if line.dissents.unresolved else ""
    found += [f"{line.pivots.pivots}/{line.pivots.transitions}", f"{line.dissents.vindicated}/{resolved}{unresolved}"]
    return (*found, number(line.caution, 2))


def _totals(eras: Mapping[str, ScoredEra], names: Sequence[str]) -> list[str]:
    found = []
    for name in names:
        era = eras.get(name)
        mark = MARK if era and era.intervened else ""
        found.append(f"{plain(mechanical_total(era), 0)}{mark}" if era else NONE)
    return found


def _label(line: ResultLine) -> str:
    return shown(f"{words(line.label)}{MARK if line.marked else ''}")


def _marked(lines: Sequence[ResultLine]) -> tuple[int, ...]:
    return tuple(place for place, line in enumerate(lines) if line.marked)


def _mark_note(lines: Sequence[ResultLine]) -> str:
    return f" {MARKED}" if any(line.marked or any(era.intervened for era in line.eras) for line in lines) else ""
