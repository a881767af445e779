"""Jackknife, bootstrap, scales and false discoveries."""

import numpy as np
import pytest

from app.domain.inference.bootstrap import percentile_interval, resample_weights
from app.domain.inference.false_discovery import reject_benjamini_yekutieli
from app.domain.inference.intervals import Transform
from app.domain.inference.jackknife import cluster_sums, jackknife_interval, leave_one_out, standard_error


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.array([1.0, 4.0, 2.0, 8.0, 5.0, 7.0])
    left = leave_one_out(np.column_stack([np.ones(6), values]), np.arange(6))
    replicates = left[:, 1] / left[:, 0]
    assert standard_error(replicates) == pytest.approx(values.std(ddof=1) / np.sqrt(6))
    interval = jackknife_interval(values.mean(), replicates, Transform.RAW)
    assert interval.bounds == pytest.approx((1.6260, 7.3740), abs=1e-3)  # t(5), 0.975 = 2.5706
    assert interval.method == "delete-one-item jackknife, raw scale, t(5)"


def test_clusters_are_left_out_whole():
    rows = np.arange(6.0)[:, None]
    clusters = np.array([2, 0, 2, 5, 0, 5])
    assert cluster_sums(rows, clusters)[:, 0].tolist() == [5, 2, 8]
    assert leave_one_out(rows, clusters)[:, 0].tolist() == [10, 13, 7]


@pytest.mark.parametrize("transform", Transform)
def test_scales_undo_themselves(transform: Transform):
    values = np.array([0.1, 0.5, 0.93])
    assert transform.holds(values)
    assert transform.back(transform.forward(values)) == pytest.approx(values)


def test_an_interval_needs_six_defined_and_varying_clusters():
    values = np.array([0.5, 0.52, 0.49, 0.5, 0.51])
    few = jackknife_interval(0.5, values, Transform.FISHER_Z, unit="run")
    assert few.bounds is None
    assert few.reason == "fewer than six runs (G = 5): no between-run interval can be given"
    assert "no interval can be given" in str(jackknife_interval(0.5, values, Transform.FISHER_Z).reason)
    undefined = jackknife_interval(0.5, np.array([*values, np.nan]), Transform.FISHER_Z)
    assert "leaves the statistic undefined" in str(undefined.reason)
    assert "no spread" in str(jackknife_interval(0.5, np.full(6, 0.5), Transform.FISHER_Z).reason)


def test_the_edge_of_a_scale_falls_back_on_points():
    replicates = np.array([1.0, 0.9, 0.9, 0.9, 0.9, 0.9])
    found = jackknife_interval(0.92, replicates, Transform.FISHER_Z)
    assert "raw scale at the edge" in found.method
    assert found.bounds is not None
    assert found.bounds[1] == 1


def test_bootstrap_weights_are_counts_from_the_generator():
    weights = resample_weights(np.random.default_rng(3), 7, 200)
    assert weights.shape == (200, 7)
    assert set(weights.sum(axis=1)) == {7}
    assert np.array_equal(weights, resample_weights(np.random.default_rng(3), 7, 200))


def test_percentiles_count_what_is_undefined():
    found = percentile_interval(0.5, np.array([0.4, 0.5, 0.6, np.nan]))
    assert found.method == "item bootstrap, percentiles of 4 resamples, 1 undefined left out"
    assert found.bounds == pytest.approx((0.405, 0.595))
    assert percentile_interval(0.5, np.array([0.5, np.nan, np.nan])).bounds is None
    assert percentile_interval(0.5, np.zeros(0)).reason == "the statistic is undefined in most resamples"


def test_benjamini_yekutieli_takes_all_up_to_the_largest_that_passes():
    # m = 3, harmonic sum 11/6: thresholds .00909, .01818, .02727.
    assert reject_benjamini_yekutieli({"a": 0.012, "b": 0.017, "c": 0.5}) == {"a", "b"}
    assert reject_benjamini_yekutieli({"a": 0.012, "b": 0.02, "c": 0.5}) == set()
    assert reject_benjamini_yekutieli({}) == set()
