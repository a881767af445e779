"""Closed panels as values, simulated from a seed: the plain one, and each case a reader must be told about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from app.domain.rating.designs import AnalysisPlan
from app.domain.rating.scales import RatedDimension, RatingRubric, ScaleKind, named_scale, points_scale
from app.domain.reports.agreement_ratings import GivenRating, GuessMade, PanelRatings, ReportedItem

NAMES = {"frontier_accuracy": "Frontier accuracy", "timing": "Timing"}
RUBRIC = RatingRubric(
    id="record",
    title="The rubric of The Record",
    dimensions=tuple(RatedDimension(id=one, name=name, scale=points_scale()) for one, name in NAMES.items()),
)
WITH_NAMES = RatingRubric(
    id="kinds",
    title="Kinds",
    dimensions=(
        *RUBRIC.dimensions,
        RatedDimension(id="kind", name="Kind", scale=named_scale(ScaleKind.NOMINAL, ("build", "buy", "wait"))),
    ),
)
RATERS = ("Rater A", "Rater B", "Rater C")
Draw = Callable[[np.random.Generator, int, int], np.ndarray]


def varied(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    """Whole numbers around each item's own level."""
    level = rng.normal(6, 2, (items, 1))
    return np.clip(np.round(level + rng.normal(0, 1, (items, raters))), 0, 10)


def no_variation(_: np.random.Generator, items: int, raters: int) -> np.ndarray:
    return np.full((items, raters), 7.0)


def one_disagreement(_: np.random.Generator, items: int, raters: int) -> np.ndarray:
    values = np.full((items, raters), 7.0)
    values[3, 1] = 6.0
    return values


def ceiling(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    """Nearly all at the top of the scale: raters within a point, and hardly any spread between items."""
    values = 10.0 - (rng.random((items, raters)) < 0.3)
    values[:2] = 8.0
    values[2, 0] = 5.0
    return values


def negative(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    """Two camps that see the same item the other way round."""
    level = rng.integers(-2, 3, (items, 1)).astype(float)
    sides = np.where(np.arange(raters) % 2 == 0, 1.0, -1.0)
    return np.clip(5 + level * sides, 0, 10)


def half_missing(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    values = varied(rng, items, raters)
    values[items // 2 :, raters - 1] = np.nan
    return values


def unused(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    return np.clip(np.round(rng.normal(6, 1, (items, 1)) + rng.normal(0, 0.6, (items, raters))), 4, 8)


CASES: dict[str, tuple[Draw, dict[str, Any]]] = {
    "no-variation": (no_variation, {}),
    "one-disagreement": (one_disagreement, {}),
    "ceiling": (ceiling, {}),
    "negative": (negative, {"raters": RATERS[:2]}),
    "unused-categories": (unused, {}),
    "two-raters": (varied, {"raters": RATERS[:2]}),
    "one-rater-missing-half": (half_missing, {}),
    "fewer-than-six-runs": (varied, {"runs": 5}),
    "stratified": (varied, {"stratified": True}),
}
SAID = {
    "no-variation": "No variation: every rating is the same.",
    "one-disagreement": "alpha is then 0 although nearly all agree",
    "ceiling": "Read the four together",
    "negative": "Alpha is below 0",
    "unused-categories": "Never used on the declared scale: 0, 1, 2, 3, 9, 10",
    "two-raters": "Two raters: one disagreement cannot be laid at either’s door".replace("’", "'"),
    "one-rater-missing-half": "Rater C rated 15 of 30 items.",
    "fewer-than-six-runs": "Fewer than six runs (G = 5): no between-run interval can be given.",
    "stratified": "Items were sampled with unequal probabilities",
}


def simulated(
    draw: Draw = varied,
    *,
    items: int = 30,
    runs: int = 15,
    raters: tuple[str, ...] = RATERS,
    rubric: RatingRubric = RUBRIC,
    judge: Draw | None = None,
    stratified: bool = False,
    seed: int = 7,
    repeats: int = 6,
    **changes: Any,
) -> PanelRatings:
    """A closed panel; ``judge`` draws a judge's scores, where None leaves them out."""
    rng = np.random.default_rng(seed)
    tables = {one.id: draw(rng, items, len(raters)) for one in rubric.dimensions}
    for one in rubric.dimensions:
        if not one.scale.kind.is_ordered:
            tables[one.id] = np.where(np.isfinite(tables[one.id]), tables[one.id] % len(one.scale.values), np.nan)
    scores = {one.id: judge(rng, items, 1)[:, 0] for one in rubric.dimensions} if judge else {}
    facts = tuple(
        ReportedItem(
            number=row + 1,
            name=f"item-{row + 1:03d}",
            key=f"study|{row % runs}|{row:03d}",
            unit=f"run {row % runs}",
            strata={"era": f"E{row % 4 + 1}", "mode": ("history", "fiction")[row % 2], "model": f"m/{row % 3}"},
            probability=(0.2 if row % 3 else 0.9) if stratified else 0.5,
            words=200 + 20 * row,
            judge={one: int(values[row]) for one, values in scores.items()},
            text=f"word{row % 2} alpha beta gamma",
        )
        for row in range(items)
    )
    given = []
    for column, rater in enumerate(raters):
        order = rng.permutation(items)
        for position, row in enumerate(order, start=1):
            values = {one: int(table[row, column]) for one, table in tables.items() if np.isfinite(table[row, column])}
            given.append(GivenRating(row + 1, rater, 1, position, values, "" if values else "cannot_judge"))
        for row in order[:repeats]:
            values = {one: int(table[row, column]) for one, table in tables.items() if np.isfinite(table[row, column])}
            again = {one: _again(rng, one, value) for one, value in values.items()}
            given.append(GivenRating(row + 1, rater, 2, items + int(row) + 1, again))
    made = PanelRatings(
        name="Panel A",
        panel_hash="c41d" + "0" * 56 + "08fe",
        closed_at="2026-11-30T12:00:00.000+00:00",
        rubric=rubric,
        plan=AnalysisPlan(),
        raters=raters,
        items=facts,
        given=tuple(given),
        guesses=tuple(
            GuessMade(row + 1, rater, "model", (None, "m/0", "m/1", "m/2")[row % 4])
            for rater in raters
            for row in range(0, min(items, 18), 2)
        ),
        arms={"model": ("m/0", "m/1", "m/2"), "condition": ("full",)},
        adjudicated=2,
        unopened={},
        trained=dict.fromkeys(raters, 3),
    )
    return PanelRatings(**{**{name: getattr(made, name) for name in made.__slots__}, **changes})


def _again(rng: np.random.Generator, dimension: str, value: int) -> int:
    """The same rater's value on another day."""
    moved = value + int(rng.integers(-1, 2))
    return max(0, min(2 if dimension == "kind" else 10, moved))
