"""The hypotheses as a table for readers: effects and intervals first, p-values second, sensitivity beside."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.inference.equivalence import Equivalence
from app.domain.inference.intervals import Interval
from app.domain.protocol.analysis import AnalysisPlan, Treatment
from app.domain.protocol.eras import Mode
from app.domain.scoring.contrasts import Contrast
from app.domain.scoring.hypotheses import (
    CLAIMS,
    ConditionGap,
    HypothesisTable,
    Total,
    judge_hypotheses,
    judge_without_interventions,
)
from app.domain.scoring.measures import Measure
from app.domain.scoring.run_values import JudgedRun, without_intervened
from app.domain.wording import counted, written

UNITS = {
    "H1": "points of T* an era",
    "H2": "points of T*",
    "H3": "points of the hindsight subscore",
    "H4": "score points",
    "H5a": "share of transitions",
    "H5b": "capture, 0 to 1",
}
MODES = {Mode.FICTIONAL: "fictional eras", Mode.POST_CUTOFF: "post-cutoff eras"}


@dataclass(frozen=True, slots=True)
class Reading:
    """An effect with its interval and p under one analysis."""

    name: str
    effect: str
    p_value: str


@dataclass(frozen=True, slots=True)
class HypothesisLine:
    """One comparison of one hypothesis; ``p_value`` and ``holm`` are the hypothesis's and stand in its first line."""

    hypothesis: str
    claim: str
    declared: bool
    comparison: str
    units: str
    effect: str
    interval: str
    interval_note: str
    standardized: str
    p_value: str
    holm: str
    method: str
    left_out: tuple[str, ...]
    sensitivity: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """An effect with its units, interval (or why there is none), d and p."""

    effect: str
    units: str
    interval: str
    interval_note: str
    standardized: str
    p_value: str


@dataclass(frozen=True, slots=True)
class RemovalLine:
    """H5 and what it must be read with, on one kind of eras: pivot rate, frontier capture, hindsight subscore."""

    eras: str
    cells: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The table with what it rests on: the runs, those left out for being incomplete, and the plan."""

    lines: tuple[HypothesisLine, ...]
    runs: int
    incomplete: tuple[str, ...]
    plan: AnalysisPlan
    removal: tuple[RemovalLine, ...]
    schedules: tuple[tuple[str, int], ...] = ()
    treatment: Treatment = Treatment.KEEP

    @property
    def is_declared(self) -> bool:
        """Whether interventions are treated as the design says."""
        return self.treatment is self.plan.interventions

    @property
    def schedule_words(self) -> str:
        """How many runs of each schedule were tested, where there are several; else nothing."""
        return ", ".join(f"{runs} on {name}" for name, runs in self.schedules) if len(self.schedules) > 1 else ""


def hypothesis_table(
    runs: Sequence[JudgedRun], incomplete: Sequence[str], plan: AnalysisPlan, treatment: Treatment | None = None
) -> Judged:
    """Judge with one treatment of interventions, the plan's if none is given.

    Beside it stand the other treatment and the mechanical total.
    """
    chosen = treatment or plan.interventions
    kept = judge_hypotheses(runs, margin=plan.leakage_margin, seed=plan.seed, draws=plan.resamples)
    without = judge_without_interventions(runs, margin=plan.leakage_margin, seed=plan.seed, draws=plan.resamples)
    main, other = (kept, without) if chosen is Treatment.KEEP else (without, kept)
    mechanical = _mechanical(runs, plan, chosen)
    words = "without interventions" if chosen is Treatment.KEEP else "with interventions"
    tables = {words: other, "with T̃ for T*": mechanical}
    lines = [line for name in CLAIMS for line in _lines(name, main, tables, plan)]
    tested = runs if chosen is Treatment.KEEP else without_intervened(runs)
    schedules = tuple(Counter(run.schedule for run in tested).items())
    return Judged(tuple(lines), len(tested), tuple(incomplete), plan, _removal(main), schedules, chosen)


def _removal(table: HypothesisTable) -> tuple[RemovalLine, ...]:
    """H5 as tested beside the leakage, and again where nothing can be recalled; none where it was never tested."""
    found = {"as tested above": (table.h5a, table.h5b, table.leakage_beside_h5)}
    found |= {MODES[one.mode]: (one.pivots, one.capture, one.leakage) for one in table.repeated}
    units = (UNITS["H5a"], UNITS["H5b"], UNITS["H3"])
    return tuple(
        RemovalLine(eras, tuple(_compared(one, name) for one, name in zip(contrasts, units, strict=True)))
        for eras, contrasts in found.items()
        if any(one.effect.value is not None for one in contrasts)
    )


def _compared(found: Contrast, units: str) -> Comparison:
    interval, note = _interval(found.interval)
    effect, d = _number(found.effect, 2), _number(found.standardized, 2)
    return Comparison(effect, units, interval, note, d, _p(found.test.p_value))


def _mechanical(runs: Sequence[JudgedRun], plan: AnalysisPlan, treatment: Treatment) -> HypothesisTable:
    judge = judge_hypotheses if treatment is Treatment.KEEP else judge_without_interventions
    total: Total = "mechanical"
    return judge(runs, margin=plan.leakage_margin, seed=plan.seed, draws=plan.resamples, total=total)


def _lines(
    name: str, main: HypothesisTable, tables: dict[str, HypothesisTable], plan: AnalysisPlan
) -> list[HypothesisLine]:
    declared = name in {str(one) for one in plan.hypotheses}
    parts = _parts(name, main)
    others = {words: _parts(name, table) for words, table in tables.items()}
    lines = []
    for place, (key, part) in enumerate(parts.items()):
        first = place == 0
        sensitivity = [
            Reading(words, part_in[key].effect, _p(tables[words].p_values[name]))
            for words, part_in in others.items()
            if key in part_in and (words != "with T̃ for T*" or name in {"H1", "H2"})
        ]
        lines.append(
            HypothesisLine(
                hypothesis=name,
                claim=CLAIMS[name] if first else "",
                declared=declared,
                comparison=key,
                units=UNITS[name],
                effect=part.effect,
                interval=part.interval,
                interval_note=part.interval_note,
                standardized=part.standardized,
                p_value=_p(main.p_values[name]) if first else "",
                holm=_p(main.adjusted[name]) if first else "",
                method=part.method,
                left_out=part.left_out,
                sensitivity=tuple(sensitivity),
            )
        )
    return lines


@dataclass(frozen=True, slots=True)
class _Part:
    effect: str
    interval: str
    interval_note: str
    standardized: str
    method: str
    left_out: tuple[str, ...] = ()


def _parts(name: str, table: HypothesisTable) -> dict[str, _Part]:
    if name == "H3":
        pairs = {f"{_named(one)} − full": _equivalence(found) for one, found in table.h3.comparisons.items()}
        return pairs or {"no fictional era": _Part("–", "–", "", "–", table.h3.p_value.reason or "")}
    if name == "H4":
        gaps = {_named(gap.condition): _gap(gap) for gap in table.h4.conditions}
        return gaps or {"no judged era": _Part("–", "–", "", "–", table.h4.p_value.reason or "")}
    contrasts = {"H1": table.h1, "H2": table.h2, "H5a": table.h5a, "H5b": table.h5b}
    contrast = contrasts[name]
    return {f"{_named(contrast.higher)} − {_named(contrast.lower)}": _contrast(contrast)}


def _contrast(found: Contrast) -> _Part:
    interval, note = _interval(found.interval)
    blocks = f"; {counted(found.blocks, 'block')}" if found.blocks else ""
    return _Part(
        effect=_number(found.effect, 2),
        interval=interval,
        interval_note=note,
        standardized=_number(found.standardized, 2),
        method=f"{found.test.method}{blocks}",
        left_out=found.left_out,
    )


def _gap(found: ConditionGap) -> _Part:
    interval, note = _interval(found.interval)
    return _Part(
        _number(found.mean, 2), interval, note, "–", f"its own p {_p(found.test.p_value)}, {found.test.method}"
    )


def _equivalence(found: Equivalence) -> _Part:
    bounds = _bounds(found.interval) if found.interval else "–"
    note = "90 %" if found.interval else "fewer than six blocks: no interval is printed"
    method = found.reason or f"its own p {_p(found.p_value)}, two one-sided t tests, {counted(found.n, 'block')}"
    difference = "–" if found.difference is None else _signed(found.difference, 2)
    return _Part(difference, bounds, note, "–", method)


def _interval(interval: Interval) -> tuple[str, str]:
    if interval.bounds is None:
        return "–", interval.reason or ""
    return _bounds(interval.bounds), f"95 %, {interval.method}"


def _bounds(bounds: tuple[float, float]) -> str:
    return f"{_signed(bounds[0], 2)} to {_signed(bounds[1], 2)}"


def _number(measure: Measure, digits: int) -> str:
    return "–" if measure.value is None else _signed(measure.value, digits)


def _signed(value: float, digits: int) -> str:
    return written(value, f"%+.{digits}f")


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.2g}"


def _named(condition: str) -> str:
    return condition.replace("_", " ")
