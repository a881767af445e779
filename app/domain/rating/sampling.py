"""The seeded two-stage draw: items from the cells of the strata, with a cap on how many come from one run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.domain.rating.allocation import Cell, cell_name

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

DRAW, REPLAY = 1, 2
"""Streams of one seed: the draw itself, and the replays that tell its probabilities."""


@dataclass(frozen=True, slots=True)
class FrameItem:
    """One thing that can be drawn; ``key`` is its natural name, ``unit`` the run it belongs to."""

    key: str
    unit: str
    cell: Cell


@dataclass(frozen=True, eq=False)
class Frame:
    """Items in order of their key, with cells and units as codes (n,)."""

    items: tuple[FrameItem, ...]
    cell_names: tuple[Cell, ...]
    cells: Ints
    units: Ints

    @property
    def sizes(self) -> dict[Cell, int]:
        """Items per cell."""
        return dict(Counter(item.cell for item in self.items))


@dataclass(frozen=True, slots=True)
class Drawn:
    """The keys drawn, in the frame's order, and what could not be filled."""

    keys: tuple[str, ...]
    shortfalls: tuple[str, ...]


def frame_of(items: Iterable[FrameItem]) -> Frame:
    """The frame, whatever the order in which items come. Raises ValueError if two items share a key."""
    ordered = tuple(sorted(items, key=lambda item: item.key))
    if twice := next((a.key for a, b in pairwise(ordered) if a.key == b.key), None):
        raise ValueError(f"items: {twice} is in the frame twice; give every item a key of its own")
    names = tuple(sorted({item.cell for item in ordered}))
    position = {name: code for code, name in enumerate(names)}
    units = {name: code for code, name in enumerate(sorted({item.unit for item in ordered}))}
    return Frame(
        ordered,
        names,
        np.array([position[item.cell] for item in ordered], dtype=np.int64),
        np.array([units[item.unit] for item in ordered], dtype=np.int64),
    )


def draw_sample(frame: Frame, places: Mapping[Cell, int], *, cap: int, seed: int) -> Drawn:
    """Draw ``places`` items from each cell, at most ``cap`` from one unit (0: no cap).

    The same seed and frame give the same sample. Cells whose places the cap leaves empty are told in ``shortfalls``.
    """
    priorities = np.random.default_rng([seed, DRAW]).random((1, len(frame.items)))
    chosen = select(frame, places, priorities, cap)[0]
    keys = tuple(item.key for item, taken in zip(frame.items, chosen, strict=True) if taken)
    got = Counter(item.cell for item, taken in zip(frame.items, chosen, strict=True) if taken)
    short = [
        f"{cell_name(cell)}: {got[cell]} of {wanted} drawn; at most {cap} may come from one run, and no run was left"
        for cell, wanted in sorted(places.items())
        if got[cell] < wanted
    ]
    return Drawn(keys, tuple(short))


def cap_binds(frame: Frame, cap: int) -> bool:
    """Whether some run has more items than may come from one."""
    return bool(cap) and int(np.bincount(frame.units).max(initial=0)) > cap


def select(frame: Frame, places: Mapping[Cell, int], priorities: Floats, cap: int) -> Bools:
    """Which items are drawn (draws, n), given a random priority for each item of each draw (draws, n).

    Each cell takes its items of lowest priority: a simple random sample. Where the cap binds, cells are filled one
    after the other, the scarcest in runs first, and items of runs that gave least so far come before others, until a
    run is exhausted: runs are the units that carry precision.
    """
    chosen = np.zeros(priorities.shape, dtype=np.bool_)
    used = np.zeros((len(priorities), int(frame.units.max(initial=-1)) + 1), dtype=np.int64)
    limit = cap if cap_binds(frame, cap) else 0
    for code in _scarcest_first(frame, places):
        members = np.flatnonzero(frame.cells == code)
        wanted = places.get(frame.cell_names[code], 0)
        distinct = len(np.unique(frame.units[members])) == len(members)
        rounds = [wanted] if distinct or not limit else [1] * wanted
        for together in rounds:
            _take(frame, members, together, (priorities, chosen, used), limit)
    return chosen


def _take(frame: Frame, members: Ints, together: int, state: tuple[Floats, Bools, Ints], limit: int) -> None:
    """Take the best open items of a cell in every draw; ``together`` > 1 only if units differ or nothing limits."""
    priorities, chosen, used = state
    given = used[:, frame.units[members]] if limit else np.zeros((1, 1))
    scores = np.where(~chosen[:, members] & (given < (limit or 1)), priorities[:, members] + given, np.inf)
    if together < len(members):
        best = np.argpartition(scores, together - 1, axis=1)[:, :together]
    else:
        best = np.broadcast_to(np.arange(len(members)), scores.shape)
    rows = np.broadcast_to(np.arange(len(scores))[:, None], best.shape)
    hit = np.isfinite(scores[rows, best])
    taken = members[best[hit]]
    chosen[rows[hit], taken] = True
    np.add.at(used, (rows[hit], frame.units[taken]), 1)


def _scarcest_first(frame: Frame, places: Mapping[Cell, int]) -> Sequence[int]:
    def plenty(code: int) -> tuple[float, int]:
        units = len(np.unique(frame.units[frame.cells == code]))
        return units / places[frame.cell_names[code]], code

    wanted = [code for code, name in enumerate(frame.cell_names) if places.get(name, 0)]
    return sorted(wanted, key=plenty)
