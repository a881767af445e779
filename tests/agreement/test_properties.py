"""What must hold for any ratings."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike

from app.domain.agreement import agreement
from app.domain.agreement.measure import Floats
from app.domain.agreement.report import DimensionAgreement
from tests.agreement.vectors import planted

RATINGS = arrays(
    np.float64,
    st.tuples(st.integers(6, 14), st.integers(2, 4)),
    elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, float("nan")]),
)
FEW = settings(max_examples=40, deadline=None)


def report(values: ArrayLike, **options: Any) -> DimensionAgreement:
    return agreement(values, **{"scale": (0, 10), "resamples": 0, **options}).dimensions["value"]


def numbers(found: DimensionAgreement) -> dict[str, float | None]:
    return {name: one.value for name, one in found.statistics.items()}


def same(left: dict[str, float | None], right: dict[str, float | None], tolerance: float = 1e-6):
    assert left.keys() == right.keys()
    for name, value in left.items():
        assert (value is None) == (right[name] is None), name
        if value is not None:
            assert right[name] == pytest.approx(value, abs=tolerance), name


@FEW
@given(values=RATINGS, seed=st.integers(0, 1000))
def test_order_of_items_and_raters_changes_nothing(values: Floats, seed: int):
    generator = np.random.default_rng(seed)
    items, raters = (generator.permutation(size) for size in values.shape)
    same(numbers(report(values)), numbers(report(values[items][:, raters])), 1e-4)


@FEW
@given(values=RATINGS, seed=st.integers(0, 1000))
def test_relabelling_categories_leaves_nominal_statistics(values: Floats, seed: int):
    names = dict(zip([0, 1, 2, 3, 5, 8, 10], np.random.default_rng(seed).permutation(11)[:7], strict=True))
    relabelled = np.array([[names.get(value, np.nan) for value in row] for row in values], dtype=float)
    left, right = numbers(report(values)), numbers(report(relabelled))
    nominal = ("alpha_nominal", "ac1", "exact")
    same({name: left[name] for name in nominal}, {name: right[name] for name in nominal})


@FEW
@given(values=RATINGS)
def test_intervals_contain_their_estimate_and_no_number_is_nan(values: Floats):
    found = report(values, resamples=20)
    statistics = [*found.statistics.values(), *(one for pair in found.pairs for one in pair.statistics.values())]
    for one in statistics:
        assert one.value is not None or one.reason
        assert one.value is None or np.isfinite(one.value)
        assert one.ci95 is not None or one.reason
        for bounds in (one.ci95, *(other.bounds for other in one.others if "bootstrap" in other.method)):
            if bounds is not None:
                assert bounds[0] <= one.value + 1e-9
                assert one.value - 1e-9 <= bounds[1]


@pytest.mark.parametrize("seed", range(4))
def test_repeating_the_data_as_new_clusters_halves_the_interval(seed: int):
    values, runs = planted(60, seed=seed), np.arange(60) // 3
    once = report(values, clusters=runs)
    four = report(np.tile(values, (4, 1)), clusters=np.concatenate([runs + 100 * copy for copy in range(4)]))
    for name in ("alpha_interval", "alpha_ordinal", "icc_a1", "icc_c1", "ac2_quadratic", "kendall_w", "mad", "sem"):
        first, second = once.statistics[name], four.statistics[name]
        assert second.value == pytest.approx(first.value, abs=2 / 60)
        share = (second.ci95[1] - second.ci95[0]) / (first.ci95[1] - first.ci95[0])
        assert share == pytest.approx(0.48, abs=0.08), name


@pytest.mark.parametrize("seed", range(4))
def test_shifting_one_rater_changes_agreement_and_not_consistency(seed: int):
    values = planted(40, seed=seed)
    shifted = values + np.array([0, 0, 1])
    once, moved = report(values, scale=None), report(shifted, scale=None)
    assert moved.statistics["icc_c1"].value == pytest.approx(once.statistics["icc_c1"].value, abs=1e-9)
    assert abs(moved.statistics["icc_a1"].value - once.statistics["icc_a1"].value) > 1e-3
    gain = moved.severity["rater 3"].value - once.severity["rater 3"].value
    assert gain == pytest.approx(2 / 3)


@pytest.mark.parametrize("seed", range(4))
def test_a_miss_of_three_points_costs_more_than_a_miss_of_one(seed: int):
    truth = np.clip(np.round(np.random.default_rng(seed).normal(5, 2, (60, 1))), 0, 7) + np.zeros(3)
    one, three = truth.copy(), truth.copy()
    one[:10, 0] += 1
    three[:10, 0] += 3
    for name in ("alpha_interval", "alpha_ordinal", "icc_a1", "ac2_quadratic"):
        assert report(three).statistics[name].value < report(one).statistics[name].value < 1


def test_perfect_agreement_has_no_interval_but_a_reason():
    found = report(np.repeat(np.arange(10.0), 2)[:, None] + np.zeros(3))
    assert found.statistics["alpha_interval"].value == 1
    assert found.statistics["alpha_interval"].ci95 is None
    assert "no spread" in found.statistics["alpha_interval"].reason


def test_a_complete_reml_is_the_analysis_of_variance():
    values = planted(50, seed=9, severity=(-0.5, 0, 1))
    complete = report(values).statistics
    values[:8, 0] = np.nan
    reml = report(values).statistics
    assert reml["icc_a1"].method.startswith("REML")
    assert reml["icc_a1"].value == pytest.approx(complete["icc_a1"].value, abs=0.05)
