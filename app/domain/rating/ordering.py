"""Each rater's queue: a seeded order that spreads the strata, with hidden repeats far from their first occasion."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.domain.rating.allocation import Cell

ORDER, REPEATS = 3, 4
"""Streams of one seed, beside those of the draw."""

SHARE_REPEATED = 0.125
FEWEST_REPEATS = 10
MOST_SHARE = 0.15
APART = 15
UNTOUCHED = 5
"""The first places of a queue hold neither a repeat nor an item that will be repeated."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a queue, from 1; ``occasion`` 2 is a hidden repeat."""

    position: int
    key: str
    occasion: int


def queue_of(cells: Mapping[str, Cell], *, seed: int, slot: int, repeats: int) -> tuple[Place, ...]:
    """The queue of one rater: every item of ``cells`` (by key) once, and ``repeats`` of them a second time.

    It depends on nothing but its arguments, so that it is the same whenever the rater comes back. Raises ValueError
    for more repeats than ``most_repeats`` allows.
    """
    order = spread_order(cells, np.random.default_rng([seed, ORDER, slot]))
    if repeats > most_repeats(len(order)):
        raise ValueError(f"repeats: {len(order)} items leave room for at most {most_repeats(len(order))} repeats")
    return _with_repeats(order, repeats, np.random.default_rng([seed, REPEATS, slot]))


def usual_repeats(items: int) -> int:
    """One item in eight, at least ten where ten are no more than 15 %."""
    usual = round(items * SHARE_REPEATED)
    if items * MOST_SHARE >= FEWEST_REPEATS:
        usual = max(usual, FEWEST_REPEATS)
    return min(usual, most_repeats(items))


def most_repeats(items: int) -> int:
    """How many repeats a queue can hold with all distances kept."""
    return max(0, items - APART - UNTOUCHED)


def spread_order(cells: Mapping[str, Cell], generator: np.random.Generator) -> tuple[str, ...]:
    """A random order in which every beginning holds each cell's share to within one item.

    Source: Tijdeman (1980), The chairman assignment problem, Discrete Mathematics 32:323-330. Ties and the order
    inside a cell are random.
    """
    waiting: defaultdict[Cell, list[str]] = defaultdict(list)
    for key in sorted(cells):
        waiting[cells[key]].append(key)
    names = sorted(waiting)
    for name in names:
        generator.shuffle(waiting[name])
    shares = {name: len(waiting[name]) / len(cells) for name in names}
    slack = 1 / (2 * len(names) - 2) if len(names) > 1 else 0.0
    given = dict.fromkeys(names, 0)
    order = []
    for place in range(1, len(cells) + 1):
        due = {name: place * shares[name] - given[name] for name in names if waiting[name]}
        ready = [name for name in due if due[name] >= slack - 1e-9] or list(due)
        urgent = {name: round((1 - slack - due[name]) / shares[name], 9) for name in ready}
        first = [name for name in ready if urgent[name] == min(urgent.values())]
        chosen = first[int(generator.integers(len(first)))]
        given[chosen] += 1
        order.append(waiting[chosen].pop())
    return tuple(order)


def _with_repeats(order: tuple[str, ...], repeats: int, generator: np.random.Generator) -> tuple[Place, ...]:
    slots = _repeat_slots(len(order), repeats, generator)
    length = len(order) + repeats
    firsts = iter(order)
    keys: list[str | None] = [None if place in slots else next(firsts) for place in range(length)]
    used: set[int] = set()
    repeated: dict[int, str] = {}
    for slot in sorted(slots):
        far = [p for p in range(UNTOUCHED, slot - APART + 1) if keys[p] is not None and p not in used]
        first = far[int(generator.integers(len(far)))]
        used.add(first)
        repeated[slot] = str(keys[first])
    return tuple(
        Place(place + 1, repeated.get(place) or str(keys[place]), 2 if place in repeated else 1)
        for place in range(length)
    )


def _repeat_slots(items: int, repeats: int, generator: np.random.Generator) -> frozenset[int]:
    """Places from 0, spread over the part of the queue that is far enough from the start."""
    start = UNTOUCHED + APART
    step = (items + repeats - start) / repeats if repeats else 0.0
    # The last place of each stretch always has enough items behind it; earlier ones do once the stretch is long.
    room = [max(0, int(step) - 2) for _ in range(repeats)]
    return frozenset(
        start - 1 + int((number + 1) * step) - int(generator.integers(back + 1)) for number, back in enumerate(room)
    )
