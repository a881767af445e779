"""Closed panels in a database, rated by drawn numbers instead of people."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.domain.ids import PanelId
from app.domain.rating.allocation import Allocation
from app.domain.rating.answers import Answer, SkipReason
from app.domain.rating.designs import PanelDesign, SourceKind
from app.domain.rating.packets import Packet, Section
from app.domain.rating.scales import RatingRubric
from app.domain.rating.sessions import Kind, Status
from app.domain.rating.training import TrainingItem, TrainingPlan
from app.services.frame_items import SourceItem
from app.services.panels import close_panel, create_panel, lock_panel
from app.services.unit_of_work import Work, unit_of_work
from app.storage.ratings import Assignment, Guess, Rating
from tests.agreement_report.simulated import NAMES, RUBRIC, Draw, varied

MODELS = ("alpha/one", "beta/two")


def frame(items: int, runs: int, scores: dict[str, np.ndarray] | None = None) -> list[SourceItem]:
    """Items of ``runs`` runs; two of three are of the first era, so that equal places make unequal chances."""
    made = []
    for number in range(items):
        words = "word " * (40 + 12 * (number % 25))
        sections = (
            Section(id="decision", title="Decision", text=f"We build number {number}. {words}"),
            Section(id="outcome", title="What happened", text="It happened.", world=True, outcome=True),
        )
        made.append(
            SourceItem(
                key=f"study|{number % runs:02d}|{number:03d}",
                unit=f"run {number % runs}",
                strata={
                    "mode": ("history", "fiction")[number // 2 % 2],
                    "era": "E2" if number % 3 == 2 else "E1",
                    "model": MODELS[number % runs % 2],
                },
                packet=Packet(sections=sections),
                judge={name: int(values[number]) for name, values in (scores or {}).items()},
            )
        )
    return made


def closed_panel(
    draw: Draw = varied,
    *,
    name: str = "Panel A",
    items: int = 30,
    runs: int = 15,
    raters: int | tuple[str, ...] = 3,
    rubric: RatingRubric = RUBRIC,
    scores: dict[str, np.ndarray] | None = None,
    stratified: bool = False,
    seed: int = 7,
    source: list[SourceItem] | None = None,
    close: bool = True,
    **plan: Any,
) -> PanelId:
    """A panel that raters finished. Rows of what ``draw`` gives go to the items in the order of their keys."""
    people = raters if isinstance(raters, int) else len(raters)
    whole = source or frame(items * 2 if stratified else items + 2, runs, scores)
    training = [] if source else whole[-2:]
    design = PanelDesign.model_validate(
        {
            "name": name,
            "source": SourceKind.TABLE,
            "with_interventions": any(one.intervened for one in whole),
            "rubric": rubric,
            "strata": ("era",) if stratified else (),
            "allocation": Allocation.EQUAL if stratified else Allocation.PROPORTIONAL,
            "items": items,
            "cap": 0,
            "seed": seed,
            "raters": people,
            "repeats": 4,
            "plan": plan,
            "training": TrainingPlan(
                items=tuple(TrainingItem(key=one.key, consensus={next(iter(NAMES)): 5}) for one in training)
            ),
        }
    )
    with unit_of_work() as work:
        panel_id = create_panel(work, design, whole, None)
    with unit_of_work() as work:
        lock_panel(work, panel_id)
        rate(work, panel_id, draw, seed)
        if close:
            close_panel(work, panel_id)
    return panel_id


def rate(work: Work, panel_id: PanelId, draw: Draw, seed: int) -> None:
    """Fill every queue; missing values become skips, guesses follow for the first items of each rater."""
    rng = np.random.default_rng(seed)
    rubric = work.panels.get(panel_id).design.rubric
    sample = work.panels.rated_items(panel_id)
    rows = {item.id: row for row, item in enumerate(sample)}
    slots = {rater.id: place for place, rater in enumerate(work.raters.of_panel(panel_id))}
    tables = {one.id: draw(rng, len(sample), len(slots)) for one in rubric.dimensions}
    for one in rubric.dimensions:
        if not one.scale.kind.is_ordered:
            tables[one.id] = tables[one.id] % len(one.scale.values)
    for place in work.ratings.of_panel(panel_id):
        values: dict[str, int] = {}
        for one in rubric.dimensions:
            drawn = 5.0 if place.kind is Kind.TRAINING else tables[one.id][rows[place.item_id], slots[place.rater_id]]
            moved = drawn + (rng.integers(-1, 2) if place.occasion > 1 else 0)
            if np.isfinite(moved):
                values[one.id] = int(np.clip(moved, one.scale.values[0], one.scale.values[-1]))
        _submit(work, place, values, rubric.version)
    arms = work.panels.arms(panel_id)
    for place in work.ratings.of_panel(panel_id):
        if place.kind is Kind.MAIN and place.occasion == 1 and place.position <= 6:
            for about, names in arms.items():
                guess = (None, *names)[int(rng.integers(0, len(names) + 1))]
                work.ratings.add_guess(work.new_id(), Guess(place.id, about, guess), work.now)


def _submit(work: Work, place: Assignment, values: dict[str, int], version: str) -> None:
    rating = Rating(
        assignment_id=place.id,
        revision=1,
        key=place.key,
        answer=Answer(values=values) if values else None,
        skip_reason=None if values else SkipReason.CANNOT_JUDGE,
        skip_note="",
        rubric_version=version,
        active_ms=40_000,
        active_reason=None,
        wall_ms=60_000,
        submitted_at=work.now,
    )
    work.ratings.add_rating(work.new_id(), rating)
    status = Status.SUBMITTED if values else Status.SKIPPED
    work.ratings.change(place.id, status=status, answered_at=work.now, opened_at=work.now, wall_ms=60_000)
