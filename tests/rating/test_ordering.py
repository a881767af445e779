"""Queues: seeded, the same on coming back, strata spread, repeats far from their first occasion."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.rating.ordering import most_repeats, queue_of, spread_order, usual_repeats


def cells(count: int, kinds: int) -> dict[str, tuple[str, ...]]:
    return {f"item {number:03d}": (f"E{number * number % kinds}",) for number in range(count)}


@given(st.integers(21, 140), st.integers(1, 7), st.integers(0, 5_000), st.integers(1, 4), st.data())
def test_repeats_keep_their_distances_and_nobody_misses_an_item(
    count: int, kinds: int, seed: int, slot: int, data: st.DataObject
):
    repeats = data.draw(st.integers(0, min(20, most_repeats(count))))
    queue = queue_of(cells(count, kinds), seed=seed, slot=slot, repeats=repeats)
    assert [place.position for place in queue] == list(range(1, count + repeats + 1))
    first = {place.key: place.position for place in queue if place.occasion == 1}
    again = {place.key: place.position for place in queue if place.occasion == 2}
    assert len(first) == count
    assert len(again) == repeats
    assert all(position - first[key] >= 15 and first[key] > 5 for key, position in again.items())
    assert queue == queue_of(dict(reversed(cells(count, kinds).items())), seed=seed, slot=slot, repeats=repeats)


@given(st.integers(1, 80), st.integers(1, 6), st.integers(0, 5_000))
def test_every_beginning_of_the_order_holds_each_stratum_to_its_share(count: int, kinds: int, seed: int):
    given_cells = cells(count, kinds)
    order = spread_order(given_cells, np.random.default_rng(seed))
    sizes = Counter(given_cells.values())
    seen: Counter[tuple[str, ...]] = Counter()
    for place, key in enumerate(order, start=1):
        seen[given_cells[key]] += 1
        assert all(abs(seen[cell] - place * size / count) < 1 + 1e-9 for cell, size in sizes.items())
    assert sorted(order) == sorted(given_cells)


def test_raters_have_orders_of_their_own():
    orders = {tuple(p.key for p in queue_of(cells(24, 3), seed=7, slot=slot, repeats=3)) for slot in range(1, 6)}
    assert len(orders) == 5


@pytest.mark.parametrize(("items", "repeats"), [(10, 0), (20, 0), (21, 1), (24, 3), (60, 8), (67, 10), (120, 15)])
def test_one_in_eight_is_repeated_and_at_least_ten_where_there_are_enough(items: int, repeats: int):
    assert usual_repeats(items) == repeats


def test_more_repeats_than_there_is_room_for_are_refused():
    with pytest.raises(ValueError, match="room for at most 4 repeats"):
        queue_of(cells(24, 3), seed=1, slot=1, repeats=5)
