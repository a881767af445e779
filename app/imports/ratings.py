"""Ratings from a CSV file, one rating a line (long) or one item a line (wide)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.imports.rating_cells import MOST_BYTES, MOST_ROWS, RatingsError, read_rows
from app.imports.rating_columns import Columns, long_columns, wide_columns
from app.imports.rating_tables import MOST_CELLS, Collected, collect_long, collect_wide
from app.imports.rating_transposed import question_about

__all__ = ["RatingsError", "RatingsFile", "RatingsTable", "read_ratings"]

Floats = NDArray[np.float64]
MOST_RATERS = 100


@dataclass(frozen=True, eq=False)
class RatingsTable:
    """One dimension: `values` (items, raters) of the first occasion, NaN where missing.

    `clusters` is one label per item and `weights` one inverse inclusion probability, None where the file has none;
    `positions` and `repeats` (second occasion) are (items, raters), None likewise; `scale` is declared by
    the file itself or by the caller.
    """

    items: tuple[str, ...]
    values: Floats
    clusters: tuple[str, ...] | None = None
    weights: Floats | None = None
    positions: Floats | None = None
    repeats: Floats | None = None
    scale: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class RatingsFile:
    """What a file holds; `said` tells how it was read, `question` what to ask before the numbers are trusted.

    `names` are the categories in order of their codes where ratings are words, empty for numbers.
    """

    layout: Literal["long", "wide"]
    raters: tuple[str, ...]
    dimensions: dict[str, RatingsTable]
    names: tuple[str, ...] = ()
    said: list[str] = field(default_factory=list)
    question: str | None = None

    @property
    def numeric(self) -> bool:
        """Whether ratings are numbers."""
        return not self.names

    def turned(self) -> RatingsFile:
        """The same file read the other way round: rows are raters, columns are items."""
        dimensions = {name: RatingsTable(self.raters, table.values.T.copy()) for name, table in self.dimensions.items()}
        raters = next(iter(self.dimensions.values())).items
        _check_size(len(raters), len(self.raters))
        said = [*self.said, f"Turned: {len(self.raters)} columns are the items, {len(raters)} rows the raters."]
        return replace(self, raters=raters, dimensions=dimensions, said=said, question=None)


def read_ratings(
    path: Path,
    *,
    scale: tuple[float, float] | None = None,
    cluster: str | None = None,
    most_bytes: int = MOST_BYTES,
    most_rows: int = MOST_ROWS,
) -> RatingsFile:
    """Read a ratings file and say how.

    `cluster` names the column of what belongs together; `scale` holds for dimensions of which the file itself
    (columns scale_low and scale_high) does not say one. Raises RatingsError, with line and mend, for anything that
    cannot be read without guessing.
    """
    rows = read_rows(path, most_bytes=most_bytes, most_rows=most_rows)
    columns = long_columns(rows.header, cluster)
    if columns is not None:
        collected = collect_long(rows, columns)
        layout: Literal["long", "wide"] = "long"
    else:
        columns = wide_columns(rows.header, cluster)
        collected = collect_wide(rows, columns)
        layout = "wide"
    declared = [cells.scale for cells in collected.dimensions.values()]
    values, names = collected.texts.values(None if any(declared) else scale)
    if any(declared):
        _declare(collected, values, scale)
    question = question_about(layout, collected, columns)
    _check_size(len(collected.raters), len(collected.items), asked=question is not None)
    dimensions = _tables(collected, values, columns)
    said = [*_layout_words(layout, columns, rows.delimiter), *collected.said]
    return RatingsFile(layout, tuple(collected.raters), dimensions, names, said, question)


def _declare(collected: Collected, values: Floats, scale: tuple[float, float] | None) -> None:
    """Check each dimension against the scale that the file says, the caller's where it says none."""
    said = []
    for name, cells in collected.dimensions.items():
        cells.scale = cells.scale or scale
        if cells.scale is None:
            continue
        low, high = cells.scale
        said.append(f"{name} {low:g} to {high:g}")
        outside = [cell for cell, code in cells.first.items() if code >= 0 and not low <= values[code] <= high]
        if outside:
            raise RatingsError(
                f"{values[cells.first[outside[0]]]:g} lies outside the scale of {name}, {low:g} to {high:g}",
                "mend the rating, or the columns scale_low and scale_high",
                cells.line_of(outside[0]),
            )
    collected.said.append(f"Scales: {', '.join(said)}.")


def _tables(collected: Collected, values: Floats, columns: Columns) -> dict[str, RatingsTable]:
    labels = list(collected.items)
    tables = {}
    for name, cells in collected.dimensions.items():
        places = np.array(sorted({item for item, _ in cells.first}), dtype=np.int64)
        row = {int(place): number for number, place in enumerate(places)}
        shape = (len(places), len(collected.raters))
        first, repeats, positions = (np.full(shape, np.nan) for _ in range(3))
        for (item, rater), code in cells.first.items():
            first[row[item], rater] = values[code]
        for (item, rater), code in cells.second.items():
            repeats[row[item], rater] = values[code]
        for (item, rater), position in cells.positions.items():
            positions[row[item], rater] = position
        tables[name] = RatingsTable(
            items=tuple(labels[place] for place in places),
            values=first,
            clusters=tuple(collected.clusters[place] for place in places) if columns.cluster is not None else None,
            weights=np.array([collected.weights[place] for place in places]) if columns.weight is not None else None,
            positions=positions if cells.positions else None,
            repeats=repeats if cells.second else None,
            scale=cells.scale,
        )
    if not any(np.isfinite(table.values).any() for table in tables.values()):
        raise RatingsError("there is not one rating below the header", "add the ratings, one item or rating per line")
    return tables


def _check_size(raters: int, items: int, *, asked: bool = False) -> None:
    if raters > MOST_RATERS and not asked:
        raise RatingsError(
            f"{raters} raters are more than the {MOST_RATERS} this command compares",
            "check which column names the raters, or compare fewer at a time",
        )
    if raters * items > MOST_CELLS:
        raise RatingsError(
            f"{items} items by {raters} raters are more than {MOST_CELLS} cells", "split the file by dimension or rater"
        )


def _layout_words(layout: str, columns: Columns, delimiter: str) -> list[str]:
    what = "one rating per line" if layout == "long" else "one item per line, one rater per column"
    sign = {",": "commas", ";": "semicolons", "\t": "tabs"}[delimiter]
    said = [f"Read as {layout} ({what}), columns separated by {sign}."]
    if columns.unused:
        said.append(f"Columns not used: {', '.join(columns.unused)}.")
    if columns.cluster_hint is not None:
        said.append(
            f"There is a column '{columns.cluster_hint}'. If items of one {columns.cluster_hint} belong together, "
            f"add --cluster {columns.cluster_hint}: intervals are too narrow without."
        )
    return said
