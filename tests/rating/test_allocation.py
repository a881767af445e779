"""Allocation: minimum first, then shares; never more than there is; what is thin is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.rating.allocation import Allocation, AllocationError, allocate, cell_name, thin_cells

SIZES = st.dictionaries(st.tuples(st.text("abc", min_size=1, max_size=3)), st.integers(1, 40), min_size=1, max_size=8)


@given(SIZES, st.integers(1, 120), st.sampled_from(Allocation), st.integers(0, 4))
def test_places_fit_the_cells_and_add_up(sizes: dict[tuple[str, ...], int], items: int, rule: Allocation, minimum: int):
    floor = sum(min(minimum, size) for size in sizes.values())
    if floor > items:
        with pytest.raises(AllocationError, match="items: "):
            allocate(sizes, items=items, rule=rule, minimum=minimum)
        return
    places = allocate(sizes, items=items, rule=rule, minimum=minimum)
    assert sum(places.values()) == min(items, sum(sizes.values()))
    assert all(min(minimum, sizes[cell]) <= places[cell] <= sizes[cell] for cell in sizes)
    assert places == allocate(dict(reversed(sizes.items())), items=items, rule=rule, minimum=minimum)


def test_proportional_shares_follow_sizes_and_equal_ones_do_not():
    sizes = {("a",): 60, ("b",): 30, ("c",): 10}
    assert allocate(sizes, items=20, rule=Allocation.PROPORTIONAL, minimum=0) == {("a",): 12, ("b",): 6, ("c",): 2}
    assert allocate(sizes, items=21, rule=Allocation.EQUAL, minimum=1) == {("a",): 7, ("b",): 7, ("c",): 7}


def test_cells_below_the_minimum_and_small_frames_are_said():
    said = thin_cells({("E1", "full"): 1, ("E2", "full"): 5}, items=9, minimum=2)
    assert said == (
        "E1 · full: 1 in the frame, fewer than the minimum of 2; all of them are taken first",
        "the frame holds 6 items, fewer than the 9 asked for",
    )
    assert thin_cells({(): 9}, items=9, minimum=2) == ()
    assert cell_name(()) == "all items"
