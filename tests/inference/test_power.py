"""Power and smallest effects."""

import numpy as np
import pytest
from scipy import stats

from app.domain.inference.permutation import flip_signs
from app.domain.inference.power import equivalence_power, flip_power, one_sided_power, smallest_effect


@pytest.mark.parametrize(("n", "effect"), [(3, 2.0), (5, 1.0), (10, 0.0), (10, 0.9), (40, 0.3)])
def test_power_is_that_of_the_noncentral_t(n: int, effect: float):
    critical = stats.t.ppf(0.95, n - 1)

    assert one_sided_power(n, 2 * effect, 2.0) == pytest.approx(
        stats.nct.sf(critical, n - 1, effect * n**0.5), abs=1e-5
    )


@pytest.mark.parametrize("n", [5, 8, 12, 13, 50])
def test_the_smallest_effect_is_found_with_the_power_asked_for(n: int):
    assert flip_power(n, smallest_effect(n, 3.0), 3.0) == pytest.approx(0.8, abs=1e-3)


def test_a_strict_test_needs_more_than_one_sd():
    effect = smallest_effect(13, 1.0, alpha=0.001, power=0.999)

    assert effect > 1
    assert flip_power(13, effect, 1.0, 0.001) == pytest.approx(0.999, abs=1e-6)


@pytest.mark.parametrize("effect", [0.8, 1.8])
def test_power_of_five_differences_is_that_all_are_positive(effect: float):
    assert flip_power(5, effect, 1.0) == pytest.approx(stats.norm.cdf(effect) ** 5, abs=0.015)


@pytest.mark.parametrize(("n", "alpha"), [(7, 0.05), (8, 0.05 / 6)])
def test_power_is_how_often_the_exact_test_rejects(n: int, alpha: float):
    samples = np.random.default_rng(11).normal(0.9, 1.0, size=(2_000, n))
    found = [flip_signs(list(sample), seed=1).p_value for sample in samples]

    rejected = np.mean([p is not None and p <= alpha for p in found])
    assert flip_power(n, 0.9, 1.0, alpha) == pytest.approx(rejected, abs=0.03)


def test_enumeration_meets_the_t_test():
    assert flip_power(12, 0.8, 1.0) == pytest.approx(one_sided_power(12, 0.8, 1.0), abs=0.015)


def test_too_few_differences_can_never_reject():
    assert flip_power(4, 9.0, 1.0) == 0.0
    with pytest.raises(ValueError, match="smallest possible p"):
        smallest_effect(4, 1.0)


@pytest.mark.parametrize("power", [0.01, 0.05, 1.0])
def test_power_lies_between_alpha_and_one(power: float):
    with pytest.raises(ValueError, match="power"):
        smallest_effect(10, 1.0, power=power)


def test_equivalence_at_the_margin_rejects_in_alpha():
    assert equivalence_power(30, 1.0, 2.0, difference=2.0) == pytest.approx(0.05, abs=1e-4)


def test_five_runs_an_arm_have_almost_no_power_at_one_point():
    assert equivalence_power(5, 1.02 * 2**0.5, 1.0) < 0.1
    assert equivalence_power(50, 1.02 * 2**0.5, 1.0) > 0.95
