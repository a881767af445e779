"""Every published value is met within its tolerance."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from app.domain.agreement.alpha import IntervalAlpha, NominalAlpha, OrdinalAlpha, direct_alphas, ratio_alpha
from app.domain.agreement.bland_altman import limits_of_agreement
from app.domain.agreement.chance import Chance, chance_corrected, observed_agreement
from app.domain.agreement.gwet import GwetAC, agreement_weights, gwet_interval, gwet_standard_error
from app.domain.agreement.icc import Anova
from app.domain.agreement.intra_rater import IntraRater
from app.domain.agreement.kappa import PairKappa, PairQuadraticKappa, kappa_standard_error
from app.domain.agreement.matrix import RatingMatrix, categories_of, matrix_of
from app.domain.agreement.mcgraw_wong import mcgraw_wong
from app.domain.agreement.measure import Floats, point
from app.domain.agreement.rank_agreement import (
    KendallW,
    PairSpearman,
    direct_kendall_w,
    direct_spearman,
    kendall_w_test,
)
from app.domain.agreement.reml import Reml
from tests.agreement.vectors import CHECKS, MATRICES

Parameters = dict[str, Any]


def categories(matrix: RatingMatrix, given: Parameters) -> Floats:
    return np.array(given.get("categories") or categories_of(matrix, None), dtype=float)


def alpha(matrix: RatingMatrix, given: Parameters) -> float:
    level = given.get("level") or {"identity": "nominal", "quadratic": "interval"}[given["weights"]]
    if level == "ratio":
        return ratio_alpha(matrix)
    measure = {"nominal": NominalAlpha, "ordinal": OrdinalAlpha, "interval": IntervalAlpha}[level](matrix)
    value = point(measure)[f"alpha_{level}"]
    if level != "interval":
        assert direct_alphas(matrix)[f"alpha_{level}"] == pytest.approx(value, abs=1e-12)
    return value


def kappa(matrix: RatingMatrix, given: Parameters) -> float:
    weights = given.get("weights")
    name = f"kappa_{weights}" if weights in {"linear", "quadratic"} else "kappa"
    value = point(PairKappa(matrix, 0, 1))[name]
    if name == "kappa_quadratic":
        assert point(PairQuadraticKappa(matrix, 0, 1))[name] == pytest.approx(value, abs=1e-12)
    return value


def kappa_by_rank(matrix: RatingMatrix, given: Parameters) -> float:
    return kappa(matrix.with_values(matrix.codes.astype(float)), given)


def kappa_error(matrix: RatingMatrix, given: Parameters) -> float:
    scale = np.array(given["categories"], dtype=float)
    table = np.array([[np.sum(np.all(matrix.values == (a, b), axis=1)) for b in scale] for a in scale], dtype=float)
    return kappa_standard_error(table, agreement_weights(scale, given.get("weights", "identity")))


def gwet(matrix: RatingMatrix, given: Parameters) -> float:
    name = {"linear": "ac2_linear", "quadratic": "ac2_quadratic"}.get(given.get("weights", ""), "ac1")
    return point(GwetAC(matrix, categories(matrix, given)))[name]


def relative(chance: Chance) -> Callable[[RatingMatrix, Parameters], float]:
    def value(matrix: RatingMatrix, given: Parameters) -> float:
        return chance_corrected(matrix, categories(matrix, given), chance, given.get("weights", "identity"))

    return value


def light(matrix: RatingMatrix, given: Parameters) -> float:
    return float(np.mean([point(PairKappa(matrix, a, b))["kappa"] for a, b in matrix.pairs]))


def form(given: Parameters) -> str:
    name = given["form"].split(" = ")[-1]
    return {
        "ICC(1,1)": "icc_1",
        "ICC(1,k)": "icc_k",
        "ICC(A,1)": "icc_a1",
        "ICC(A,k)": "icc_ak",
        "ICC(C,1)": "icc_c1",
        "ICC(C,k)": "icc_ck",
    }[name]


def icc(matrix: RatingMatrix, given: Parameters) -> float:
    return point(Anova(matrix))[form(given)]


def icc_bound(end: int) -> Callable[[RatingMatrix, Parameters], float]:
    def value(matrix: RatingMatrix, given: Parameters) -> float:
        bounds = mcgraw_wong(Anova(matrix))[form(given)]
        assert bounds is not None
        return bounds[end]

    return value


def kendall(matrix: RatingMatrix, given: Parameters) -> float:
    ties = given.get("correct_ties", True)
    value = direct_kendall_w(matrix.values, ties=ties)
    if ties:
        assert point(KendallW(matrix))["kendall_w"] == pytest.approx(value, abs=1e-12)
    return value


def kendall_test(place: int) -> Callable[[RatingMatrix, Parameters], float]:
    def value(matrix: RatingMatrix, given: Parameters) -> float:
        return kendall_w_test(kendall(matrix, {"correct_ties": False, **given}), *matrix.values.shape)[place]

    return value


def limits(read: Callable[[Any], float]) -> Callable[[RatingMatrix, Parameters], float]:
    def value(matrix: RatingMatrix, given: Parameters) -> float:
        return read(limits_of_agreement(*matrix.values.T, multiplier=given.get("multiplier", 1.96)))

    return value


def spearman(matrix: RatingMatrix, given: Parameters) -> float:
    value = direct_spearman(*matrix.values.T)
    assert point(PairSpearman(matrix, 0, 1))["spearman"] == pytest.approx(value, abs=1e-12)
    return value


def tau_b(matrix: RatingMatrix, given: Parameters) -> float:
    """Not reported; the usual formula, to see that the matrix is read the right way."""
    a, b = (np.sign(column[:, None] - column)[np.triu_indices(len(column), 1)] for column in matrix.values.T)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


STATISTICS: dict[str, Callable[[RatingMatrix, Parameters], float]] = {
    "krippendorff_alpha": alpha,
    "krippendorff_alpha_interval": alpha,
    "cohen_kappa": kappa,
    "cohen_kappa_weighted": kappa,
    "cohen_kappa_weighted_by_rank_of_observed_category": kappa_by_rank,
    "cohen_kappa_ase": kappa_error,
    "cohen_kappa_weighted_ase": lambda matrix, given: kappa_error(matrix, {"weights": "linear", **given}),
    "gwet_ac1": gwet,
    "gwet_ac2": gwet,
    "gwet_ac1_standard_error": lambda matrix, given: gwet_standard_error(matrix, categories(matrix, given)),
    "gwet_ac1_ci95_low": lambda matrix, given: gwet_interval(matrix, categories(matrix, given))[0],
    "fleiss_kappa": relative(Chance.FLEISS),
    "fleiss_kappa_missing": relative(Chance.FLEISS),
    "scott_pi": relative(Chance.FLEISS),
    "conger_kappa": relative(Chance.CONGER),
    "conger_kappa_weighted": relative(Chance.CONGER),
    "brennan_prediger": relative(Chance.BRENNAN_PREDIGER),
    "brennan_prediger_weighted": relative(Chance.BRENNAN_PREDIGER),
    "percent_agreement_pairwise": lambda matrix, given: observed_agreement(matrix, categories(matrix, given)),
    "light_kappa_mean_pairwise_cohen": light,
    "icc": icc,
    "icc_ci95_low": icc_bound(0),
    "icc_ci95_high": icc_bound(1),
    "icc_reml": lambda matrix, given: point(Reml(matrix))[form(given)],
    "kendall_w": kendall,
    "kendall_w_chi2": kendall_test(0),
    "kendall_w_p": kendall_test(1),
    "spearman_rho": spearman,
    "kendall_tau_b": tau_b,
    "bland_altman_bias": limits(lambda found: found.bias),
    "bland_altman_sd_diff": limits(lambda found: found.deviation),
    "bland_altman_loa_low": limits(lambda found: found.low),
    "bland_altman_loa_high": limits(lambda found: found.high),
    "bland_altman_se_bias": limits(lambda found: found.bias_error),
    "bland_altman_loa_low_ci95_low": limits(lambda found: found.low_ci95[0]),
    "bland_altman_loa_low_ci95_high": limits(lambda found: found.low_ci95[1]),
    "within_item_sd_intra_rater": lambda matrix, _: point(IntraRater(*matrix.values.T))["within_sd"],
}


@pytest.mark.parametrize(("name", "check"), [(name, check) for _, name, check in CHECKS], ids=[c[0] for c in CHECKS])
def test_a_published_value_is_met(name: str, check: dict[str, Any]):
    value = STATISTICS[check["statistic"]](matrix_of(MATRICES[name]), check["parameters"])
    assert value == pytest.approx(check["expected"], abs=check["tolerance"])
