"""Every statistic of one dimension, with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from app.domain.agreement.alpha import IntervalAlpha, NominalAlpha, OrdinalAlpha, direct_alphas
from app.domain.agreement.estimate import Design, Estimate, estimate, undefined
from app.domain.agreement.gwet import NAMES as GWET_NAMES
from app.domain.agreement.gwet import GwetAC
from app.domain.agreement.icc import Anova, spearman_brown
from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.mcgraw_wong import mcgraw_wong
from app.domain.agreement.measure import Floats, Measure
from app.domain.agreement.points import Points
from app.domain.agreement.rank_agreement import KendallW, direct_kendall_w
from app.domain.agreement.reml import Reml
from app.domain.agreement.severity import Severity
from app.domain.agreement.tables import fits_tables
from app.domain.agreement.weighting import Weighted
from app.domain.inference.intervals import Interval, Transform

COMPLETE_ENOUGH = 0.9
NAMES_ONLY = "the values are names, not numbers"
TOO_MANY_VALUES = "the ratings take too many distinct values for a table of pairs"

TRANSFORMS: dict[str, Transform] = {
    **dict.fromkeys(("alpha_interval", "alpha_ordinal", "alpha_nominal"), Transform.FISHER_Z),
    **dict.fromkeys(("icc_a1", "icc_ak", "icc_c1", "icc_ck"), Transform.FISHER_Z),
    **dict.fromkeys(("exact", "within_1", "within_2"), Transform.LOGIT),
    **dict.fromkeys(("mad", "sem", "sdd", "sem_consistency"), Transform.LOG),
    **dict.fromkeys(("ac1", "ac2_quadratic", "ac2_linear", "kendall_w"), Transform.FISHER_Z),
}


@dataclass(frozen=True, eq=False)
class Setting:
    """What is the same for all statistics of one dimension: ratings, scale categories (q,) and design."""

    matrix: RatingMatrix
    categories: Floats
    design: Design

    def why(self, name: str) -> str:
        """The reason why a statistic is undefined for these ratings."""
        matrix = self.matrix
        if len(matrix.raters) < 2:
            return "one rater only: agreement needs two"
        if not len(matrix.pairable):
            return "no item has two ratings"
        if len(np.unique(matrix.codes[matrix.pairable][matrix.codes[matrix.pairable] >= 0])) == 1:
            return "no variation: every rating is the same"
        if name == "kendall_w" and not len(matrix.complete):
            return "no item was rated by everybody"
        if name.startswith("ac") and not np.isin(matrix.observed, self.categories).all():
            return "some ratings lie between the steps of the declared scale"
        few = "too few items for this statistic, or no variation in those it can use"
        below = "ICC(A,1) reaches below -1/(k-1), where the panel's mean has no reliability"
        return below if name == "icc_ak" and len(matrix.complete) > 1 else few


def dimension_statistics(setting: Setting) -> dict[str, Estimate]:
    """All statistics of a dimension by name, in report order."""
    found = _chance_corrected(setting)
    if setting.matrix.numeric:
        found |= _variances(setting) | _kendall(setting)
    found |= _estimate(setting, Points(setting.matrix))
    return {name: found.get(name, undefined(NAMES_ONLY)) for name in TRANSFORMS}


def population_statistics(setting: Setting, weights: Floats) -> dict[str, Estimate]:
    """The same statistics for the population in which each item stands for `weights` (items,) decisions."""
    found: dict[str, Estimate] = {}
    for measure in _measures(setting):
        found |= estimate(Weighted(measure, weights), setting.design, TRANSFORMS, setting.why, resampled=False)
    missing = undefined(TOO_MANY_VALUES if setting.matrix.numeric else NAMES_ONLY)
    return {name: found.get(name, missing) for name in TRANSFORMS}


def severities(setting: Setting) -> dict[str, Estimate]:
    """Rater effects in points for the raters who rated anything, over the items with a pair."""
    matrix = setting.matrix
    if not matrix.numeric or len(matrix.pairable) < 2:
        return {}
    values = np.where((matrix.rated >= 2)[:, None], matrix.values, np.nan)[matrix.pairable]
    comparable = replace(matrix, values=values, clusters=matrix.clusters[matrix.pairable])
    kept = comparable.only(comparable.active)
    design = Design(kept.clusters, setting.design.unit)
    return estimate(Severity(kept), design, dict.fromkeys(kept.raters, Transform.RAW))


def uses_reml(matrix: RatingMatrix) -> bool:
    """Whether too few rated items are complete for the analysis of variance."""
    return len(matrix.complete) < COMPLETE_ENOUGH * int((matrix.rated >= 1).sum())


def _measures(setting: Setting) -> list[Measure]:
    matrix = setting.matrix
    measures: list[Measure] = [Points(matrix)]
    if matrix.numeric:
        measures += [IntervalAlpha(matrix), Reml(matrix) if uses_reml(matrix) else Anova(matrix)]
    if fits_tables(matrix):
        measures += [NominalAlpha(matrix), GwetAC(matrix, setting.categories)]
        measures += [OrdinalAlpha(matrix)] if matrix.numeric else []
    if matrix.numeric and fits_tables(matrix, len(matrix.pairs)):
        measures += [KendallW(matrix)]
    return measures


def _estimate(setting: Setting, measure: Measure, why: Callable[[str], str] | None = None) -> dict[str, Estimate]:
    return estimate(measure, setting.design, TRANSFORMS, why or setting.why)


def _chance_corrected(setting: Setting) -> dict[str, Estimate]:
    matrix = setting.matrix
    found = _estimate(setting, IntervalAlpha(matrix)) if matrix.numeric else {}
    if not fits_tables(matrix):
        alphas = {name: _without_interval(setting, name, value) for name, value in direct_alphas(matrix).items()}
        return found | alphas | dict.fromkeys(GWET_NAMES, undefined(TOO_MANY_VALUES))
    found |= _estimate(setting, NominalAlpha(matrix)) | _estimate(setting, GwetAC(matrix, setting.categories))
    return found | (_estimate(setting, OrdinalAlpha(matrix)) if matrix.numeric else {})


def _variances(setting: Setting) -> dict[str, Estimate]:
    """Intraclass correlations and errors; the panel's through one rater's, which is the same interval rescaled."""
    matrix = setting.matrix
    if len(matrix.raters) < 2 or not len(matrix.pairable):
        names = [name for name in TRANSFORMS if name.startswith(("icc", "se", "sdd"))]
        return {name: undefined(setting.why(name)) for name in names}
    if uses_reml(matrix):
        found = estimate(Reml(matrix), setting.design, TRANSFORMS, setting.why, resampled=False)
        return _with_panel(found, len(matrix.raters), "REML")
    anova = Anova(matrix)
    found = _with_panel(_estimate(setting, anova), len(matrix.raters), "two-way ANOVA")
    if setting.design.unit == "item" and len(matrix.complete) == len(matrix.values):
        bounds = mcgraw_wong(anova)
        for name in ("icc_a1", "icc_ak", "icc_c1", "icc_ck"):
            exact = Interval(bounds[name], "McGraw-Wong F, raters random, items independent")
            found[name] = replace(found[name], others=(*found[name].others, exact)) if bounds[name] else found[name]
    return found


def _with_panel(found: dict[str, Estimate], raters: int, model: str) -> dict[str, Estimate]:
    for single, panel in (("icc_a1", "icc_ak"), ("icc_c1", "icc_ck")):
        bounds = found[single].ci95
        if found[panel].value is None:
            continue
        ends = [spearman_brown(bound, raters) for bound in bounds or ()]
        name = single.replace("icc_", "").upper()
        if not ends:
            carried = replace(found[panel], ci95=None, reason=found[single].reason)
        elif ends[0] is None or ends[1] is None:
            carried = replace(found[panel], ci95=None, reason=f"ICC({name[0]},1) reaches below -1/(k-1): no interval")
        else:
            carried = replace(found[panel], ci95=(ends[0], ends[1]), reason=None)
        found[panel] = replace(carried, method=f"{found[single].method}, through ICC({name[0]},1)")
    return {
        name: replace(one, method=f"{model}; {one.method}") if one.value is not None else one
        for name, one in found.items()
    }


def _kendall(setting: Setting) -> dict[str, Estimate]:
    matrix = setting.matrix
    if len(matrix.raters) < 2 or not len(matrix.complete):
        return {"kendall_w": undefined(setting.why("kendall_w"))}
    if fits_tables(matrix, len(matrix.pairs)):
        return _estimate(setting, KendallW(matrix))
    value = direct_kendall_w(matrix.values[matrix.complete])
    return {"kendall_w": _without_interval(setting, "kendall_w", value)}


def _without_interval(setting: Setting, name: str, value: float) -> Estimate:
    if not np.isfinite(value):
        return undefined(setting.why(name))
    used = setting.matrix.complete if name == "kendall_w" else setting.matrix.pairable
    return Estimate(value, None, "value only", len(used), f"{TOO_MANY_VALUES}: no interval")
