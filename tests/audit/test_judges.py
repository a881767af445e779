"""Judge checks find a planted fault with its size, and none where there is none."""

import random

import pytest
from scipy.stats import kstest

from app.domain.audit.judges import (
    Guess,
    JudgedFiction,
    OwnText,
    blindness,
    false_positives,
    outcome_flip,
    padding,
    retest,
    self_preference,
    swap,
)
from app.domain.audit.shifts import ScorePair, shift_of

RUNS = [f"r{number:02d}" for number in range(12)]


def judged(bias: float, noise: float, seed: int = 1, each: int = 4) -> list[ScorePair]:
    """Decisions scored twice; the first time ``bias`` points higher, with noise of its own each time."""
    chance = random.Random(seed)
    pairs = []
    for run in RUNS:
        level = chance.gauss(6, 1)
        for _ in range(each):
            first, second = level + bias + chance.gauss(0, noise), level + chance.gauss(0, noise)
            pairs.append(ScorePair(run, first, second))
    return pairs


def test_a_planted_outcome_bias_is_found_with_its_size():
    shift = outcome_flip(judged(1.5, 0.5), seed=1)
    assert shift.mean.value == pytest.approx(1.5, abs=0.3)
    assert shift.interval.bounds is not None
    assert shift.interval.bounds[0] < 1.5 < shift.interval.bounds[1]
    assert shift.above.p_value is not None
    assert shift.above.p_value < 0.001
    assert shift.p_value is not None
    assert shift.p_value < 0.001
    assert shift.pairs == 48


def test_a_judge_without_outcome_bias_shows_none():
    shift = outcome_flip(judged(0.0, 0.5), seed=1)
    assert shift.interval.bounds is not None
    assert shift.interval.bounds[0] < 0 < shift.interval.bounds[1]
    assert shift.p_value is not None
    assert shift.p_value > 0.05


def test_without_bias_p_is_uniform_over_many_judges():
    found = [outcome_flip(judged(0.0, 0.5, seed), seed=1).above.p_value for seed in range(150)]
    assert kstest(found, "uniform").pvalue > 0.001


def test_padding_and_swap_are_shifts_too():
    assert padding(judged(0.8, 0.2), seed=1).mean.value == pytest.approx(0.8, abs=0.2)
    swapped = swap(judged(-1.0, 0.3), seed=1)
    assert swapped.shift.mean.value == pytest.approx(-1.0, abs=0.2)
    assert swapped.shift.p_value == pytest.approx(2 * swapped.shift.below.p_value)
    assert swapped.correlation.value > 0.8


def test_pairs_of_one_run_count_as_one():
    pairs = [ScorePair("a", 3, 1), ScorePair("a", 5, 1), ScorePair("b", 2, 1)]
    shift = shift_of(pairs, seed=1)
    assert shift.mean.value == pytest.approx(2.0)
    assert shift.mean.n == 2
    assert shift.interval.bounds is None
    nothing = shift_of([], seed=1)
    assert nothing.mean.value is None
    assert nothing.p_value is None
    assert nothing.interval.reason == "there is no pair of scores"
    assert shift_of(pairs[:1], seed=1).sd.value is None


def test_retest_gives_the_spread_within_a_decision():
    found = retest([[6, 8], [5, 5], [7]])
    # Variances 2 and 0: within-decision SD is 1; one of two pairs is equal.
    assert found.within_sd.value == pytest.approx(1.0)
    assert found.repeatability.value == pytest.approx(2.7718, abs=1e-3)
    assert found.exact.value == pytest.approx(0.5)
    assert (found.decisions, found.judgements) == (2, 4)
    assert retest([[7]]).within_sd.reason == "no decision was judged twice"


def test_self_preference_is_a_difference_of_differences():
    chance = random.Random(3)
    texts = []
    for index, run in enumerate(RUNS):
        own = index < 6
        for _ in range(3):
            level = chance.gauss(6, 1)
            # This judge is half a point kinder to all, and one point more to its own.
            texts.append(OwnText(run, own, level + 0.5 + own + chance.gauss(0, 0.2), level))
    found = self_preference(texts, seed=1)
    assert found.preference.value == pytest.approx(1.0, abs=0.25)
    assert found.others.value == pytest.approx(0.5, abs=0.2)
    assert found.test.p_value is not None
    assert found.test.p_value < 0.01
    assert self_preference(texts[:3], seed=1).preference.reason == "there is no text of another's"
    assert self_preference([], seed=1).preference.reason == "there is no text of its own"


def test_every_mark_on_fiction_is_false():
    eras = [JudgedFiction("a", 10, 0), JudgedFiction("a", 7, 2), JudgedFiction("b", 9, 1), JudgedFiction("b", 10, 0)]
    found = false_positives(eras)
    assert found.marked.value == 0.5
    assert found.interval.bounds == pytest.approx((0.0676, 0.9324), abs=1e-3)
    assert found.shortfall.value == pytest.approx(1.0)
    assert found.marks.value == pytest.approx(0.75)
    clean = false_positives([JudgedFiction("a", 10, 0)] * 10)
    assert clean.interval.bounds == pytest.approx((0.0, 0.3085), abs=1e-3)
    assert false_positives([JudgedFiction("a", 0, 3)] * 10).interval.bounds == pytest.approx((0.6915, 1.0), abs=1e-3)
    assert false_positives([]).marked.reason == "no fictional era was judged"


def test_guesses_are_held_against_chance_and_against_always_saying_the_same():
    arms = ["full", "no_playbook", "no_red_team", "single_prompt"]
    knowing = [Guess(run, arm, arm) for run, arm in zip(RUNS, arms * 3, strict=True)]
    found = blindness(knowing, arms)
    assert found.right.value == 1.0
    assert found.chance == 0.25
    assert found.best_constant == 0.25
    assert found.p_value == pytest.approx(0.25**12)
    assert {estimate.value for estimate in found.indices.values()} == {1.0}
    blind = blindness([Guess(run, arm, None) for run, arm in zip(RUNS, arms * 3, strict=True)], arms)
    assert blind.right.value == 0.0
    assert blind.p_value == pytest.approx(1.0)
    assert {estimate.value for estimate in blind.indices.values()} == {0.0}


def test_an_arm_that_could_be_named_counts_although_none_was_hidden():
    guesses = [Guess("r1", "a", "b"), Guess("r2", "b", "c")]
    found = blindness(guesses, ["a", "b", "c"])
    assert [one.value for one in found.indices.values()] == [-0.5, -0.5], (
        "of three arms a wrong guess is half a right one"
    )


def test_what_cannot_be_guessed_is_refused_or_said():
    assert blindness([], ["a", "b"]).right.reason == "there is no guess"
    assert blindness([Guess("r", "a", "b")], ["a", "b"]).indices == {}
    with pytest.raises(ValueError, match="arms: blindness needs two or more"):
        blindness([], ["a", "a"])
    with pytest.raises(ValueError, match="guesses: c is not one of the arms a, b"):
        blindness([Guess("r", "c", "a")], ["a", "b"])
