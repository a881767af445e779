"""Ratings gathered cell by cell from a long or a wide file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from app.imports.rating_cells import NUMBER, CellTexts, RatingsError, Rows
from app.imports.rating_columns import Columns, named_apart

Cell = tuple[int, int]
FEWEST_NUMBERED = 6
MOST_CELLS = 500_000


@dataclass
class Cells:
    """One dimension's cells by (item, rater): codes of the first and the second occasion, and queue positions.

    `scale` is what the file says of it, None where it says nothing.
    """

    first: dict[Cell, int] = field(default_factory=dict)
    second: dict[Cell, int] = field(default_factory=dict)
    positions: dict[Cell, float] = field(default_factory=dict)
    lines: dict[tuple[int, int, float], int] = field(default_factory=dict)
    occasions: dict[Cell, float] = field(default_factory=dict)
    scale: tuple[float, float] | None = None

    def line_of(self, cell: Cell) -> int:
        """The line of a cell's first occasion; in a wide file that of its item."""
        item, rater = cell
        return self.lines[(item, rater, self.occasions[cell]) if cell in self.occasions else (item, 0, 1.0)]


@dataclass
class Collected:
    """Everything in a file: labels in order of appearance, and cells by dimension."""

    items: dict[str, int] = field(default_factory=dict)
    raters: dict[str, int] = field(default_factory=dict)
    clusters: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    dimensions: dict[str, Cells] = field(default_factory=dict)
    texts: CellTexts = field(default_factory=CellTexts)
    said: list[str] = field(default_factory=list)


def collect_long(rows: Rows, columns: Columns) -> Collected:
    """Gather one rating per line. Raises RatingsError for a missing label and for a rater twice on an item."""
    collected = Collected()
    for line, cells in rows.below:
        rater = cells[_known(columns.rater)]
        if not rater:
            raise RatingsError("no rater is named", "fill in the rater's name or pseudonym", line)
        number = collected.raters.setdefault(rater, len(collected.raters))
        item = _item(collected, cells, columns, line, cells[_known(columns.item)])
        dimension = _dimension(collected, cells, columns, line)
        occasion = _number(cells, columns.occasion, "occasion", line, 1.0)
        _once(dimension, (item, number, occasion), line, f"{rater} rates item {cells[_known(columns.item)]}")
        code = collected.texts.code(cells[_known(columns.value)], line)
        position = _number(cells, columns.position, "position", line, float("nan"))
        _place(dimension, (item, number), occasion, code, position)
    return collected


def collect_wide(rows: Rows, columns: Columns) -> Collected:
    """Gather one item per line. Raises RatingsError for an item that stands on two lines."""
    collected = Collected()
    below = rows.below
    if not columns.headed:
        collected.said.append("No header line: raters are numbered by column, items by line.")
        below = chain([(1, rows.header)], below)
    below, item_column, raters = _with_item_column(rows.header, columns, below, collected)
    for place in raters:
        name = rows.header[place] if columns.headed else f"rater {place + 1}"
        collected.raters[name] = len(collected.raters)
    for line, cells in below:
        label = cells[item_column] if item_column is not None else f"item {len(collected.items) + 1}"
        item = _item(collected, cells, columns, line, label)
        dimension = _dimension(collected, cells, columns, line)
        _once(dimension, (item, 0, 1.0), line, f"item {label} stands here")
        for number, place in enumerate(raters):
            dimension.first[item, number] = collected.texts.code(cells[place], line)
        if len(collected.items) * len(raters) > MOST_CELLS:
            raise RatingsError(f"there are more than {MOST_CELLS} ratings", "split the file by dimension", line)
    return collected


def _with_item_column(
    header: list[str], columns: Columns, below: Iterator[tuple[int, list[str]]], collected: Collected
) -> tuple[Iterator[tuple[int, list[str]]], int | None, tuple[int, ...]]:
    """Find an item column that the header does not announce: words beside numbers, or the lines numbered in order."""
    if columns.item is not None or not columns.headed:
        return below, columns.item, columns.raters
    first = columns.raters[0]
    start = next(below, None)
    if start is None or (NUMBER.fullmatch(start[1][first]) and start[1][first] != "1"):
        return chain([start] if start else [], below), None, columns.raters
    rows = [start, *below]
    labels = [cells[first] for _, cells in rows]
    others = [cells[place] for _, cells in rows[:1] for place in columns.raters[1:]]
    numbered = [str(number) for number in range(1, len(rows) + 1)] == labels and len(rows) >= FEWEST_NUMBERED
    worded = (
        len(set(labels)) == len(labels)
        and not any(NUMBER.fullmatch(label) for label in labels)
        and any(NUMBER.fullmatch(cell) for cell in others)
    )
    apart = named_apart(header[first], [header[place] for place in columns.raters[1:]])
    if len(columns.raters) < 3 or not (worded or (numbered and apart)):
        return iter(rows), None, columns.raters
    collected.said.append(f"Column '{header[first]}' is taken as the name of the item, not as a rater.")
    return iter(rows), first, columns.raters[1:]


def _item(collected: Collected, cells: list[str], columns: Columns, line: int, label: str) -> int:
    if not label:
        raise RatingsError("no item is named", "fill in the item's name or number", line)
    cluster = cells[columns.cluster] if columns.cluster is not None else ""
    if columns.cluster is not None and not cluster:
        raise RatingsError(f"item {label} has no cluster", "fill in the cell, so that every item belongs to one", line)
    weight = _weight(cells, columns, line)
    known = collected.items.get(label)
    if known is None:
        collected.items[label] = len(collected.items)
        collected.clusters.append(cluster)
        collected.weights.append(weight)
        return len(collected.items) - 1
    if collected.clusters[known] != cluster:
        raise RatingsError(
            f"item {label} belongs to '{cluster}' here and to '{collected.clusters[known]}' above",
            "give each item one cluster, or items of different clusters different names",
            line,
        )
    return known


def _dimension(collected: Collected, cells: list[str], columns: Columns, line: int) -> Cells:
    name = cells[columns.dimension] if columns.dimension is not None else ""
    dimension = collected.dimensions.setdefault(name or "value", Cells())
    low, high = (_number(cells, place, "a scale", line, math.nan) for place in (columns.low, columns.high))
    if math.isnan(low + high):
        return dimension
    if not low < high or dimension.scale not in {None, (low, high)}:
        raise RatingsError(
            f"the scale {low:g} to {high:g} is not the one given above, or has no length",
            "give one scale_low and one scale_high for all lines of a dimension",
            line,
        )
    dimension.scale = low, high
    return dimension


def _once(dimension: Cells, key: tuple[int, int, float], line: int, what: str) -> None:
    earlier = dimension.lines.setdefault(key, line)
    if earlier != line:
        raise RatingsError(
            f"{what} a second time (first in line {earlier})",
            "remove one of the two, or number them in a column 'occasion' if both were meant",
            line,
        )


def _place(dimension: Cells, cell: Cell, occasion: float, code: int, position: float) -> None:
    """Keep the earliest occasion as the rating and the one after it as the repeat."""
    earliest = dimension.occasions.get(cell)
    if earliest is None or occasion < earliest:
        if earliest is not None:
            dimension.second[cell] = dimension.first[cell]
        dimension.occasions[cell] = occasion
        dimension.first[cell] = code
        if position == position:  # noqa: PLR0124 - only NaN differs from itself
            dimension.positions[cell] = position
    else:
        dimension.second.setdefault(cell, code)


def _weight(cells: list[str], columns: Columns, line: int) -> float:
    weight = _number(cells, columns.weight, "weight", line, 1.0)
    if not weight > 0 or (columns.probability and weight > 1):
        raise RatingsError(
            f"{weight:g} is no weight or inclusion probability",
            "give an inclusion probability between 0 and 1, or a weight above 0",
            line,
        )
    return 1 / weight if columns.probability else weight


def _number(cells: list[str], column: int | None, name: str, line: int, missing: float) -> float:
    text = cells[column] if column is not None else ""
    if not text:
        return missing
    if not NUMBER.fullmatch(text):
        raise RatingsError(f"'{text}' is no number for {name}", "write a number, or leave the cell empty", line)
    return float(text.replace(",", "."))


def _known(column: int | None) -> int:
    assert column is not None
    return column
