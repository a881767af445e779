"""The agreement of raters on one or more dimensions, all statistics at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from app.domain.agreement.collapsing import collapsing_sensitivity
from app.domain.agreement.dimension import Setting, dimension_statistics, population_statistics, severities
from app.domain.agreement.estimate import Design, Estimate
from app.domain.agreement.matrix import RatingMatrix, categories_of, matrix_of
from app.domain.agreement.measure import Floats
from app.domain.agreement.rater_histories import drifts, repeatability
from app.domain.agreement.rater_pairs import RaterPair, rater_pairs
from app.domain.agreement.usage import Usage, usage_of
from app.domain.agreement.words import STRATIFIED, idle_notes, notes_on
from app.domain.inference.bootstrap import resample_weights

Level = Literal["interval", "ordinal", "nominal"]
MOST_WEIGHTS = 5_000_000


@dataclass(frozen=True, eq=False)
class DimensionAgreement:
    """One dimension's statistics; `population` holds weighted ones, None without inclusion weights.

    `collapsed` is alpha and AC2 by number of bands of a declared scale; `drift` (points per ten positions) and
    `intra_rater` are by rater, empty without positions or repeats.
    """

    matrix: RatingMatrix
    clusters: int
    unit: str
    usage: Usage
    statistics: dict[str, Estimate]
    pairs: list[RaterPair]
    severity: dict[str, Estimate]
    population: dict[str, Estimate] | None
    collapsed: dict[int, dict[str, float | None]]
    notes: list[str]
    drift: dict[str, Estimate] = field(default_factory=dict)
    intra_rater: dict[str, dict[str, Estimate]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "n_items": self.usage.items,
            "n_raters": len(self.matrix.raters),
            "n_pairable": self.usage.pairable,
            "clusters": self.clusters,
            "cluster_unit": self.unit,
            "raters": list(self.matrix.raters),
            "statistics": {name: one.as_json() for name, one in self.statistics.items()},
            "pairs": [pair.as_json() for pair in self.pairs],
            "severity": {name: one.as_json() for name, one in self.severity.items()},
            "drift": {name: one.as_json() for name, one in self.drift.items()},
            "intra_rater": {
                name: {key: one.as_json() for key, one in found.items()} for name, found in self.intra_rater.items()
            },
            "population": {name: one.as_json() for name, one in self.population.items()} if self.population else None,
            "collapsed": {str(groups): values for groups, values in self.collapsed.items()},
            "usage": self.usage.as_json(),
            "notes": self.notes,
        }


@dataclass(frozen=True, eq=False)
class AgreementReport:
    """All dimensions by name; `headline` names the statistic that the level picks."""

    dimensions: dict[str, DimensionAgreement]
    headline: str
    level: Level
    scale: tuple[float, float] | None

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON: every number with interval, method, items used, and reason if undefined."""
        return {
            "level": self.level,
            "headline": self.headline,
            "scale": list(self.scale) if self.scale else None,
            "dimensions": {name: one.as_json() for name, one in self.dimensions.items()},
        }


def agreement(
    ratings: ArrayLike | Mapping[str, ArrayLike],
    *,
    raters: Sequence[str] = (),
    scale: tuple[float, float] | None = None,
    level: Level = "interval",
    clusters: Sequence[object] | None = None,
    weights: ArrayLike | None = None,
    numeric: bool = True,
    resamples: int = 2000,
    seed: int = 1,
    unit: str = "run",
    positions: Mapping[str, Floats] | None = None,
    repeats: Mapping[str, Floats] | None = None,
) -> AgreementReport:
    """Compute how far raters agree.

    `ratings` is an array (items, raters), NaN where missing, or one such array per dimension name; `scale` the
    declared ends in points; `clusters` one label per item (what belongs together, called `unit`); `weights` one
    inverse inclusion probability per item; `resamples` of the item bootstrap, 0 for none, drawn from `seed`. With
    `numeric` off the values are codes of names. `positions` in each rater's queue and `repeats` (second occasion) are
    arrays (items, raters) by dimension name. Raises ValueError for ratings outside the scale, shapes that do not fit,
    or an unknown level.
    """
    if level not in {"interval", "ordinal", "nominal"}:
        raise ValueError(f"level {level!r} is unknown: use interval, ordinal or nominal")
    named = ratings if isinstance(ratings, Mapping) else {"value": ratings}
    generator = np.random.default_rng(seed)
    dimensions = {}
    for name, values in named.items():
        everybody = matrix_of(np.asarray(values, dtype=np.float64), tuple(raters), clusters, numeric=numeric)
        came = everybody.active
        matrix = everybody.only(came)
        categories = categories_of(matrix, scale, nominal=level == "nominal")
        _check_scale(name, matrix, scale)
        sampling = None if weights is None else np.asarray(weights, dtype=np.float64)
        drawn = _resamples(matrix, resamples, generator)
        design = Design(matrix.clusters, unit if matrix.clustered else "item", drawn)
        setting = Setting(matrix, categories, design)
        found = _dimension(setting, scale, sampling)
        dimensions[name] = replace(
            found,
            usage=replace(found.usage, by_rater=usage_of(everybody).by_rater),
            drift=drifts(setting, positions[name][:, came]) if positions and name in positions else {},
            intra_rater=repeatability(setting, repeats[name][:, came]) if repeats and name in repeats else {},
            notes=[*found.notes, *idle_notes(everybody, came), *([] if sampling is None else [STRATIFIED])],
        )
    return AgreementReport(dimensions, f"alpha_{level}" if numeric else "alpha_nominal", level, scale)


def _dimension(setting: Setting, scale: tuple[float, float] | None, weights: Floats | None) -> DimensionAgreement:
    matrix, unit = setting.matrix, setting.design.unit
    if weights is not None:
        _check_weights(matrix, weights)
    statistics = dimension_statistics(setting)
    return DimensionAgreement(
        matrix=matrix,
        clusters=len(np.unique(matrix.clusters[matrix.pairable])),
        unit=unit,
        usage=usage_of(matrix),
        statistics=statistics,
        pairs=rater_pairs(setting),
        severity=severities(setting),
        population=None if weights is None else population_statistics(setting, weights),
        collapsed=collapsing_sensitivity(matrix, scale) if scale and matrix.numeric else {},
        notes=notes_on(matrix, setting.categories, statistics, unit, declared=scale is not None),
    )


def _resamples(matrix: RatingMatrix, resamples: int, generator: np.random.Generator) -> Floats | None:
    """Weights of the item bootstrap, fewer of them for very many items, None below 200."""
    items = len(matrix.values)
    drawn = min(resamples, MOST_WEIGHTS // max(items, 1))
    if not items or drawn < min(resamples, 200) or not drawn:
        return None
    return resample_weights(generator, items, drawn)


def _check_scale(name: str, matrix: RatingMatrix, scale: tuple[float, float] | None) -> None:
    if scale is None or not matrix.observed.size:
        return
    low, high = matrix.observed[0], matrix.observed[-1]
    if low < scale[0] or high > scale[1]:
        outside = low if low < scale[0] else high
        raise ValueError(
            f"{name}: {outside:g} lies outside the scale {scale[0]:g} to {scale[1]:g}: mend the rating or the scale"
        )


def _check_weights(matrix: RatingMatrix, weights: Floats) -> None:
    if weights.shape != (len(matrix.values),):
        raise ValueError(f"{weights.size} weights for {len(matrix.values)} items: give one weight per item")
    if not np.all(np.isfinite(weights) & (weights > 0)):
        raise ValueError("weights must be above zero: give 1 / inclusion probability")
