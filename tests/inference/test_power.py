"""Power and smallest effects."""

import pytest
from scipy import stats

from app.domain.inference.power import equivalence_power, one_sided_power, smallest_effect


@pytest.mark.parametrize(("n", "effect"), [(3, 2.0), (5, 1.0), (10, 0.0), (10, 0.9), (40, 0.3)])
def test_power_is_that_of_the_noncentral_t(n: int, effect: float):
    critical = stats.t.ppf(0.95, n - 1)

    assert one_sided_power(n, 2 * effect, 2.0) == pytest.approx(
        stats.nct.sf(critical, n - 1, effect * n**0.5), abs=1e-5
    )


@pytest.mark.parametrize("n", [2, 5, 10, 50])
def test_the_smallest_effect_is_found_with_the_power_asked_for(n: int):
    assert one_sided_power(n, smallest_effect(n, 3.0), 3.0) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("power", [0.01, 0.05, 1.0])
def test_power_lies_between_alpha_and_one(power: float):
    with pytest.raises(ValueError, match="power"):
        smallest_effect(10, 1.0, power=power)


def test_equivalence_at_the_margin_rejects_in_alpha():
    assert equivalence_power(30, 1.0, 2.0, difference=2.0) == pytest.approx(0.05, abs=1e-4)


def test_five_runs_an_arm_have_almost_no_power_at_one_point():
    assert equivalence_power(5, 1.02 * 2**0.5, 1.0) < 0.1
    assert equivalence_power(50, 1.02 * 2**0.5, 1.0) > 0.95
