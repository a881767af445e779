"""H1-H5 as fixed before launch, judged on runs, with Holm's adjustment over the family of six."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.domain.inference.equivalence import Equivalence
from app.domain.inference.intervals import Interval
from app.domain.inference.multiplicity import adjust_holm
from app.domain.inference.permutation import DRAWS, PermutationTest, flip_signs
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Mode
from app.domain.scoring.contrasts import (
    Contrast,
    contrast_conditions,
    equivalence_of_conditions,
    mean_with_interval,
)
from app.domain.scoring.measures import Measure, undefined
from app.domain.scoring.run_values import (
    JudgedRun,
    RunValue,
    capture_values,
    mean_gap,
    mean_hindsight,
    mean_of_controlled,
    mean_of_mechanical,
    pivot_rate,
    run_values,
    slope_of_controlled,
    slope_of_mechanical,
    without_intervened,
)

Total = Literal["controlled", "mechanical"]
FAMILY = ("H1", "H2", "H3", "H4", "H5a", "H5b")
CLAIMS = {
    "H1": "the training slope of T* is higher in full than in no_playbook",
    "H2": "full beats single_prompt on the training mean of T*",
    "H3": "on fictional eras judged leakage does not differ between conditions",
    "H4": "the foresight-commitment gap is positive in every condition",
    "H5a": "removing the Red Team raises the pivot rate",
    "H5b": "removing the Red Team raises frontier capture",
}


@dataclass(frozen=True, slots=True)
class ConditionGap:
    """The mean gap of one condition with its interval over runs and its exact sign-flip test."""

    condition: str
    mean: Measure
    interval: Interval
    test: PermutationTest


@dataclass(frozen=True, slots=True)
class EqualLeakage:
    """H3: each condition against full; p is the largest, since all must pass (intersection-union)."""

    comparisons: dict[str, Equivalence]
    p_value: Measure


@dataclass(frozen=True, slots=True)
class PositiveGap:
    """H4: the gap in each condition; the largest p counts."""

    conditions: tuple[ConditionGap, ...]
    p_value: Measure


@dataclass(frozen=True, slots=True)
class Removal:
    """H5 on the eras of one mode, with the difference in hindsight that it must be read with."""

    mode: Mode
    pivots: Contrast
    capture: Contrast
    leakage: Contrast


@dataclass(frozen=True, slots=True)
class HypothesisTable:
    """All hypotheses of one analysis; `leakage_beside_h5` is the difference in hindsight H5 must be read with.

    `repeated` is H5 again where nothing can be recalled: outside the family, and not adjusted.
    """

    h1: Contrast
    h2: Contrast
    h3: EqualLeakage
    h4: PositiveGap
    h5a: Contrast
    h5b: Contrast
    leakage_beside_h5: Contrast
    repeated: tuple[Removal, ...]
    p_values: dict[str, float | None]
    adjusted: dict[str, float | None]


def playbook_raises_slope(
    runs: Sequence[JudgedRun], *, seed: int, draws: int = DRAWS, total: Total = "controlled"
) -> Contrast:
    """H1 on training slopes, `full` over `no_playbook`; total "mechanical" is its sensitivity check."""
    statistic = slope_of_controlled if total == "controlled" else slope_of_mechanical
    values = run_values(_of_mode(runs, Mode.TRAINING), statistic)
    return contrast_conditions(values, Condition.FULL, Condition.NO_PLAYBOOK, seed=seed, draws=draws)


def organization_raises_mean(
    runs: Sequence[JudgedRun], *, seed: int, draws: int = DRAWS, total: Total = "controlled"
) -> Contrast:
    """H2 on training means, `full` over `single_prompt`; total "mechanical" is its sensitivity check."""
    statistic = mean_of_controlled if total == "controlled" else mean_of_mechanical
    values = run_values(_of_mode(runs, Mode.TRAINING), statistic)
    return contrast_conditions(values, Condition.FULL, Condition.SINGLE_PROMPT, seed=seed, draws=draws)


def leakage_is_equal(runs: Sequence[JudgedRun], *, margin: float) -> EqualLeakage:
    """H3 on run means of the hindsight subscore over fictional eras; `margin` in score points, set beforehand."""
    values = run_values(_of_mode(runs, Mode.FICTIONAL), mean_hindsight)
    others = [name for name in _conditions(values) if name != Condition.FULL]
    comparisons = {name: equivalence_of_conditions(values, name, Condition.FULL, margin) for name in others}
    return EqualLeakage(comparisons, _largest({name: (c.p_value, c.reason) for name, c in comparisons.items()}))


def gap_is_positive(
    runs: Sequence[JudgedRun], *, seed: int, draws: int = DRAWS, mode: Mode = Mode.TRAINING
) -> PositiveGap:
    """H4 on run means of the gap: exact sign-flip over the runs of each condition."""
    values = run_values(_of_mode(runs, mode), mean_gap)
    gaps = tuple(_condition_gap(name, values, seed, draws) for name in _conditions(values))
    return PositiveGap(gaps, _largest({gap.condition: (gap.test.p_value, gap.test.reason) for gap in gaps}))


def removal_raises_pivots(
    runs: Sequence[JudgedRun], *, seed: int, draws: int = DRAWS, mode: Mode | None = None
) -> Contrast:
    """H5a on pivot rates, `no_red_team` over `full`, over all eras of a run or those of one mode."""
    values = run_values(runs if mode is None else _of_mode(runs, mode), pivot_rate)
    return contrast_conditions(values, Condition.NO_RED_TEAM, Condition.FULL, seed=seed, draws=draws)


def removal_raises_capture(
    runs: Sequence[JudgedRun], *, seed: int, draws: int = DRAWS, mode: Mode = Mode.TRAINING
) -> Contrast:
    """H5b on frontier capture, `no_red_team` over `full`; repeat it on fictional and post_cutoff eras."""
    values = capture_values(_of_mode(runs, mode))
    return contrast_conditions(values, Condition.NO_RED_TEAM, Condition.FULL, seed=seed, draws=draws)


def leakage_beside_removal(
    runs: Sequence[JudgedRun], *, seed: int, draws: int = DRAWS, mode: Mode = Mode.TRAINING
) -> Contrast:
    """Difference in hindsight subscores, `no_red_team` over `full`: removing the patrol may raise recall (H5)."""
    values = run_values(_of_mode(runs, mode), mean_hindsight)
    return contrast_conditions(values, Condition.NO_RED_TEAM, Condition.FULL, seed=seed, draws=draws)


def repeat_removal(runs: Sequence[JudgedRun], *, seed: int, draws: int = DRAWS) -> tuple[Removal, ...]:
    """H5 again on fictional and on post-cutoff eras, where there are any: nothing can be recalled there."""
    there = {era.mode for run in runs for era in run.eras}
    return tuple(
        Removal(
            mode,
            removal_raises_pivots(runs, seed=seed, draws=draws, mode=mode),
            removal_raises_capture(runs, seed=seed, draws=draws, mode=mode),
            leakage_beside_removal(runs, seed=seed, draws=draws, mode=mode),
        )
        for mode in (Mode.FICTIONAL, Mode.POST_CUTOFF)
        if mode in there
    )


def judge_hypotheses(
    runs: Sequence[JudgedRun], *, margin: float, seed: int, draws: int = DRAWS, total: Total = "controlled"
) -> HypothesisTable:
    """Judge H1-H5 on all runs of a study, each compared within its schedule, and adjust p over the family."""
    real = [run for run in runs if all(era.mode is not Mode.FICTIONAL for era in run.eras)]
    h1 = playbook_raises_slope(real, seed=seed, draws=draws, total=total)
    h2 = organization_raises_mean(real, seed=seed, draws=draws, total=total)
    h3 = leakage_is_equal(runs, margin=margin)
    h4 = gap_is_positive(real, seed=seed, draws=draws)
    h5a = removal_raises_pivots(real, seed=seed, draws=draws)
    h5b = removal_raises_capture(real, seed=seed, draws=draws)
    found = (h1.test.p_value, h2.test.p_value, h3.p_value.value, h4.p_value.value, h5a.test.p_value, h5b.test.p_value)
    p_values = dict(zip(FAMILY, found, strict=True))
    beside = leakage_beside_removal(real, seed=seed, draws=draws)
    repeated = repeat_removal(runs, seed=seed, draws=draws)
    return HypothesisTable(h1, h2, h3, h4, h5a, h5b, beside, repeated, p_values, adjust_holm(p_values))


def judge_without_interventions(
    runs: Sequence[JudgedRun], *, margin: float, seed: int, draws: int = DRAWS, total: Total = "controlled"
) -> HypothesisTable:
    """The same without eras and runs that carry an intervention: shown beside the main analysis."""
    return judge_hypotheses(without_intervened(runs), margin=margin, seed=seed, draws=draws, total=total)


def _of_mode(runs: Sequence[JudgedRun], mode: Mode) -> list[JudgedRun]:
    return [kept for run in runs if (kept := run.of_mode(mode)).eras]


def _conditions(values: Sequence[RunValue]) -> list[str]:
    return sorted({value.condition for value in values})


def _condition_gap(name: str, values: Sequence[RunValue], seed: int, draws: int) -> ConditionGap:
    inside = [value for value in values if value.condition == name]
    mean, interval = mean_with_interval(inside)
    numbers = [value.measure.value for value in inside if value.measure.value is not None]
    return ConditionGap(name, mean, interval, flip_signs(numbers, seed=seed, draws=draws))


def _largest(found: dict[str, tuple[float | None, str | None]]) -> Measure:
    if not found:
        return undefined("there is no condition to test")
    for name, (p, reason) in found.items():
        if p is None:
            return undefined(f"{name}: {reason}", len(found))
    return Measure(max(p for p, _ in found.values() if p is not None), len(found))
