"""REML against statsmodels, on incomplete data."""

import warnings
from typing import Any

import numpy as np
import pytest

from app.domain.agreement.matrix import RatingMatrix, matrix_of
from app.domain.agreement.measure import point
from app.domain.agreement.reml import Reml
from app.domain.agreement.severity import Severity
from app.domain.inference.jackknife import leave_one_out
from tests.agreement.vectors import planted


def with_gaps(seed: int, severity: tuple[float, ...] = (-1, 0, 0.8)) -> RatingMatrix:
    values = planted(40, 3, seed=seed, severity=severity)
    gaps = np.random.default_rng(seed).random(values.shape) < 0.25
    values[gaps] = np.nan
    return matrix_of(values, clusters=np.arange(40) // 4)


def long_form(matrix: RatingMatrix) -> dict[str, np.ndarray]:
    item, rater = np.nonzero(np.isfinite(matrix.values))
    return {"y": matrix.values[item, rater], "item": item, "rater": rater, "all": np.ones(len(item))}


def fitted(formula: str, matrix: RatingMatrix, **options: Any):
    from statsmodels.regression.mixed_linear_model import MixedLM  # noqa: PLC0415 - slow to import

    data = long_form(matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pandas as pd  # noqa: PLC0415 - comes with statsmodels

        return MixedLM.from_formula(formula, data=pd.DataFrame(data), **options).fit(reml=True)


@pytest.mark.parametrize("seed", range(4))
def test_variances_are_those_of_statsmodels(seed: int):
    matrix = with_gaps(seed)
    components = {"item": "0 + C(item)", "rater": "0 + C(rater)"}
    fit = fitted("y ~ 1", matrix, groups="all", vc_formula=components)
    item, rater = fit.vcomp
    found = point(Reml(matrix))
    assert found["icc_a1"] == pytest.approx(item / (item + rater + fit.scale), abs=1e-3)
    assert found["icc_c1"] == pytest.approx(item / (item + fit.scale), abs=1e-3)
    assert found["icc_ak"] == pytest.approx(item / (item + (rater + fit.scale) / 3), abs=1e-3)
    assert found["sem"] == pytest.approx(np.sqrt(rater + fit.scale), abs=2e-3)


def test_severities_are_the_fixed_effects_of_statsmodels():
    matrix = with_gaps(11)
    fit = fitted("y ~ 0 + C(rater)", matrix, groups="item")
    effects = np.array(fit.fe_params)
    found = point(Severity(matrix))
    assert list(found.values()) == pytest.approx(effects - effects.mean(), abs=1e-3)


def test_all_leave_one_run_out_fits_at_once_are_those_of_one_at_a_time():
    matrix = with_gaps(5)
    measure = Reml(matrix)
    together = measure.evaluate(leave_one_out(measure.contributions, matrix.clusters))["icc_a1"]
    kept = matrix.clusters != 3
    alone = point(Reml(matrix_of(np.compress(kept, matrix.values, axis=0))))["icc_a1"]
    assert together[3] == pytest.approx(alone, abs=1e-5)


def test_a_rater_without_ratings_and_no_variation_are_no_trouble():
    values = planted(12, 3, seed=1)
    values[:, 2] = np.nan
    assert np.isfinite(point(Reml(matrix_of(values)))["icc_a1"])
    flat = np.where(np.isnan(values), np.nan, 4.0)
    assert np.isnan(point(Reml(matrix_of(flat)))["icc_a1"])
