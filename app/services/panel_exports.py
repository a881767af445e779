"""A panel's exports: what was rated, by whom as a pseudonym, under which design and hash."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.domain.ids import PanelItemId, RaterId
from app.domain.rating.closing import rater_label
from app.domain.rating.scales import RatingRubric, RatingScale
from app.domain.rating.sessions import Kind, PanelState
from app.domain.reports.agreement_ratings import COMPOSITE
from app.exports.panel_ratings import MaskLine, RatedItem, RatedPlace, as_dictionary, as_long, as_masks, as_wide
from app.services.errors import RefusedError
from app.services.panel_masks import list_masks
from app.services.panel_words import masked_words, prints_about
from app.services.unit_of_work import Reading
from app.storage.panels import FrameLine, Panel
from app.storage.raters import Rater
from app.storage.ratings import Assignment, Rating

FILES = {
    "ratings-long.csv": "one line per rating and dimension",
    "ratings-wide.csv": "one line per item and dimension, a column per rater",
    "panel.json": "design, hash, amendments, sample with probabilities, every revision of every rating",
    "masks.csv": "every mask of every item with the text around it (unmasked: not for raters)",
    "dictionary.md": "what every column means",
}


def export_panel(reading: Reading, panel_id: UUID, name: str) -> str:
    """The text of one of FILES. Raises RefusedError before the lock, KeyError for an unknown name."""
    panel = reading.panels.get(panel_id)
    if panel.locked_hash is None:
        raise RefusedError("There is nothing to export before the design is locked.")
    rubric = panel.design.rubric
    digest = panel.locked_hash
    if name == "dictionary.md":
        return as_dictionary(digest, {one.id: _scale(one.scale) for one in rubric.dimensions})
    places = rated_places(reading, panel)
    if name == "ratings-long.csv":
        return as_long(digest, _ends(rubric), places)
    raters = [rater_label(rater.slot) for rater in reading.raters.of_panel(panel_id)]
    return {
        "ratings-wide.csv": lambda: as_wide(digest, _ends(rubric), _sums(rubric), raters, places),
        "panel.json": lambda: _json(reading, panel),
        "masks.csv": lambda: as_masks(digest, _masks(reading, panel)),
    }[name]()


def _masks(reading: Reading, panel: Panel) -> Iterator[MaskLine]:
    """Every mask of the items that raters read, by item."""
    lines = {line.key: _item(line) for line in reading.panels.lines(panel.id) if line.use != "frame"}
    design = panel.locked.design if panel.locked else panel.design
    for item in list_masks(reading.panels.items(panel.id, tuple(lines)), design):
        name = lines[item.key].name
        for one in item.masks:
            yield MaskLine(name, one.section, one.kind, one.before, one.found, one.after, one.put)


def rated_places(reading: Reading, panel: Panel) -> tuple[RatedPlace, ...]:
    """Every answered place of the queues that count, in its last revision; training never enters."""
    slots = {rater.id: rater.slot for rater in reading.raters.of_panel(panel.id)}
    items = {line.id: line for line in reading.panels.lines(panel.id)}
    latest = reading.ratings.latest(tuple(slots))
    return tuple(
        _place(assignment, latest[assignment.id], items[assignment.item_id], slots, panel.design.rubric)
        for assignment in reading.ratings.of_panel(panel.id)
        if assignment.kind is Kind.MAIN and assignment.status != "open" and assignment.id in latest
    )


def _place(
    assignment: Assignment, rating: Rating, line: FrameLine, slots: Mapping[RaterId, int], rubric: RatingRubric
) -> RatedPlace:
    answer = rating.answer
    values = dict(answer.values) if answer else {}
    scales = {one.id: one.scale for one in rubric.dimensions}
    labels = {name: scales[name].labels[value] for name, value in values.items() if value in scales[name].labels}
    return RatedPlace(
        item=_item(line),
        rater=rater_label(slots[assignment.rater_id]),
        occasion=assignment.occasion,
        position=assignment.position,
        values=values,
        labels=labels,
        confidence=str(answer.confidence or "") if answer else "",
        skip_reason=str(rating.skip_reason or ""),
        flagged=bool(answer and answer.flagged),
        seen_before=answer.seen_before if answer else None,
        active_ms=rating.active_ms,
        active_reason=rating.active_reason or "",
        wall_ms=rating.wall_ms,
        revision=rating.revision,
        rubric_version=rating.rubric_version,
        submitted_at=_utc(rating.submitted_at),
    )


def _item(line: FrameLine) -> RatedItem:
    return RatedItem(line.number or 0, line.unit, line.probability or 0.0)


def _json(reading: Reading, panel: Panel) -> str:
    """Everything in one file; the judge's scores and settled values only once the panel is closed."""
    closed = panel.state is PanelState.CLOSED
    lines = [line for line in reading.panels.lines(panel.id) if line.use == "sample"]
    raters = reading.raters.of_panel(panel.id)
    slots = {rater.id: rater.slot for rater in raters}
    prints = prints_about(reading, panel.design.source_ids)
    body: dict[str, Any] = {
        "panel_hash": panel.locked_hash,
        "state": panel.state,
        "locked_at": _utc(panel.locked_at) if panel.locked_at else None,
        "closed_at": _utc(panel.closed_at) if panel.closed_at else None,
        "locked": panel.locked.model_dump(mode="json") if panel.locked else None,
        "amendments": masked_words([one.model_dump(mode="json") for one in panel.amendments], prints),
        "rubric_version": panel.design.rubric.version,
        "items": [
            _item_json(line) | ({"judge": line.judge} if closed else {})
            for line in sorted(lines, key=lambda line: line.number or 0)
        ],
        "raters": masked_words([_rater_json(rater) for rater in raters], prints),
        "ratings": masked_words(_revisions(reading, panel, slots), prints),
    }
    if closed:
        body["guesses"] = _guesses(reading, panel, slots)
        numbers = {line.id: _item(line).name for line in lines}
        settled = [
            {"item": numbers[one.item_id], "dimension": one.dimension, "value": one.value, "reason": one.reason}
            for one in reading.panels.adjudications(panel.id)
        ]
        body["adjudications"] = masked_words(settled, prints)
    return json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _item_json(line: FrameLine) -> dict[str, Any]:
    return {
        "item": _item(line).name,
        "key": line.key,
        "run": line.unit,
        "inclusion_probability": line.probability,
        "strata": line.strata,
        "intervened": line.intervened,
    }


def _rater_json(rater: Rater) -> dict[str, Any]:
    return {
        "rater": rater_label(rater.slot),
        "claimed": rater.claimed_at is not None,
        "consented_at": _utc(rater.consented_at) if rater.consented_at else None,
        "consent_sha256": rater.consent_hash,
        "finished_at": _utc(rater.finished_at) if rater.finished_at else None,
        "remarks": rater.remarks,
    }


def _revisions(reading: Reading, panel: Panel, slots: Mapping[RaterId, int]) -> list[dict[str, Any]]:
    """Every submission and skip, training and undone ones included and named as such."""
    names = {line.id: _item(line).name for line in reading.panels.lines(panel.id)}
    places = {one.id: one for one in reading.ratings.of_panel(panel.id)}
    return [
        _revision(places[rating.assignment_id], rating, names, slots)
        for rating in reading.ratings.every_revision(tuple(slots))
    ]


def _revision(
    place: Assignment, rating: Rating, names: Mapping[PanelItemId, str], slots: Mapping[RaterId, int]
) -> dict[str, Any]:
    return {
        "kind": place.kind,
        "item": names[place.item_id],
        "rater": rater_label(slots[place.rater_id]),
        "occasion": place.occasion,
        "position": place.position,
        "revision": rating.revision,
        "answer": rating.answer.model_dump(mode="json") if rating.answer else None,
        "skip_reason": rating.skip_reason,
        "skip_note": rating.skip_note,
        "first_locked_at": _utc(place.locked_at) if place.locked_at else None,
        "active_ms": rating.active_ms,
        "active_reason": rating.active_reason,
        "wall_ms": rating.wall_ms,
        "rubric_version": rating.rubric_version,
        "submitted_at": _utc(rating.submitted_at),
    }


def _guesses(reading: Reading, panel: Panel, slots: Mapping[RaterId, int]) -> list[dict[str, Any]]:
    places = {one.id: one for one in reading.ratings.of_panel(panel.id)}
    lines = {line.id: line for line in reading.panels.lines(panel.id)}
    return [
        {
            "item": _item(lines[places[one.assignment_id].item_id]).name,
            "rater": rater_label(slots[places[one.assignment_id].rater_id]),
            "about": one.about,
            "guess": one.guess,
            "truth": lines[places[one.assignment_id].item_id].strata.get(one.about),
        }
        for one in reading.ratings.guesses(panel.id)
    ]


def _ends(rubric: RatingRubric) -> dict[str, tuple[int, int]]:
    return {one.id: (one.scale.values[0], one.scale.values[-1]) for one in rubric.dimensions}


def _sums(rubric: RatingRubric) -> dict[str, tuple[str, ...]]:
    """The composite as the report has it."""
    ordered = tuple(one.id for one in rubric.dimensions if one.scale.kind.is_ordered)
    return {COMPOSITE: ordered} if len(ordered) > 1 else {}


def _scale(scale: RatingScale) -> str:
    named = (f"{value} = {scale.labels[value]}" if value in scale.labels else str(value) for value in scale.values)
    return f"{scale.kind}: {', '.join(named)}"


def _utc(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds")
