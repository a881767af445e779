"""Two one-sided tests."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.domain.inference.equivalence import two_one_sided_tests

differences = st.lists(st.integers(-30, 30).map(float), min_size=2, max_size=12).filter(lambda d: len(set(d)) > 1)


def test_agrees_with_two_t_tests():
    values = np.random.default_rng(1).normal(0.1, 1, size=14)
    found = two_one_sided_tests(list(values), 1.0)
    above = stats.ttest_1samp(values, -1.0, alternative="greater").pvalue
    below = stats.ttest_1samp(values, 1.0, alternative="less").pvalue

    assert found.p_value == pytest.approx(max(above, below))
    assert found.difference == pytest.approx(values.mean())


@given(differences, st.integers(1, 20).map(float))
def test_interval_lies_within_the_margin_exactly_when_p_rejects(values: list[float], margin: float):
    found = two_one_sided_tests(values, margin)
    assert found.p_value is not None
    if len(values) < 6:
        assert found.interval is None
    elif abs(found.p_value - 0.05) > 1e-9:
        low, high = found.interval
        assert (found.p_value < 0.05) == (-margin < low and high < margin)


@given(differences, st.integers(1, 20).map(float))
def test_a_wider_margin_never_raises_p_and_signs_do_not_matter(values: list[float], margin: float):
    p = two_one_sided_tests(values, margin).p_value

    assert two_one_sided_tests(values, margin + 1).p_value <= p + 1e-12
    assert two_one_sided_tests([-value for value in values], margin).p_value == pytest.approx(p)


@pytest.mark.parametrize(
    ("values", "reason"),
    [([], "there is none"), ([1.0], "there is one"), ([0.5, 0.5, 0.5], "no spread")],
)
def test_undefined_says_why(values: list[float], reason: str):
    found = two_one_sided_tests(values, 1.0)

    assert found.p_value is None
    assert found.interval is None
    assert reason in (found.reason or "")


@pytest.mark.parametrize("margin", [0.0, -1.0, math.nan, math.inf])
def test_the_margin_is_a_positive_number(margin: float):
    with pytest.raises(ValueError, match="margin"):
        two_one_sided_tests([1.0, 2.0], margin)
