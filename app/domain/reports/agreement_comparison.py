"""Two panels, or the judges of two panels, on the same items: paired differences with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.domain.agreement.alpha import IntervalAlpha, OrdinalAlpha
from app.domain.agreement.estimate import Design, Estimate
from app.domain.agreement.gwet import GwetAC
from app.domain.agreement.icc import Anova
from app.domain.agreement.judge_bias import MeanDifference, human_mean
from app.domain.agreement.matrix import RatingMatrix, categories_of, matrix_of
from app.domain.agreement.measure import Floats, Measure, point
from app.domain.agreement.paired_differences import paired_difference
from app.domain.agreement.points import Points
from app.domain.agreement.tables import fits_tables
from app.domain.reports.agreement_ratings import DimensionRatings, PanelRatings, dimension_ratings

BETWEEN_RATERS = ("alpha_interval", "alpha_ordinal", "icc_a1", "icc_c1", "exact", "within_1", "mad", "ac2_quadratic")
TO_JUDGE = ("icc_a1",)


@dataclass(frozen=True)
class ComparedLine:
    """A statistic on both sides and first less second; sides are None where undefined."""

    name: str
    first: float | None
    second: float | None
    difference: Estimate

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"first": self.first, "second": self.second, "first_less_second": self.difference.as_json()}


@dataclass(frozen=True)
class ComparedDimension:
    """One dimension that both panels rate on one scale; ``judges`` is empty unless both have judges' scores."""

    id: str
    name: str
    items: int
    raters: tuple[ComparedLine, ...]
    judges: tuple[ComparedLine, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "items": self.items,
            "raters": {line.name: line.as_json() for line in self.raters},
            "judges": {line.name: line.as_json() for line in self.judges},
        }


@dataclass(frozen=True)
class PanelComparison:
    """Both panels by name and hash; ``unshared`` counts the items that only one of the two has, on each side."""

    names: tuple[str, str]
    hashes: tuple[str, str]
    shared: int
    unshared: tuple[int, int]
    dimensions: tuple[ComparedDimension, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "panels": list(self.names),
            "panel_hashes": list(self.hashes),
            "shared_items": self.shared,
            "unshared_items": list(self.unshared),
            "dimensions": {one.id: one.as_json() for one in self.dimensions},
        }


def compare_panels(first: PanelRatings, second: PanelRatings) -> PanelComparison:
    """Compare over the items whose keys both have, by the runs of the first."""
    shared = sorted({item.key for item in first.items} & {item.key for item in second.items})
    others = {one.id: one for one in dimension_ratings(second)}
    compared = [
        _dimension((first, mine), (second, others[mine.id]), shared)
        for mine in dimension_ratings(first)
        if shared and mine.numeric and mine.id in others and others[mine.id].scale == mine.scale
    ]
    return PanelComparison(
        names=(first.name, second.name),
        hashes=(first.panel_hash, second.panel_hash),
        shared=len(shared),
        unshared=(len(first.items) - len(shared), len(second.items) - len(shared)),
        dimensions=tuple(compared),
    )


Side = tuple[PanelRatings, DimensionRatings]


def _dimension(first: Side, second: Side, shared: list[str]) -> ComparedDimension:
    units = {item.key: item.unit for item in first[0].items}
    runs = [units[key] for key in shared]
    matrices = [_matrix(side, shared, runs) for side in (first, second)]
    judges = [side[1].judge[_rows(side[0], shared)] for side in (first, second)]
    design = Design(matrices[0].clusters, "run")
    means = [human_mean(matrix.values) for matrix in matrices]
    return ComparedDimension(
        id=first[1].id,
        name=first[1].name,
        items=len(shared),
        raters=(_means("human_mean", means, design), *_raters(matrices, first[1].scale, design)),
        judges=_judges(judges, means[0], design),
    )


def _rows(panel: PanelRatings, shared: list[str]) -> list[int]:
    places = {item.key: row for row, item in enumerate(panel.items)}
    return [places[key] for key in shared]


def _matrix(side: Side, shared: list[str], runs: list[str]) -> RatingMatrix:
    made = matrix_of(side[1].values[_rows(side[0], shared)], side[0].raters, runs)
    return made.only(made.active)


def _raters(matrices: list[RatingMatrix], scale: tuple[float, float], design: Design) -> list[ComparedLine]:
    if any(len(matrix.raters) < 2 or not len(matrix.pairable) for matrix in matrices):
        return []
    tables = all(fits_tables(matrix) for matrix in matrices)
    lines = []
    for one, other in zip(*(_measures(matrix, scale, tables=tables) for matrix in matrices), strict=True):
        lines += _lines(one, other, design, BETWEEN_RATERS)
    return sorted(lines, key=lambda line: BETWEEN_RATERS.index(line.name))


def _measures(matrix: RatingMatrix, scale: tuple[float, float], *, tables: bool) -> list[Measure]:
    """What is compared between raters; very many distinct values leave out what needs a table of pairs."""
    measures: list[Measure] = [IntervalAlpha(matrix), Anova(matrix), Points(matrix)]
    if tables:
        measures += [OrdinalAlpha(matrix), GwetAC(matrix, categories_of(matrix, scale))]
    return measures


def _lines(one: Measure, other: Measure, design: Design, wanted: tuple[str, ...]) -> list[ComparedLine]:
    first, second = point(one), point(other)
    names = [name for name in first if name in wanted]
    found = paired_difference(one, other, names, design)
    return [ComparedLine(name, _known(first[name]), _known(second[name]), found[name]) for name in names]


def _judges(judges: list[Floats], humans: Floats, design: Design) -> tuple[ComparedLine, ...]:
    """Both judges against one and the same people: those of the first panel."""
    if not all(np.isfinite(judge).any() for judge in judges):
        return ()
    one, other = (Anova(matrix_of(np.column_stack([judge, humans]))) for judge in judges)
    return (_means("bias", [judge - humans for judge in judges], design), *_lines(one, other, design, TO_JUDGE))


def _means(name: str, sides: list[Floats], design: Design) -> ComparedLine:
    both = np.isfinite(sides[0]) & np.isfinite(sides[1])
    first, second = (MeanDifference(side, both) for side in sides)
    found = paired_difference(first, second, ["bias"], design)["bias"]
    return ComparedLine(name, _known(point(first)["bias"]), _known(point(second)["bias"]), found)


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None
