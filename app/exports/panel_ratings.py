"""Ratings of a panel as files: long and wide CSV, and the dictionary that says what each column means."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LONG = {
    "panel_hash": "SHA-256 of the locked design, in hex",
    "item": "the item's number in this panel; it means nothing else",
    "run": "what belongs together (the run an item comes from): the unit to leave out in a jackknife",
    "rater": "pseudonym of the rater, by slot",
    "occasion": "1 for the first rating of an item, 2 for its hidden repeat; only 1 enters agreement",
    "position": "place in the rater's queue, from 1, repeats counted",
    "dimension": "id of the rubric's dimension",
    "value": "the value given, on the declared scale; empty where the item was skipped",
    "label": "the value's name, on scales that have names",
    "confidence": "low, medium or high; empty where it was not said",
    "skip_reason": "why there is no value; empty for a rating",
    "flagged": "yes where the rater asked for a second look",
    "seen_before": "yes or no where the rater was asked whether the company was met before",
    "active_ms": "milliseconds in which the page was visible and used within 30 s; empty where not known",
    "active_reason": "why active_ms is empty",
    "wall_ms": "milliseconds from first opening the item to this submission",
    "revision": "how many times the rater submitted or skipped the item; the last one is given here",
    "rubric_version": "start of the SHA-256 of the rubric in force",
    "submitted_at": "time of the submission, UTC, ISO 8601",
    "inclusion_probability": "probability with which the draw takes the item; its inverse is the item's weight",
    "scale_low": "lowest value of the dimension's declared scale",
    "scale_high": "highest value of the dimension's declared scale",
}
"""Columns of the long file with their meaning, in order."""
WIDE = {
    "panel_hash": LONG["panel_hash"],
    "item": LONG["item"],
    "run": LONG["run"],
    "dimension": "id of the rubric's dimension; composite-score is the sum of a rater's values of all ordered ones",
    "Rater A, Rater B, …": "a column per rater: the value of the first occasion; empty where skipped or not reached",
    "inclusion_probability": LONG["inclusion_probability"],
    "scale_low": LONG["scale_low"],
    "scale_high": LONG["scale_high"],
}
"""Columns of the wide file with their meaning, in order."""
MASKS = {
    "panel_hash": LONG["panel_hash"],
    "item": LONG["item"],
    "section": "heading of the part of the packet in which the mask stands",
    "kind": "company, run, model, condition, role, authorship, score, citation, or added by the operator",
    "before": "the text before it",
    "masked": "what raters do not read",
    "after": "the text after it",
    "shown_as": "what stands in its place; empty where it is left out",
}
"""Columns of the file of masks with their meaning, in order."""
FIELDS = {
    "panel_hash": LONG["panel_hash"],
    "state, locked_at, closed_at": "where the panel stands, and since when (UTC)",
    "locked": "all that the hash covers: design, hash of the frame, sample, order of every queue, what came out short",
    "amendments": "each change after the lock with field, before, after, reason and time",
    "rubric_version": LONG["rubric_version"],
    "items": "every item of the sample: key, run, inclusion_probability, strata; judge's scores once closed",
    "raters": "by pseudonym: claimed, consented_at and consent_sha256, finished_at, remarks",
    "ratings": "every revision of every rating and skip, undone ones and training (by kind) included",
    "guesses": "once closed: what a rater took an item to be, and what it is; a guess of null is don't know",
    "adjudications": "once closed: values settled afterwards with their reasons; they never enter agreement",
}
"""Fields of panel.json with their meaning."""
Ends = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RatedItem:
    """What is said of an item in every file."""

    number: int
    unit: str
    probability: float

    @property
    def name(self) -> str:
        """The item's name in files."""
        return f"item-{self.number:03d}"


@dataclass(frozen=True, slots=True)
class RatedPlace:
    """One answered place of a rater's queue; ``values`` by dimension is empty for a skipped one."""

    item: RatedItem
    rater: str
    occasion: int
    position: int
    values: Mapping[str, int]
    labels: Mapping[str, str]
    confidence: str
    skip_reason: str
    flagged: bool
    seen_before: bool | None
    active_ms: int | None
    active_reason: str
    wall_ms: int
    revision: int
    rubric_version: str
    submitted_at: str


@dataclass(frozen=True, slots=True)
class MaskLine:
    """One mask of one item."""

    item: str
    section: str
    kind: str
    before: str
    found: str
    after: str
    put: str


def as_long(panel_hash: str, scales: Mapping[str, Ends], places: Iterable[RatedPlace]) -> str:
    """One line per rating and dimension; a skipped item has a line per dimension without a value.

    ``scales`` are the ends of each dimension's scale by its id.
    """
    return _csv(LONG, (_line(panel_hash, place, name, scales[name]) for place in places for name in scales))


def as_wide(
    panel_hash: str,
    scales: Mapping[str, Ends],
    sums: Mapping[str, Sequence[str]],
    raters: Sequence[str],
    places: Sequence[RatedPlace],
) -> str:
    """One line per item and dimension with a column per rater: first occasions only, empty where skipped or open.

    ``sums`` are further lines: the sum of a rater's values of several dimensions, where all of them were given.
    """
    items = {place.item.number: place.item for place in places}
    given = {(place.item.number, place.rater): place.values for place in places if place.occasion == 1}
    parts = {**{name: (name,) for name in scales}, **sums}
    ends = {name: tuple(sum(scales[part][end] for part in parts[name]) for end in (0, 1)) for name in parts}
    lines = (
        {
            "panel_hash": panel_hash,
            "item": item.name,
            "run": item.unit,
            "dimension": name,
            **{rater: _sum(given.get((number, rater), {}), parts[name]) for rater in raters},
            "inclusion_probability": _exact(item.probability),
            "scale_low": ends[name][0],
            "scale_high": ends[name][1],
        }
        for number, item in sorted(items.items())
        for name in parts
    )
    columns = ("panel_hash", "item", "run", "dimension", *raters, "inclusion_probability", "scale_low", "scale_high")
    return _csv(columns, lines)


def as_masks(panel_hash: str, masks: Iterable[MaskLine]) -> str:
    """One line per mask with the text around it: the audit of a panel's blinding."""
    lines = (
        dict(
            zip(
                MASKS,
                (panel_hash, one.item, one.section, one.kind, one.before, one.found, one.after, one.put),
                strict=True,
            )
        )
        for one in masks
    )
    return _csv(MASKS, lines)


def as_dictionary(panel_hash: str, scales: Mapping[str, str]) -> str:
    """The data dictionary as Markdown; ``scales`` describes the scale of each dimension."""
    lines = [
        "# Data dictionary",
        "",
        f"Panel {panel_hash}. Missing cells are empty, never 0. Numbers have a point; lines end with LF.",
        "",
        *_columns("ratings-long.csv", LONG),
        *_columns("ratings-wide.csv", WIDE),
        *_columns("masks.csv", MASKS),
        *_columns("panel.json", FIELDS),
        "## Dimensions",
        "",
        "| dimension | scale |",
        "|---|---|",
        *(f"| `{name}` | {scale} |" for name, scale in scales.items()),
    ]
    return "\n".join(lines) + "\n"


def _columns(file: str, meanings: Mapping[str, str]) -> list[str]:
    rows = (f"| `{name}` | {meaning} |" for name, meaning in meanings.items())
    return [f"## {file}", "", "| name | meaning |", "|---|---|", *rows, ""]


def _sum(values: Mapping[str, int], names: Sequence[str]) -> int | str:
    return sum(values[name] for name in names) if all(name in values for name in names) else ""


def _line(panel_hash: str, place: RatedPlace, dimension: str, scale: Ends) -> dict[str, object]:
    seen = {True: "yes", False: "no", None: ""}[place.seen_before]
    return {
        "panel_hash": panel_hash,
        "item": place.item.name,
        "run": place.item.unit,
        "rater": place.rater,
        "occasion": place.occasion,
        "position": place.position,
        "dimension": dimension,
        "value": place.values.get(dimension, ""),
        "label": place.labels.get(dimension, ""),
        "confidence": place.confidence,
        "skip_reason": place.skip_reason,
        "flagged": "yes" if place.flagged else "",
        "seen_before": seen,
        "active_ms": "" if place.active_ms is None else place.active_ms,
        "active_reason": place.active_reason,
        "wall_ms": place.wall_ms,
        "revision": place.revision,
        "rubric_version": place.rubric_version,
        "submitted_at": place.submitted_at,
        "inclusion_probability": _exact(place.item.probability),
        "scale_low": scale[0],
        "scale_high": scale[1],
    }


def _csv(columns: Iterable[str], lines: Iterable[Mapping[str, object]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    for line in lines:
        writer.writerow({name: _harmless(value) for name, value in line.items()})
    return out.getvalue()


def _harmless(value: object) -> object:
    """Text that a spreadsheet would run as a formula is quoted with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value


def _exact(number: float) -> str:
    return repr(float(number))
