"""Which column of a ratings file is what."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.imports.rating_cells import NUMBER, RatingsError

ITEMS = ("item", "item_id", "item_number", "unit", "unit_id", "case", "subject", "target", "decision", "document", "id")
RATERS = ("rater", "rater_id", "rater_pseudonym", "annotator", "coder", "judge", "reviewer", "observer")
VALUES = ("value", "rating", "score", "label", "code", "category")
DIMENSIONS = ("dimension", "criterion", "aspect", "variable")
CLUSTERS = ("run", "run_id", "cluster", "group")
WEIGHTS = ("weight", "inverse_inclusion_probability")
PROBABILITIES = ("inclusion_probability", "probability")
NEVER_RATERS = (
    "era", "mode", "condition", "model", "stratum", "panel", "panel_hash", "rubric_version", "position", "occasion",
    "confidence", "skip_reason", "active_ms", "wall_ms", "submitted_at", "note", "notes", "comment", "scale_low",
    "scale_high",
)  # fmt: skip
RATER_LIKE = re.compile(
    r"(rater|annotator|coder|judge|reviewer|observer)[ _-]?[a-z0-9]{0,3}|r[ _-]?[0-9]{1,3}", re.IGNORECASE
)


@dataclass(frozen=True)
class Columns:
    """Positions of the columns; None where the file has none.

    `low` and `high` hold the ends of the row's scale.
    `raters` are the rater columns of a wide file; `probability` says that `weight` holds inclusion probabilities;
    `cluster_hint` names a column that looks like runs and was not asked for. Without a header line the first row is
    data and `headed` is False. `rows_are_raters` says that the first column of a wide file is headed as a rater.
    """

    item: int | None = None
    rater: int | None = None
    value: int | None = None
    dimension: int | None = None
    occasion: int | None = None
    position: int | None = None
    cluster: int | None = None
    weight: int | None = None
    probability: bool = False
    low: int | None = None
    high: int | None = None
    raters: tuple[int, ...] = ()
    unused: tuple[str, ...] = ()
    cluster_hint: str | None = None
    headed: bool = True
    rows_are_raters: bool = False

    @property
    def taken(self) -> set[int]:
        """Positions that have a meaning other than a rater's column."""
        places = (self.item, self.rater, self.value, self.dimension, self.occasion, self.position, self.cluster)
        return {place for place in (*places, self.weight, self.low, self.high) if place is not None}


def plain(name: str) -> str:
    """A column's name without case, spaces and hyphens."""
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def long_columns(header: list[str], cluster: str | None) -> Columns | None:
    """The columns of a long file; None when the header names no rater or no value column.

    Raises RatingsError for a long file without items, two columns of one name, or a missing cluster column.
    """
    rater, value = _find(header, RATERS), _find(header, VALUES)
    if rater is None or value is None:
        return None
    _check_names(header)
    item = _find(header, ITEMS)
    if item is None:
        raise RatingsError("no column names the items", "add a column 'item' that says what each rating is of", 1)
    found = replace(
        _shared(header, cluster),
        item=item,
        rater=rater,
        value=value,
        occasion=_find(header, ("occasion",)),
        position=_find(header, ("position",)),
    )
    unused = tuple(name for place, name in enumerate(header) if place not in found.taken and name)
    return replace(found, unused=unused)


def wide_columns(header: list[str], cluster: str | None) -> Columns:
    """The columns of a wide file: whatever is not item, dimension, cluster or weight is a rater.

    Raises RatingsError for fewer than two raters, two columns of one name, or a missing cluster column.
    """
    counted = not header[0] and header[1:] == [str(number) for number in range(len(header) - 1)]
    if cluster is None and not counted and all(not name or NUMBER.fullmatch(name) for name in header):
        return Columns(raters=tuple(range(len(header))), headed=False)
    _check_names(header)
    found = _shared(header, cluster)
    item = _find(header, ITEMS)
    # A first column called 'rater' in a wide file holds the row labels of a transposed table.
    aside = item is None and plain(header[0]) in RATERS
    if item is None and (aside or not header[0]):
        item = 0
    found = replace(found, item=item, rows_are_raters=aside)
    taken = found.taken
    reserved = {*NEVER_RATERS, *CLUSTERS, *DIMENSIONS, *WEIGHTS, *PROBABILITIES}
    raters = tuple(
        place for place, name in enumerate(header) if place not in taken and name and plain(name) not in reserved
    )
    if len(raters) < 2:
        raise RatingsError(
            "fewer than two columns hold ratings",
            "give one column per rater, or one rating per line with the columns item, rater and value",
            1,
        )
    unused = tuple(name for place, name in enumerate(header) if name and place not in taken and place not in raters)
    return replace(found, raters=raters, unused=unused)


def looks_like_raters(labels: Iterable[str]) -> bool:
    """Whether most labels read like "rater 1", "R2" or "Annotator B"."""
    asked = list(labels)
    return bool(asked) and 2 * sum(RATER_LIKE.fullmatch(label.strip()) is not None for label in asked) > len(asked)


def named_apart(name: str, others: Iterable[str]) -> bool:
    """Whether a column's name follows another pattern than those beside it, as "R1" beside "R2" does not."""

    def stem(text: str) -> str:
        return re.sub(r"[\W\d_]+", "", text).lower()

    return len(name) > 2 and all(stem(name) != stem(other) for other in others)


def _shared(header: list[str], cluster: str | None) -> Columns:
    place = None
    if cluster is not None:
        place = next((number for number, name in enumerate(header) if plain(name) == plain(cluster)), None)
        if place is None:
            raise RatingsError(
                f"there is no column '{cluster}'", f"name one of: {', '.join(filter(None, header))}, after --cluster", 1
            )
    weight, probability = _find(header, WEIGHTS), _find(header, PROBABILITIES)
    return Columns(
        dimension=_find(header, DIMENSIONS),
        cluster=place,
        weight=probability if weight is None else weight,
        probability=weight is None and probability is not None,
        low=_find(header, ("scale_low",)),
        high=_find(header, ("scale_high",)),
        cluster_hint=_hint(header, cluster),
    )


def _find(header: list[str], names: tuple[str, ...]) -> int | None:
    known = [plain(name) for name in header]
    return next((known.index(name) for name in names if name in known), None)


def _hint(header: list[str], cluster: str | None) -> str | None:
    place = _find(header, CLUSTERS) if cluster is None else None
    return None if place is None else header[place]


def _check_names(header: list[str]) -> None:
    seen: set[str] = set()
    for name in header:
        if name and plain(name) in seen:
            raise RatingsError(f"two columns are called '{name}'", "give every column a name of its own", 1)
        seen.add(plain(name))
