"""The selection probe: null for drawn briefings, sharp for a briefing of winners, exact in its distribution."""

import itertools
import math
import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from app.domain.audit.selection import (
    UnknownEventError,
    count_selection,
    excess_beyond_prominence,
    mean_excess,
    selection_power,
    used_events,
)
from app.domain.audit.texts import texts_of
from app.domain.audit.vocabulary import find_late_words
from app.domain.protocol.artifacts import Briefing, BriefingItem, BriefingSection
from app.domain.world.briefings import draw_facts, pool_of, stratum
from app.domain.world.events import Event, Fate, events_before
from app.library import reader
from tests.histories.worlds import world

STARTS = [era.start for era in reader.schedule("history-1990-2040").eras[:6]]
EVENTS = reader.events()
CERN = "cern-hypertext-proposal"


def event(name: str, fate: Fate, domain: str = "ai", on: str = "1989-06") -> Event:
    return Event(id=name, on=on, domain=domain, text=name, source="", fate=fate, confidence="high")


def small_world(dominant: int, other: int, domain: str = "ai") -> list[Event]:
    won = [event(f"{domain}-w{number}", Fate.DOMINANT, domain) for number in range(dominant)]
    return won + [event(f"{domain}-o{number}", Fate.NICHE, domain) for number in range(other)]


def p_of(start: date, facts: int, seed: str) -> float:
    used = draw_facts(pool_of(EVENTS, start), facts=facts, seed=seed).used
    p_value = count_selection(EVENTS, used, start=start, seed=seed).p_value
    assert p_value is not None
    return p_value


@pytest.mark.untraced
@pytest.mark.parametrize("facts", [15, 22, 40])
def test_drawn_briefings_give_a_uniform_p(facts: int):
    found = [p_of(start, facts, f"{start}:{number}") for start in STARTS for number in range(80)]
    assert kstest(found, "uniform").pvalue > 0.001


@pytest.mark.untraced
def test_drawn_briefings_of_an_invented_world_give_a_uniform_p():
    history = world(7)
    start = date(history.window("F3").first_year, 1, 1)
    found = []
    for number in range(300):
        used = draw_facts(pool_of(history.events, start), facts=22, seed=number).used
        found.append(count_selection(history.events, used, start=start, seed=number).p_value)
    assert kstest(found, "uniform").pvalue > 0.001


@pytest.mark.untraced
@pytest.mark.parametrize("start", STARTS)
def test_a_briefing_of_winners_is_found_at_fifteen_events(start: date):
    winners = [one.id for one in events_before(EVENTS, start) if one.fate is Fate.DOMINANT]
    found = 0
    for number in range(100):
        used = random.Random(number).sample(winners, k=15)
        count = count_selection(EVENTS, used, start=start, seed=number)
        assert count.p_value is not None
        found += count.p_value <= 0.05
        assert count.share.value == 1.0
    assert found >= 95


@pytest.mark.parametrize("start", STARTS)
def test_the_stated_power_at_fifteen_drawn_strata_is_high(start: date):
    powers = []
    for number in range(30):
        used = draw_facts(pool_of(EVENTS, start), facts=15, seed=number).used
        powers.append(count_selection(EVENTS, used, start=start, seed=number).power)
    assert min(powers) >= 0.95


def test_the_cern_proposal_is_no_late_word_and_raises_the_score():
    start = date(1990, 1, 1)
    by_id = {one.id: one for one in EVENTS}
    home = stratum(by_id[CERN], start)
    for number in range(20):
        used = list(draw_facts(pool_of(EVENTS, start), facts=40, seed=number).used)
        places = [
            index
            for index, name in enumerate(used)
            if stratum(by_id[name], start) == home and by_id[name].fate is not Fate.DOMINANT
        ]
        if CERN not in used and places:
            break
    swapped = [CERN if index == places[0] else name for index, name in enumerate(used)]
    before = count_selection(EVENTS, used, start=start, seed=1)
    after = count_selection(EVENTS, swapped, start=start, seed=1)
    assert after.excess.value > before.excess.value
    assert after.p_value < before.p_value
    item = BriefingItem(text=by_id[CERN].text, date="1989-03", event=1)
    told = Briefing(headline="January 1990", sections=(BriefingSection(heading="Research signals", items=(item,)),))
    assert find_late_words(texts_of(told), reader.first_use(), start="1990-01").findings == ()


def test_the_distribution_is_that_of_every_possible_draw():
    rows = [*small_world(2, 3), *small_world(1, 2, "capital")]
    pools = [[one.id for one in rows if one.domain == name] for name in ("ai", "capital")]
    won = {one.id for one in rows if one.fate is Fate.DOMINANT}
    draws = [(*a, *b) for a in itertools.combinations(pools[0], 2) for b in itertools.combinations(pools[1], 1)]
    used = ("ai-w0", "ai-w1", "capital-o0")
    count = count_selection(rows, used, start=date(1990, 1, 1), seed="x")
    more = sum(len(won & set(draw)) > 2 for draw in draws) / len(draws)
    same = sum(len(won & set(draw)) == 2 for draw in draws) / len(draws)
    tie = random.Random("selection:x").random()
    assert count.p_value == pytest.approx(more + tie * same)
    assert count.expected.value == pytest.approx(sum(len(won & set(draw)) for draw in draws) / len(draws) / 3)
    assert count.dominant == 2


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 30), st.integers(1, 4))
def test_p_and_power_are_chances_and_power_grows_with_the_odds(won: int, lost: int, seed: int, used: int):
    rows = small_world(won, lost)
    names = [one.id for one in random.Random(seed).sample(rows, k=min(used, won + lost))]
    count = count_selection(rows, names, start=date(1990, 1, 1), seed=seed)
    if count.p_value is not None:
        assert 0 <= count.p_value <= 1
    powers = [
        selection_power(rows, names, start=date(1990, 1, 1), odds=odds) for odds in (1.0, 3.0, 30.0, 1e6, math.inf)
    ]
    assert powers[0] == pytest.approx(0.05, abs=1e-6)
    assert all(a <= b + 1e-6 for a, b in itertools.pairwise(powers))


def test_what_cannot_be_told_says_so():
    rows = small_world(0, 4)
    start = date(1990, 1, 1)
    assert count_selection(rows, ["ai-o1"], start=start, seed=1).reason == (
        "the strata leave no choice between dominant and other events"
    )
    empty = count_selection(rows, [], start=start, seed=1, unnumbered=9)
    assert empty.p_value is None
    assert empty.unnumbered == 9
    assert empty.share.reason == "no fact carries the number of an event"
    with pytest.raises(UnknownEventError, match="used: ghost is not on record before 1990-01-01"):
        count_selection(rows, ["ghost"], start=start, seed=1)


def test_numbers_of_a_model_briefing_lead_back_to_events():
    rows = small_world(1, 2)
    items = tuple(BriefingItem(text="x", event=number) for number in (1, 3, 3, None))
    told = Briefing(headline="x", sections=(BriefingSection(heading="x", items=items),))
    listed = events_before(rows, date(1990, 1, 1))
    assert used_events(told, rows, date(1990, 1, 1)) == ((listed[0].id, listed[2].id), 1)
    bad = Briefing(headline="x", sections=(BriefingSection(heading="x", items=(BriefingItem(text="x", event=4),)),))
    with pytest.raises(UnknownEventError, match="event 4: the author was given events 1 to 3"):
        used_events(bad, rows, date(1990, 1, 1))


def test_excess_is_taken_beyond_that_on_invented_worlds():
    rows = small_world(3, 3)
    start = date(1990, 1, 1)
    high = count_selection(rows, ["ai-w0", "ai-w1"], start=start, seed=1)
    low = count_selection(rows, ["ai-w0", "ai-o1"], start=start, seed=1)
    assert mean_excess([high, low]).value == pytest.approx(0.25)
    real, none = mean_excess([high]), mean_excess([])
    assert excess_beyond_prominence(real, mean_excess([low])).value == pytest.approx(0.5)
    assert excess_beyond_prominence(real, none).reason == (
        "no excess on invented worlds: there is no briefing with an excess"
    )
    assert excess_beyond_prominence(none, real).reason.startswith("no excess on history")
