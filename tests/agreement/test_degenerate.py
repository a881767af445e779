"""Ratings that leave coefficients undefined, or defined against intuition."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from app.domain.agreement import agreement
from app.domain.agreement.report import DimensionAgreement
from tests.agreement.vectors import DEGENERATE, planted

COEFFICIENTS = ("alpha_interval", "alpha_ordinal", "alpha_nominal", "icc_a1", "icc_ak", "icc_c1", "icc_ck")


def report(values: ArrayLike, **options: Any) -> DimensionAgreement:
    return agreement(np.asarray(values, dtype=float), **{"scale": (0, 10), "resamples": 50, **options}).dimensions[
        "value"
    ]


def test_without_variation_coefficients_are_undefined_with_a_reason():
    found = report(DEGENERATE["all_identical"])
    for name in (*COEFFICIENTS, "kendall_w"):
        assert found.statistics[name].value is None
        assert found.statistics[name].reason == "no variation: every rating is the same"
    assert all(pair.statistics["kappa_quadratic"].value is None for pair in found.pairs)
    assert found.statistics["exact"].value == 1
    assert found.statistics["ac2_quadratic"].value == 1
    assert found.statistics["exact"].ci95 is None
    assert found.notes[0].startswith("No variation")


def test_one_disagreement_makes_alpha_exactly_zero():
    found = report(DEGENERATE["one_disagreement"])
    for name in COEFFICIENTS:
        assert found.statistics[name].value == 0
        assert found.statistics[name].ci95 is None
    assert found.statistics["ac2_quadratic"].value == pytest.approx(0.99878, abs=1e-5)
    assert "too restricted" in found.notes[0]


def test_without_overlap_nothing_is_compared():
    found = report(DEGENERATE["no_overlap"])
    assert {one.reason for one in found.statistics.values()} == {"no item has two ratings"}
    assert found.notes == ["No item has two ratings: nothing can be compared."]
    assert found.pairs[0].statistics["bias"].reason == "the two raters share no item"
    assert found.severity == {}


def test_a_constant_rater_has_kappa_zero_and_is_named():
    found = report(DEGENERATE["one_rater_constant"])
    assert found.statistics["alpha_interval"].value == pytest.approx(0.2413793103448275)
    assert found.pairs[0].statistics["kappa_quadratic"].value == 0
    assert found.pairs[0].statistics["spearman"].reason == "a rater gave the same value throughout"
    assert any("rater 1 gave 7 to every item" in note for note in found.notes)


def test_a_missing_cell_keeps_its_item():
    found = report(DEGENERATE["missing_cell"])
    assert found.statistics["alpha_interval"].value == pytest.approx(0.31937172774869116)
    assert found.statistics["alpha_interval"].n == 4
    assert found.statistics["icc_a1"].method.startswith("REML")
    assert any("Only 3 of 4" in note for note in found.notes)


def test_ceiling_shows_the_four_numbers_together():
    generator = np.random.default_rng(4)
    values = np.where(generator.random((120, 3)) < 0.2, 9, 10)
    found = report(values)
    assert found.statistics["within_1"].value == 1
    assert found.statistics["alpha_interval"].value < 0.4
    note = found.notes[0]
    assert all(word in note for word in ("alpha", "AC2", "within one point", "standard deviation"))


def test_negative_values_are_given_as_computed():
    values = [[1, 9, 5], [9, 1, 5], [2, 8, 5], [8, 2, 5], [1, 8, 4], [9, 2, 6]]
    found = report(values)
    assert found.statistics["alpha_interval"].value < 0
    assert found.statistics["icc_a1"].value < 0
    assert any("below 0" in note for note in found.notes)


def test_unused_categories_count_as_declared():
    values = planted(40, seed=3) / 2 + 3
    found = report(np.round(values))
    assert any(note.startswith("Never used on the declared scale") for note in found.notes)
    detected = report(np.round(values), scale=None)
    assert detected.statistics["ac2_quadratic"].value < found.statistics["ac2_quadratic"].value
    assert any("not declared" in note for note in detected.notes)


def test_a_fully_used_scale_needs_no_word():
    values = np.repeat(np.arange(11.0), 2)[:, None] + np.zeros(3)
    values[::2, 1] = np.clip(values[::2, 1] + 1, 0, 10)
    assert not any("scale" in note for note in report(values).notes)


def test_fewer_than_six_runs_give_no_interval():
    found = report(planted(25, seed=1), clusters=np.arange(25) // 5)
    assert found.clusters == 5
    assert found.statistics["alpha_interval"].ci95 is None
    assert "no between-run interval" in found.statistics["alpha_interval"].reason
    assert found.statistics["alpha_interval"].others[0].bounds is not None
    assert any("Fewer than six runs (G = 5)" in note for note in found.notes)


def test_two_raters_and_a_rater_missing_half_are_named():
    values = planted(40, 2, seed=2)
    values[20:, 1] = np.nan
    found = report(values)
    assert any(note.startswith("Two raters") for note in found.notes)
    assert "rater 2 rated 20 of 40 items." in found.notes
    assert found.usage.single == 20


def test_one_rater_alone_has_no_agreement():
    found = report(planted(10, 1))
    assert found.statistics["alpha_interval"].reason == "one rater only: agreement needs two"
    assert found.statistics["icc_a1"].reason == "one rater only: agreement needs two"
    assert found.pairs == []


def test_ratings_between_the_steps_leave_ac_undefined():
    found = report(planted(20, seed=5) * 0.9 + 0.25)
    assert "between the steps" in found.statistics["ac1"].reason
    assert found.statistics["alpha_interval"].value is not None


def test_raters_who_never_meet_everybody():
    values = planted(30, 3, seed=6)
    values[:10, 0] = values[10:20, 1] = values[20:, 2] = np.nan
    found = report(values)
    assert found.statistics["kendall_w"].reason == "no item was rated by everybody"
    assert found.statistics["alpha_interval"].value is not None
    assert found.statistics["icc_a1"].value is not None


def test_two_raters_sharing_one_item_have_no_limits():
    found = report([[3, 4], [5, np.nan], [np.nan, 6], [7, np.nan]])
    pair = found.pairs[0].statistics
    assert pair["bias"].value == -1
    assert pair["loa_low"].reason == "the two raters share too few items"


def test_a_rater_who_never_came_is_left_out_and_named():
    values = np.column_stack([planted(20, 2), np.full(20, np.nan)])
    found = report(values, repeats={"value": values}, positions={"value": values})
    assert found.statistics["icc_a1"].method.startswith("two-way ANOVA")
    assert found.usage.by_rater == {"rater 1": 20, "rater 2": 20, "rater 3": 0}
    assert "No rating from rater 3: left out of every statistic." in found.notes
    assert [pair.raters for pair in found.pairs] == [("rater 1", "rater 2")]
    assert set(found.drift) == {"rater 1", "rater 2"}


def test_a_rater_alone_on_his_items_has_no_severity():
    values = np.column_stack([planted(20, 2), np.full(20, np.nan)])
    values = np.vstack([values, [[np.nan, np.nan, 5.0]]])
    assert set(report(values).severity) == {"rater 1", "rater 2"}


def test_a_few_incomplete_items_are_counted():
    values = planted(40)
    values[3, 1] = np.nan
    found = report(values)
    assert found.statistics["icc_a1"].n == 39
    assert any("use the 39 complete items of 40" in note for note in found.notes)
