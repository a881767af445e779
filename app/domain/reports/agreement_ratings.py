"""A closed panel as its report reads it: items, first and second ratings, judge, and what was left over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.domain.agreement.measure import Floats
from app.domain.rating.designs import AnalysisPlan
from app.domain.rating.scales import RatedDimension, RatingRubric, ScaleKind

COMPOSITE = "composite-score"
"""Id of the composite; no dimension can have it, since theirs have no hyphen."""


@dataclass(frozen=True, slots=True)
class ReportedItem:
    """One item of the sample; ``text`` is what raters read, ``judge`` the scores by dimension."""

    number: int
    name: str
    key: str
    unit: str
    strata: Mapping[str, str]
    probability: float
    words: int
    judge: Mapping[str, int]
    intervened: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class GivenRating:
    """One answered place of a queue; ``values`` is empty for a skipped one."""

    item: int
    rater: str
    occasion: int
    position: int
    values: Mapping[str, int]
    skip_reason: str = ""


@dataclass(frozen=True, slots=True)
class GuessMade:
    """What a rater took an item to be after the last submission; None is "don't know"."""

    item: int
    rater: str
    about: str
    guess: str | None


@dataclass(frozen=True, slots=True)
class PanelRatings:
    """All a report is computed from: training and adjudicated values are counted here and are not among ``given``.

    ``unopened`` and ``trained`` count places by rater; ``arms`` are what guesses chose between, by name.
    """

    name: str
    panel_hash: str
    closed_at: str
    rubric: RatingRubric
    plan: AnalysisPlan
    raters: tuple[str, ...]
    items: tuple[ReportedItem, ...]
    given: tuple[GivenRating, ...]
    seed: int = 1
    guesses: tuple[GuessMade, ...] = ()
    arms: Mapping[str, tuple[str, ...]] | None = None
    unopened: Mapping[str, int] | None = None
    trained: Mapping[str, int] | None = None
    adjudicated: int = 0
    mark: str = ""

    @property
    def runs(self) -> int:
        """How many runs the items come from."""
        return len({item.unit for item in self.items})

    @property
    def is_weighted(self) -> bool:
        """Whether items were drawn with unequal probabilities, all of them known."""
        chances = [item.probability for item in self.items]
        return bool(chances) and min(chances) > 0 and max(chances) - min(chances) > 1e-9


@dataclass(frozen=True, eq=False)
class DimensionRatings:
    """One dimension, or the composite, as arrays (items, raters), NaN where missing; ``judge`` is (items,)."""

    id: str
    name: str
    scale: tuple[float, float]
    numeric: bool
    labels: Mapping[int, str]
    values: Floats
    second: Floats
    positions: Floats
    judge: Floats

    @property
    def scale_words(self) -> str:
        """The declared scale in words."""
        if not self.numeric:
            return ", ".join(self.labels.values())
        return f"{self.scale[0]:g} to {self.scale[1]:g}"


def dimension_ratings(panel: PanelRatings) -> tuple[DimensionRatings, ...]:
    """Every dimension of the rubric in its order, then the composite where two or more dimensions have an order."""
    found = [_dimension(panel, one) for one in panel.rubric.dimensions]
    ordered = [one for one in found if one.numeric]
    if len(ordered) > 1:
        found.append(_composite(ordered))
    return tuple(found)


def _dimension(panel: PanelRatings, one: RatedDimension) -> DimensionRatings:
    rows = {item.number: row for row, item in enumerate(panel.items)}
    columns = {rater: column for column, rater in enumerate(panel.raters)}
    first, second, positions = (np.full((len(rows), len(columns)), np.nan) for _ in range(3))
    for given in panel.given:
        cell = rows[given.item], columns[given.rater]
        if given.occasion == 1:
            positions[cell] = given.position
        if one.id in given.values:
            (first if given.occasion == 1 else second)[cell] = given.values[one.id]
    judge = np.array([item.judge.get(one.id, np.nan) for item in panel.items], dtype=np.float64)
    return DimensionRatings(
        id=one.id,
        name=one.name,
        scale=(float(one.scale.values[0]), float(one.scale.values[-1])),
        numeric=one.scale.kind is not ScaleKind.NOMINAL,
        labels=one.scale.labels,
        values=first,
        second=second,
        positions=positions,
        judge=judge,
    )


def _composite(dimensions: list[DimensionRatings]) -> DimensionRatings:
    """The sum of a rater's values, where she gave every one of them."""
    first, judge = dimensions[0], np.sum([one.judge for one in dimensions], axis=0)
    return DimensionRatings(
        id=COMPOSITE,
        name="Composite",
        scale=(sum(one.scale[0] for one in dimensions), sum(one.scale[1] for one in dimensions)),
        numeric=True,
        labels={},
        values=np.sum([one.values for one in dimensions], axis=0),
        second=np.sum([one.second for one in dimensions], axis=0),
        positions=first.positions,
        judge=judge,
    )
