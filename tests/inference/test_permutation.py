"""Permutation within strata and sign flips."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.inference.permutation import (
    flip_signs,
    permute_within_strata,
    split_strata,
    stratified_difference,
)

scores = st.integers(-50, 50).map(float)
pairs = st.lists(st.tuples(scores, scores), min_size=1, max_size=7)


def paired(differences: list[tuple[float, float]]):
    values = np.array([value for pair in differences for value in pair], dtype=np.float64)
    labels = np.array([True, False] * len(differences))
    return split_strata(values, labels, [block for block in range(len(differences)) for _ in range(2)])


def test_all_differences_positive_gives_the_smallest_p():
    test = permute_within_strata(paired([(3, 1), (5, 2), (9, 4), (2, 1)]), seed=1)

    assert test.p_value == 2**-4
    assert test.statistic == pytest.approx((2 + 3 + 5 + 1) / 4)
    assert test.is_exact
    assert test.method == "exact, 16 arrangements"


def test_strata_of_several_runs_are_enumerated():
    values = np.array([4.0, 3.0, 1.0, 0.0, 9.0, 2.0])
    labels = np.array([True, True, False, False, True, False])
    strata = split_strata(values, labels, ["a", "a", "a", "a", "b", "b"])
    test = permute_within_strata(strata, seed=1)

    assert test.arrangements == math.comb(4, 2) * 2
    assert test.statistic == pytest.approx((1.0 * 3.0 + 0.5 * 7.0) / 1.5)
    assert test.p_value == 1 / 12


def test_strata_with_one_label_are_left_out():
    strata = split_strata(np.array([4.0, 3.0, 1.0]), np.array([True, True, False]), ["a", "b", "b"])

    assert len(strata) == 1
    assert stratified_difference(strata) == 2.0
    assert stratified_difference([]) is None


def test_without_a_contrast_there_is_no_test():
    test = permute_within_strata([], seed=1)

    assert test.p_value is None
    assert test.statistic is None
    assert "no block holds both" in test.method


def test_one_label_and_stratum_per_value():
    with pytest.raises(ValueError, match="one label and stratum per value"):
        split_strata(np.array([1.0]), np.array([True, False]), ["a"])


def test_monte_carlo_states_its_seed_and_comes_near_the_exact_p():
    generator = np.random.default_rng(8)
    strata = paired([(a + 0.5, b) for a, b in generator.normal(size=(10, 2))])
    exact = permute_within_strata(strata, seed=5)
    drawn = permute_within_strata(strata, seed=5, exact_up_to=10, draws=20_000)

    assert not drawn.is_exact
    assert drawn.method == "Monte Carlo, 20,000 arrangements, seed 5"
    assert drawn == permute_within_strata(strata, seed=5, exact_up_to=10, draws=20_000)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.01)


@given(pairs)
def test_permutation_agrees_with_enumeration_by_hand(differences: list[tuple[float, float]]):
    strata = paired(differences)
    numbers = [a - b for a, b in differences]
    sums = [
        sum(sign * d for sign, d in zip(signs, numbers, strict=True)) for signs in product((1, -1), repeat=len(numbers))
    ]
    expected = sum(total >= sum(numbers) - 1e-6 for total in sums) / len(sums)

    assert permute_within_strata(strata, seed=0).p_value == pytest.approx(expected)
    assert flip_signs(numbers, seed=0).p_value == pytest.approx(expected)


@given(pairs, st.integers(-20, 20))
def test_a_shift_of_a_whole_block_changes_nothing(differences: list[tuple[float, float]], shift: float):
    moved = [(a + shift * i, b + shift * i) for i, (a, b) in enumerate(differences)]

    assert permute_within_strata(paired(differences), seed=0).p_value == pytest.approx(
        permute_within_strata(paired(moved), seed=0).p_value
    )


def test_sign_flips_of_no_values_are_undefined():
    assert flip_signs([], seed=1).reason == "there is no run to test"


def test_sign_flips_of_zeros_never_reject():
    assert flip_signs([0.0, 0.0, 0.0], seed=1).p_value == 1.0


def test_sign_flips_by_monte_carlo_come_near_the_exact_p():
    values = list(np.random.default_rng(4).normal(0.4, 1, size=12))
    exact = flip_signs(values, seed=1)
    drawn = flip_signs(values, seed=1, exact_up_to=100, draws=20_000)

    assert drawn.seed == 1
    assert exact.seed is None
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.01)
