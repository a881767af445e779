"""Names, layer graphs, months and the market's parts."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.protocol.fictional import fictional_layers
from app.domain.world.events import Fate
from app.domain.world.histories.chronicle import Chronicle
from app.domain.world.histories.market import layer_profits
from app.domain.world.histories.months import month_from, month_of, written, year_of
from app.domain.world.histories.names import Coiner, Taken
from app.domain.world.histories.plans import Horizon
from app.domain.world.histories.scene import Cast
from app.domain.world.histories.stacks import choose_layers, is_connected, neighbours_within, walk_scarcity
from app.domain.world.histories.theme_brine import BRINE
from app.domain.world.histories.theme_lamps import LAMPS
from app.domain.world.histories.theme_looms import LOOMS
from app.domain.world.histories.theme_reeds import REEDS
from app.domain.world.histories.views import view_history
from tests.histories.worlds import taken, world

THEMES = [REEDS, BRINE, LOOMS, LAMPS]
EMPTY = Taken(text="", patterns=())


@given(st.integers(1, 9998), st.integers(1, 12))
def test_months_are_written_and_read_back(year: int, month: int):
    number = month_of(year, month)
    assert year_of(number) == year
    assert month_from(written(number)) == number


@settings(max_examples=30, deadline=None)
@given(st.integers())
def test_names_are_pronounceable_and_unlike_each_other(seed: int):
    names = Coiner(random.Random(seed), taken()).coin_many(150)
    assert len({name[:4].lower() for name in names}) == 150
    for name in names:
        assert name.isalpha()
        assert 6 <= len(name) <= 9
        assert not taken().holds(name)


def test_a_name_inside_a_word_of_the_record_or_under_a_pattern_is_taken():
    held = Taken(text="netscape navigator", patterns=(r"\bzorb\w+\b",))
    assert held.holds("Scape")
    assert held.holds("Zorbane")
    assert not held.holds("Velmor")
    assert not EMPTY.holds("Velmor")


def test_extra_words_are_taken_too():
    assert Taken.of([], [], ["Velmor Works"]).holds("velmor")


@pytest.mark.parametrize("theme", THEMES, ids=lambda one: one.id)
def test_a_craft_is_connected_and_names_each_layer_once(theme):  # noqa: ANN001
    assert is_connected(neighbours_within(theme.layers))
    for field in ("id", "name", "about", "noun", "plural", "measure"):
        assert len({getattr(layer, field) for layer in theme.layers}) == len(theme.layers)
    known = {layer.id for layer in theme.layers}
    assert all(set(layer.near) <= known for layer in theme.layers)


@settings(max_examples=60, deadline=None)
@given(st.integers(), st.sampled_from(THEMES))
def test_a_world_keeps_most_layers_and_stays_connected(seed: int, theme):  # noqa: ANN001
    layers = choose_layers(theme.layers, random.Random(seed))
    assert len(theme.layers) - 2 <= len(layers) <= len(theme.layers)
    assert is_connected(neighbours_within(layers))


@settings(max_examples=60, deadline=None)
@given(st.integers(), st.integers(1, 30))
def test_scarcity_always_moves_and_visits_everything_before_it_returns(seed: int, steps: int):
    near = neighbours_within(REEDS.layers)
    walk = walk_scarcity(near, steps, random.Random(seed))
    assert len(walk) == steps
    assert all(a != b for a, b in pairwise(walk))
    assert len(set(walk)) == min(steps, len(near))


def test_a_pair_that_cannot_be_left_out_is_kept():
    theme = (REEDS.layers[0], REEDS.layers[1])
    assert all(is_connected(neighbours_within(choose_layers(theme, random.Random(seed)))) for seed in range(30))


def test_profit_counts_the_window_only_and_ties_go_by_name():
    trades = world(1).trades[:1]
    year = trades[0].year
    found = layer_profits(trades, {trades[0].technology: "b", "x": "a"}, year + 1, 3)
    assert [(each.layer, each.profit) for each in found] == [("a", 0), ("b", 0)]


def test_nobody_is_in_public_life_for_more_than_forty_years():
    people = tuple(f"Person {number}" for number in range(70))
    cast = Cast(month_of(2300, 1), people, ("X", "Y"), ("S",), ("T",))
    years = {person: [] for person in people}
    for year in range(2280, 2420):
        assert len(cast.people_in(month_of(year, 6))) == 14
        for person in cast.people_in(month_of(year, 6)):
            years[person].append(year)
    assert max(max(found) - min(found) for found in years.values() if found and min(found) >= 2300) < 40


def test_no_measure_is_a_share_that_could_pass_its_whole():
    assert not [layer.measure for theme in THEMES for layer in theme.layers if "hundred" in layer.measure]


def test_the_record_keeps_to_its_years_and_says_nothing_twice():
    cast = Cast(month_of(2300, 1), ("A B", "C D"), ("X", "Y"), ("S",), ("T",))
    chronicle = Chronicle(Horizon(2300, 1, 6), cast, random.Random(1))
    month = month_of(2300, 1)
    assert chronicle.write("note", month, "ai", "A ear was one ell and a use.", Fate.NICHE)
    assert not chronicle.write("note", month + 1, "ai", "A ear was one ell and a use.", Fate.NICHE)
    assert not chronicle.write("note", month - 1, "ai", "Too early.", Fate.NICHE)
    assert [each.event.text for each in chronicle.told()] == ["An ear was one ell and a use."]


def test_a_view_lays_out_every_year_technology_and_layer():
    history = world(4)
    view = view_history(history)
    assert [year.year for year in view.years] == list(range(history.first_year, history.last_year + 1))
    assert sum(len(year.events) for year in view.years) == len(history.events)
    assert view.years[0].era is None
    assert view.years[-1].era == "F6"
    assert {one.technology.id for one in view.technologies} == {one.id for one in history.technologies}
    assert sum(len(one.curve) for one in view.technologies) == len(history.trades)
    assert all(one.maker.id == one.technology.maker for one in view.technologies)
    assert all(one.lowest_price <= one.curve[0].price for one in view.technologies)
    assert {layer.id for layer in view.layers} == set(fictional_layers(history).ids)
    for number, window in enumerate(history.windows):
        assert sorted(layer.ranks[number] for layer in view.layers) == list(range(1, len(view.layers) + 1))
        top = next(layer for layer in view.layers if layer.ranks[number] == 1)
        assert top.id == window.ranking[0]
        assert top.profits[number] == window.profits[0]
