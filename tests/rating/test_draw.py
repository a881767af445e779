"""The draw: same seed and frame, same sample; inclusion as often as the stored probability says; shortfalls said."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from app.domain.rating.allocation import Allocation, allocate
from app.domain.rating.inclusion import inclusion_probabilities
from app.domain.rating.sampling import DRAW, Frame, FrameItem, draw_sample, frame_of, select

SEEDS = 20_000


def items(runs: int, eras: int) -> list[FrameItem]:
    """Runs in two unequal conditions; every third run lacks its last era."""
    return [
        FrameItem(f"run {run:02d}|E{era}", f"run {run:02d}", (f"E{era}", "ab"[run % 3 == 0]))
        for run in range(runs)
        for era in range(eras - (run % 3 == 1))
    ]


def frequencies(frame: Frame, places: dict[tuple[str, ...], int], cap: int) -> dict[str, int]:
    """How often each item is drawn over all seeds: the draws of draw_sample, made together."""
    priorities = np.vstack([np.random.default_rng([seed, DRAW]).random(len(frame.items)) for seed in range(SEEDS)])
    chosen = select(frame, places, priorities, cap)
    for seed in range(20):
        drawn = draw_sample(frame, places, cap=cap, seed=seed).keys
        assert drawn == tuple(item.key for item, taken in zip(frame.items, chosen[seed], strict=True) if taken)
    return {item.key: int(times) for item, times in zip(frame.items, chosen.sum(axis=0), strict=True)}


@pytest.mark.parametrize(("cap", "eras"), [(0, 3), (1, 3), (2, 4), (9, 3)])
def test_over_20000_seeds_each_item_comes_as_often_as_its_stored_probability_says(cap: int, eras: int):
    frame = frame_of(items(8, eras))
    places = allocate(frame.sizes, items=8, rule=Allocation.PROPORTIONAL, minimum=1)
    stored = inclusion_probabilities(frame, places, cap=cap, seed=5).probabilities
    found = frequencies(frame, places, cap)
    level = 0.001 / len(stored)
    for key, probability in stored.items():
        low, high = binom.interval(1 - level, SEEDS, probability)
        assert low <= found[key] <= high, (key, probability, found[key] / SEEDS)
    assert sum(stored.values()) == pytest.approx(sum(found.values()) / SEEDS, abs=0.05)


@given(st.integers(0, 10_000), st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_same_seed_and_frame_give_the_same_sample_in_any_order(seed: int, cap: int, shuffler: random.Random):
    made = items(9, 4)
    mixed = list(made)
    shuffler.shuffle(mixed)
    places = allocate(frame_of(made).sizes, items=9, rule=Allocation.EQUAL, minimum=1)
    one = draw_sample(frame_of(made), places, cap=cap, seed=seed)
    assert one == draw_sample(frame_of(mixed), places, cap=cap, seed=seed)
    per_run = Counter(key.partition("|")[0] for key in one.keys)
    assert not cap or max(per_run.values()) <= cap
    assert len(set(one.keys)) == len(one.keys) <= 9


def test_the_number_per_cell_is_kept_and_what_the_cap_leaves_empty_is_said():
    frame = frame_of([FrameItem(f"{run}|{era}", str(run), (f"E{era}",)) for run in range(2) for era in range(3)])
    drawn = draw_sample(frame, {("E0",): 1, ("E1",): 1, ("E2",): 2}, cap=1, seed=1)
    assert len(drawn.keys) == 2
    assert all("at most 1 may come from one run" in words for words in drawn.shortfalls)
    assert sum(int(words.split(": ")[1].split(" of ")[1].split()[0]) for words in drawn.shortfalls) >= 2
    assert draw_sample(frame, {("E0",): 1, ("E1",): 2}, cap=0, seed=1).shortfalls == ()


def test_a_run_may_have_several_items_in_one_cell():
    frame = frame_of([FrameItem(f"{run}|{era}", str(run), ("all",)) for run in range(4) for era in range(5)])
    drawn = draw_sample(frame, {("all",): 8}, cap=2, seed=3)
    assert Counter(key[0] for key in drawn.keys) == dict.fromkeys("0123", 2)
    stored = inclusion_probabilities(frame, {("all",): 8}, cap=2, seed=3, replays=3_000)
    assert stored.method == "3,000 replays of the draw"
    assert list(stored.probabilities.values()) == pytest.approx([0.4] * 20)


def test_without_a_binding_cap_probabilities_are_exact():
    frame = frame_of(items(8, 3))
    places = allocate(frame.sizes, items=7, rule=Allocation.PROPORTIONAL, minimum=1)
    exact = inclusion_probabilities(frame, places, cap=9, seed=1)
    assert exact.method == "exact"
    assert all(exact.probabilities[item.key] == places[item.cell] / frame.sizes[item.cell] for item in frame.items)


def test_an_item_in_the_frame_twice_is_refused_and_an_empty_frame_gives_nothing():
    with pytest.raises(ValueError, match="in the frame twice"):
        frame_of([FrameItem("a", "r", ()), FrameItem("a", "s", ())])
    empty = frame_of([])
    assert draw_sample(empty, {}, cap=1, seed=1).keys == ()
    assert inclusion_probabilities(empty, {}, cap=1, seed=1).probabilities == {}
    assert np.array_equal(empty.cells, np.array([]))
