"""The probability with which the draw takes each item: exact where the cap cannot bind, else by replaying the draw."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.domain.rating.allocation import Cell
from app.domain.rating.sampling import REPLAY, Frame, cap_binds, select

REPLAYS = 100_000
AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Probabilities by key, and how they were found: ``exact`` or the number of replays."""

    probabilities: dict[str, float]
    method: str


def inclusion_probabilities(
    frame: Frame, places: Mapping[Cell, int], *, cap: int, seed: int, replays: int = REPLAYS
) -> Inclusion:
    """The probability of each item over all seeds.

    Without a binding cap a cell's draw is a simple random sample: places / size. With one, the draw is replayed and
    the frequency is averaged over items that the draw cannot tell apart: those of the same cell whose runs hold the
    same numbers of items in the same cells.
    """
    if not cap_binds(frame, cap):
        sizes = frame.sizes
        exact = {item.key: places.get(item.cell, 0) / sizes[item.cell] for item in frame.items}
        return Inclusion(exact, "exact")
    frequencies = _replayed(frame, places, cap, seed, replays)
    alike = defaultdict(list)
    for position, kind in enumerate(_kinds(frame)):
        alike[kind].append(position)
    for positions in alike.values():
        frequencies[positions] = frequencies[positions].mean()
    found = {item.key: float(value) for item, value in zip(frame.items, frequencies, strict=True)}
    return Inclusion(found, f"{replays:,} replays of the draw")


def _replayed(
    frame: Frame, places: Mapping[Cell, int], cap: int, seed: int, replays: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    generator = np.random.default_rng([seed, REPLAY])
    taken = np.zeros(len(frame.items))
    for start in range(0, replays, AT_ONCE):
        priorities = generator.random((min(AT_ONCE, replays - start), len(frame.items)))
        taken += select(frame, places, priorities, cap).sum(axis=0)
    return taken / replays


def _kinds(frame: Frame) -> list[tuple[Cell, tuple[tuple[Cell, int], ...]]]:
    contents: defaultdict[str, Counter[Cell]] = defaultdict(Counter)
    for item in frame.items:
        contents[item.unit][item.cell] += 1
    return [(item.cell, tuple(sorted(contents[item.unit].items()))) for item in frame.items]
