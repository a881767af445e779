"""Checks of a judge as statistics: retest, swap, padding, self-preference, outcome flip, false positives, blindness."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, betaincinv

from app.domain.agreement.blinding import bang_indices
from app.domain.agreement.estimate import Estimate
from app.domain.audit.shifts import ScorePair, Shift, shift_of
from app.domain.inference.intervals import Interval
from app.domain.inference.permutation import PermutationTest, permute_within_strata, split_strata
from app.domain.scoring.correlations import pearson_r
from app.domain.scoring.measures import Measure, mean_of, undefined

Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Retest:
    """The same decisions judged again: spread within a decision, in points.

    ``within_sd`` is the root of the mean variance; ``repeatability`` the difference that two judgements of one decision
    stay within 95 times in 100 (1.96 √2 within_sd; Bland and Altman 1999, Statistical Methods in Medical Research
    8:135, section 3); ``exact`` the share of pairs of judgements that are equal.
    """

    decisions: int
    judgements: int
    within_sd: Measure
    repeatability: Measure
    exact: Measure


@dataclass(frozen=True, slots=True)
class Swap:
    """A judge against one of another family on the same decisions: ``shift`` is first less second judge."""

    shift: Shift
    correlation: Measure


@dataclass(frozen=True, slots=True)
class OwnText:
    """One text scored by a judge and by one of another family; ``own`` if the first judge's model wrote it."""

    run: str
    own: bool
    by_judge: float
    by_other: float


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """How much more a judge than another gives its own model's texts, beyond what it gives others'.

    ``preference`` is a difference of differences in points; ``test`` permutes which texts are its own.
    """

    preference: Measure
    own: Measure
    others: Measure
    test: PermutationTest


@dataclass(frozen=True, slots=True)
class JudgedFiction:
    """One fictional era as judged: the hindsight subscore (10 = none) and how many passages were marked."""

    run: str
    hindsight: int
    leaks: int


@dataclass(frozen=True, slots=True)
class FalsePositives:
    """Judged leakage where none is possible: every point and every mark is false.

    ``marked`` is the share of eras with a marked passage, with an exact interval; ``shortfall`` is 10 less the mean
    hindsight subscore.
    """

    eras: int
    marked: Measure
    interval: Interval
    shortfall: Measure
    marks: Measure


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess at what was hidden; ``guessed`` None is "cannot tell"."""

    run: str
    truth: str
    guessed: str | None


@dataclass(frozen=True, slots=True)
class Blindness:
    """Guesses against chance: share right of all, p one-sided against 1 in ``arms``, and Bang's index by arm.

    ``best_constant`` is the share that always naming the most frequent arm would get: a guesser is not blind only
    if it beats both.
    """

    guesses: int
    arms: int
    right: Measure
    chance: float | None
    best_constant: float | None
    p_value: float | None
    indices: Mapping[str, Estimate]


def retest(judgements: Iterable[Sequence[float]]) -> Retest:
    """Spread of repeated judgements, one sequence of scores a decision; a single judgement is left out."""
    repeated = [list(each) for each in judgements if len(each) > 1]
    if not repeated:
        none = undefined("no decision was judged twice")
        return Retest(0, 0, none, none, none)
    n = sum(len(each) for each in repeated)
    variance = math.fsum(float(np.var(each, ddof=1)) for each in repeated) / len(repeated)
    within = math.sqrt(variance)
    pairs = [(a, b) for each in repeated for i, a in enumerate(each) for b in each[i + 1 :]]
    equal = sum(math.isclose(a, b, abs_tol=1e-9) for a, b in pairs) / len(pairs)
    return Retest(
        len(repeated), n, Measure(within, n), Measure(Z95 * math.sqrt(2) * within, n), Measure(equal, len(pairs))
    )


def swap(pairs: Iterable[ScorePair], *, seed: int) -> Swap:
    """A judge (first) against a judge of another family (second) on the same decisions."""
    kept = list(pairs)
    return Swap(shift_of(kept, seed=seed), pearson_r([(pair.first, pair.second) for pair in kept]))


def padding(pairs: Iterable[ScorePair], *, seed: int) -> Shift:
    """Points that padding adds: the padded decision (first) less the same decision as it was (second)."""
    return shift_of(pairs, seed=seed)


def outcome_flip(pairs: Iterable[ScorePair], *, seed: int) -> Shift:
    """Points that the outcome adds: under the kinder reveal (first) less under the harsher one (second).

    The decision is the same, so that a judge of decisions gives 0; what is left is outcome bias.
    """
    return shift_of(pairs, seed=seed)


def self_preference(texts: Sequence[OwnText], *, seed: int) -> SelfPreference:
    """(judge less other judge) on the judge's own writing, less the same on others' writing; texts averaged by run."""
    grouped: dict[tuple[str, bool], list[float]] = defaultdict(list)
    for text in texts:
        grouped[text.run, text.own].append(text.by_judge - text.by_other)
    keys = sorted(grouped)
    means = [math.fsum(grouped[key]) / len(grouped[key]) for key in keys]
    own = mean_of([value for key, value in zip(keys, means, strict=True) if key[1]], "text of its own")
    others = mean_of([value for key, value in zip(keys, means, strict=True) if not key[1]], "text of another's")
    labels = np.array([key[1] for key in keys], dtype=np.bool_)
    strata = split_strata(np.array(means, dtype=np.float64), labels, ["all"] * len(keys))
    test = permute_within_strata(strata, seed=seed)
    if own.value is None or others.value is None:
        return SelfPreference(undefined(own.reason or others.reason or ""), own, others, test)
    return SelfPreference(Measure(own.value - others.value, len(keys)), own, others, test)


def false_positives(eras: Sequence[JudgedFiction]) -> FalsePositives:
    """Judged leakage on fictional eras. Interval: Clopper and Pearson 1934, Biometrika 26:404."""
    n = len(eras)
    if not n:
        none = undefined("no fictional era was judged")
        return FalsePositives(0, none, Interval(None, "not computed", none.reason), none, none)
    marked = sum(era.leaks > 0 for era in eras)
    low = float(betaincinv(marked, n - marked + 1, 0.025)) if marked else 0.0
    high = float(betaincinv(marked + 1, n - marked, 0.975)) if marked < n else 1.0
    method = "Clopper-Pearson; eras of one run are not independent"
    return FalsePositives(
        eras=n,
        marked=Measure(marked / n, n),
        interval=Interval((low, high), method),
        shortfall=mean_of([10 - era.hindsight for era in eras]),
        marks=mean_of([era.leaks for era in eras]),
    )


def blindness(guesses: Sequence[Guess], arms: Sequence[str]) -> Blindness:
    """Guesses at condition, model or run against chance, with Bang's index by arm (clusters are runs).

    "Cannot tell" counts as not right. Raises ValueError for fewer than two arms or a truth that is none of them.
    """
    if len(set(arms)) < 2:
        raise ValueError(f"arms: blindness needs two or more to tell apart, not {len(set(arms))}")
    strange = sorted({guess.truth for guess in guesses} - set(arms))
    if strange:
        raise ValueError(f"guesses: {strange[0]} is not one of the arms {', '.join(arms)}")
    if not guesses:
        return Blindness(0, len(set(arms)), undefined("there is no guess"), None, None, None, {})
    right = sum(guess.guessed == guess.truth for guess in guesses)
    n, chance = len(guesses), 1 / len(set(arms))
    most = Counter(guess.truth for guess in guesses).most_common(1)[0][1]
    p_value = float(bdtrc(right - 1, n, chance))
    return Blindness(
        n, len(set(arms)), Measure(right / n, n), chance, most / n, p_value, _indices(guesses, len(set(arms)))
    )


def _indices(guesses: Sequence[Guess], offered: int) -> Mapping[str, Estimate]:
    """Bang's index by arm, with chance 1 in ``offered``; there is none where all that was hidden is one arm."""
    truth = [guess.truth for guess in guesses]
    if len(set(truth)) < 2:
        return {}
    codes = {run: code for code, run in enumerate(sorted({guess.run for guess in guesses}))}
    clusters = np.array([codes[guess.run] for guess in guesses], dtype=np.int64)
    return bang_indices(truth, [guess.guessed for guess in guesses], clusters, offered=offered)
