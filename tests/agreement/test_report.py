"""The public entry: arguments, weights, repeats, drift, many values, and JSON."""

import json
from typing import Any

import numpy as np
import pytest

from app.domain.agreement import agreement
from app.domain.agreement.alpha import IntervalAlpha
from app.domain.agreement.collapsing import collapsed, collapsing_sensitivity
from app.domain.agreement.estimate import Design
from app.domain.agreement.icc import Anova, spearman_brown
from app.domain.agreement.matrix import matrix_of
from app.domain.agreement.mcgraw_wong import mcgraw_wong
from app.domain.agreement.paired_differences import paired_difference
from app.domain.agreement.points import Points
from app.domain.agreement.words import band
from tests.agreement.vectors import planted, planted_matrix

NAMES = (
    *("alpha_interval", "alpha_ordinal", "alpha_nominal", "icc_a1", "icc_ak", "icc_c1", "icc_ck"),
    *("exact", "within_1", "within_2", "mad", "sem", "sdd", "ac1", "ac2_quadratic", "ac2_linear", "kendall_w"),
)


def test_json_has_every_name_and_plain_numbers():
    ratings = {"depth": planted(40), "candor": planted(40, seed=1)}
    runs = [f"run {number // 4}" for number in range(40)]
    found = json.loads(json.dumps(agreement(ratings, scale=(0, 10), clusters=runs).as_json(), allow_nan=False))
    assert list(found["dimensions"]) == ["depth", "candor"]
    assert found["headline"] == "alpha_interval"
    one = found["dimensions"]["depth"]
    assert (one["n_items"], one["n_raters"], one["n_pairable"], one["clusters"]) == (40, 3, 40, 10)
    for name in NAMES:
        assert {"value", "ci95", "method", "n", "reason"} <= one["statistics"][name].keys()
        assert len(one["statistics"][name]["ci95"]) == 2
    assert [pair["raters"] for pair in one["pairs"]] == [
        ["rater 1", "rater 2"],
        ["rater 1", "rater 3"],
        ["rater 2", "rater 3"],
    ]
    assert set(one["pairs"][0]["statistics"]) == {
        "kappa", "kappa_quadratic", "kappa_linear", "spearman", "bias", "loa_low", "loa_high"
    }  # fmt: skip


def test_the_level_picks_the_headline():
    assert agreement(planted(), level="ordinal", resamples=0).headline == "alpha_ordinal"
    assert agreement(planted(), level="nominal", resamples=0).headline == "alpha_nominal"


def test_complete_independent_items_have_an_f_interval_beside():
    methods = [other.method for other in agreement(planted()).dimensions["value"].statistics["icc_a1"].others]
    assert any("McGraw-Wong" in method for method in methods)
    clustered = agreement(planted(), clusters=np.arange(60) // 5).dimensions["value"].statistics["icc_a1"]
    assert not any("McGraw-Wong" in other.method for other in clustered.others)


def test_mcgraw_wong_needs_variance():
    flat = Anova(matrix_of(np.full((6, 3), 2.0)))
    assert set(mcgraw_wong(flat).values()) == {None}


def test_the_panel_mean_has_no_interval_where_one_rater_has_no_limit():
    assert spearman_brown(-0.5, 3) is None
    values = np.array([[1, 9, 5], [9, 1, 5], [2, 8, 5], [8, 2, 6], [1, 8, 4], [9, 2, 6], [4, 6, 5]], dtype=float)
    found = agreement(values, resamples=0).dimensions["value"].statistics["icc_ak"]
    assert found.ci95 is None
    assert "reaches below -1/(k-1)" in str(found.reason)


def test_weights_give_the_population_beside_the_sample():
    values = planted(40)
    plain = agreement(values, resamples=0, weights=np.full(40, 3.0)).dimensions["value"]
    assert plain.population is not None
    for name, one in plain.population.items():
        assert one.value == pytest.approx(plain.statistics[name].value)
    assert plain.population["alpha_interval"].ci95 == pytest.approx(plain.statistics["alpha_interval"].ci95)
    assert any("unequal probabilities" in note for note in plain.notes)
    doubled = agreement(values, resamples=0, weights=np.where(np.arange(40) < 20, 5.0, 1.0)).dimensions["value"]
    assert doubled.population["alpha_interval"].value != pytest.approx(
        doubled.statistics["alpha_interval"].value, abs=1e-4
    )


def test_whole_weights_are_copies_of_items():
    values = planted(20)
    copies = np.repeat(values, np.where(np.arange(20) < 5, 2, 1), axis=0)
    weighted = agreement(values, resamples=0, weights=np.where(np.arange(20) < 5, 2.0, 1.0)).dimensions["value"]
    copied = agreement(copies, resamples=0, scale=None).dimensions["value"]
    for name in ("mad", "exact", "ac2_quadratic"):
        assert weighted.population[name].value == pytest.approx(copied.statistics[name].value)


def test_words_are_only_compared_as_names():
    values = np.array([[0, 0, 1], [1, 1, 1], [2, 2, 2], [0, 0, 0], [1, 0, 1], [2, 1, 2], [0, 0, 0]], dtype=float)
    found = agreement(values, numeric=False, weights=np.ones(7))
    one = found.dimensions["value"]
    assert found.headline == "alpha_nominal"
    assert one.statistics["alpha_interval"].reason == "the values are names, not numbers"
    assert one.statistics["ac1"].value is not None
    assert one.statistics["within_1"].value is None
    assert one.pairs[0].statistics["kappa"].value is not None
    assert one.pairs[0].statistics["bias"].reason == "the values are names, not numbers"
    assert one.severity == {}


def test_very_many_values_come_without_tables():
    values = np.random.default_rng(0).normal(0, 1, (300, 1)) + np.random.default_rng(1).normal(0, 0.5, (300, 3))
    values[0, 0] = np.nan
    one = agreement(values, resamples=0, weights=np.ones(300)).dimensions["value"]
    assert one.statistics["alpha_interval"].ci95 is not None
    for name in ("alpha_ordinal", "kendall_w"):
        assert one.statistics[name].value > 0.5
        assert "no interval" in str(one.statistics[name].reason)
    assert one.statistics["ac1"].value is None
    assert one.pairs[0].statistics["spearman"].value > 0.5
    assert "too many distinct" in one.pairs[0].statistics["kappa"].reason
    assert one.population["ac1"].value is None
    values[:, 1] = 0.25
    flat = agreement(values, resamples=0).dimensions["value"]
    assert flat.pairs[0].statistics["spearman"].value is None


def test_very_many_equal_ranks_keep_kendall_undefined():
    generator = np.random.default_rng(0)
    values = np.full((400, 2), np.nan)
    values[:200, 0] = generator.normal(size=200)
    values[200:, 1] = generator.normal(size=200)
    values[0] = (0.5, 0.5)
    one = agreement(values, resamples=0).dimensions["value"]
    assert one.statistics["kendall_w"].value is None
    assert one.statistics["alpha_ordinal"].value is None


def test_repeats_and_positions_belong_to_their_dimension():
    values = planted(40)
    repeats = np.full_like(values, np.nan)
    repeats[:8, :2] = values[:8, :2] + 1
    positions = np.tile(np.arange(40.0)[:, None], (1, 3))
    report = agreement(
        {"value": values, "other": values}, positions={"value": positions}, repeats={"value": repeats}, resamples=0
    )
    one = report.dimensions["value"]
    assert list(one.intra_rater) == ["rater 1", "rater 2", "all raters"]
    assert one.intra_rater["rater 1"]["within_sd"].value == pytest.approx(np.sqrt(0.5))
    assert one.intra_rater["all raters"]["shift"].value == 1
    assert one.intra_rater["all raters"]["shift"].n == 16
    assert set(one.drift) == {"rater 1", "rater 2", "rater 3"}
    assert report.dimensions["other"].drift == {}
    json.dumps(report.as_json(), allow_nan=False)
    nothing = agreement(values, repeats={"value": np.full_like(values, np.nan)}, resamples=0)
    assert nothing.dimensions["value"].intra_rater == {}


def test_a_drifting_rater_is_found():
    values = planted(60, noise=0.5) + 0.0
    positions = np.tile(np.random.default_rng(0).permutation(60)[:, None].astype(float), (1, 3))
    values[:, 2] += positions[:, 2] * 0.05
    drift = agreement(values, positions={"value": positions}, resamples=0).dimensions["value"].drift
    assert drift["rater 3"].ci95[0] > 0.3
    same = agreement(values, positions={"value": np.ones((60, 3))}, resamples=0).dimensions["value"].drift
    assert same["rater 1"].reason == "too few positions with another rating to compare"


def test_coarser_scales_keep_the_order():
    matrix = planted_matrix()
    assert set(np.unique(collapsed(matrix, (0, 10), 3).values)) <= {0, 1, 2}
    found = collapsing_sensitivity(matrix, (0, 10))
    assert list(found) == [2, 3, 5]
    assert list(collapsing_sensitivity(matrix, (0, 3))) == [2, 3]
    flat = collapsing_sensitivity(matrix_of(np.full((6, 2), 5.0)), (0, 10))
    assert flat[2]["alpha_interval"] is None


def test_paired_differences_of_two_panels():
    first, second = planted_matrix(seed=1), planted_matrix(seed=1)
    noisy = second.with_values(second.values + np.random.default_rng(0).normal(0, 2, second.values.shape))
    design = Design(first.clusters, "run")
    found = paired_difference(IntervalAlpha(first), IntervalAlpha(noisy), ["alpha_interval", "icc_a1"], design)
    assert found["alpha_interval"].ci95[0] > 0
    assert found["icc_a1"].reason == "only one of the two sides has this statistic"
    equal = paired_difference(IntervalAlpha(first), IntervalAlpha(second), ["alpha_interval"], design)
    assert equal["alpha_interval"].value == 0
    with pytest.raises(ValueError, match="same items"):
        paired_difference(IntervalAlpha(first), Points(planted_matrix(20)), ["exact"], design)


def test_an_undefined_side_leaves_the_difference_undefined():
    flat = matrix_of(np.full((6, 2), 5.0))
    found = paired_difference(IntervalAlpha(flat), IntervalAlpha(flat), ["alpha_interval"], Design(flat.clusters))
    assert found["alpha_interval"].reason == "undefined on one of the two sides"


def test_bands_apply_to_the_lower_limit():
    strong = agreement(planted(noise=0.3), resamples=0).dimensions["value"].statistics
    assert band(strong["alpha_interval"]) == "reliable"
    assert (
        band(agreement(planted(noise=3), resamples=0).dimensions["value"].statistics["alpha_interval"])
        == "not reliable"
    )
    assert band(agreement(planted(4), resamples=0).dimensions["value"].statistics["alpha_interval"]) is None


def test_very_many_items_draw_fewer_resamples():
    values = np.tile(np.round(planted(100, 2) / 3), (50, 1))
    one = agreement(values, scale=(0, 10)).dimensions["value"].statistics["alpha_interval"]
    assert "1000 resamples" in one.others[0].method
    more = agreement(np.tile(values, (6, 1)), scale=(0, 10)).dimensions["value"].statistics["alpha_interval"]
    assert more.others == ()


def test_no_items_at_all_is_said():
    one = agreement(np.zeros((0, 2))).dimensions["value"]
    assert one.statistics["alpha_interval"].reason == "no item has two ratings"
    assert agreement(np.zeros((0, 2)), clusters=[]).dimensions["value"].clusters == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "ratio"}, "use interval, ordinal or nominal"),
        ({"scale": (10, 0)}, "lower end first"),
        ({"scale": (0, 5)}, "value: 10 lies outside the scale 0 to 5"),
        ({"scale": (4, 10)}, "value: 0 lies outside the scale 4 to 10"),
        ({"raters": ["A"]}, "one name per column"),
        ({"clusters": [1, 2]}, "one label per item"),
        ({"weights": [1.0]}, "one weight per item"),
        ({"weights": [0.0] * 3}, "above zero"),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        agreement([[0, 10], [3, 4], [5, 5]], **arguments)


def test_tables_that_are_none_are_named():
    with pytest.raises(ValueError, match="items by raters"):
        agreement([1, 2, 3])
    with pytest.raises(ValueError, match="finite"):
        agreement([[1, np.inf]])
