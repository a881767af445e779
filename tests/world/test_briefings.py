"""The draw: before its day, the same for the same seed, and spread over domains and recency as it says."""

import random
from collections import Counter
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.world import briefings
from app.domain.world.briefings import Recency, draw_facts, pool_of, recency, stratum
from app.domain.world.events import Event, Fate, events_before, numbered
from app.library import reader

DAYS = st.dates(date(1986, 1, 1), date(2027, 1, 1))
FACTS = st.integers(8, 60)
SEEDS = st.one_of(st.integers(), st.text(max_size=20))


def event(name: str, on: str, domain: str = "ai") -> Event:
    return Event(id=name, on=on, domain=domain, text=name, source="", fate=Fate.NICHE, confidence="high")


def rich_world() -> list[Event]:
    """Forty events of each of five domains in each band before 2000."""
    years = {Recency.RECENT: 1999, Recency.MIDDLE: 1996, Recency.OLD: 1990}
    return [
        event(f"{domain}-{band}-{number}", f"{year}-06-{number % 28 + 1:02d}", domain)
        for domain in ("a", "b", "c", "d", "e")
        for band, year in years.items()
        for number in range(40)
    ]


@settings(max_examples=60, deadline=None)
@given(DAYS, FACTS, SEEDS)
def test_nothing_drawn_lies_on_or_after_the_day(start: date, facts: int, seed: str | int):
    drawn = draw_facts(pool_of(reader.events(), start), facts=facts, seed=seed)
    known = events_before(reader.events(), start)
    days = {one.id: one.last_day for one in reader.events()}
    assert all(days[name] < start for name in drawn.used)
    assert len(set(drawn.used)) == len(drawn.used) == min(facts, len(known))
    listed = numbered(known)
    assert all(listed[fact.number - 1] == fact for fact in drawn.facts)
    assert [known[fact.number - 1].id for fact in drawn.facts] == list(drawn.used)


@settings(max_examples=40, deadline=None)
@given(DAYS, FACTS, SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_the_record_does_not_matter(start: date, facts: int, seed: str | int, chance):  # noqa: ANN001
    shuffled = list(reader.events())
    chance.shuffle(shuffled)
    one = draw_facts(pool_of(reader.events(), start), facts=facts, seed=seed)
    assert draw_facts(pool_of(shuffled, start), facts=facts, seed=seed) == one
    assert draw_facts(pool_of(events_before(shuffled, start), start), facts=facts, seed=seed) == one


@settings(max_examples=60, deadline=None)
@given(FACTS, SEEDS)
def test_strata_get_the_shares_the_docstring_states(facts: int, seed: str | int):
    start = date(2000, 1, 1)
    world = {one.id: one for one in rich_world()}
    drawn = [world[name] for name in draw_facts(pool_of(world.values(), start), facts=facts, seed=seed).used]
    bands = Counter(recency(one, start) for one in drawn)
    for band, share in {Recency.RECENT: 0.5, Recency.MIDDLE: 0.35, Recency.OLD: 0.15}.items():
        assert abs(bands[band] - share * facts) < 1
    domains = Counter(one.domain for one in drawn)
    assert max(domains.values()) - min(domains.values()) <= 1


def test_every_domain_is_heard_in_every_training_era():
    for start in (date(year, 1, 1) for year in (1990, 1996, 2002, 2008, 2014, 2020)):
        drawn = draw_facts(pool_of(reader.events(), start), facts=22, seed="1")
        domains = Counter(fact.domain for fact in drawn.facts)
        assert len(domains) == 10
        assert min(domains.values()) >= 2


def test_another_seed_is_another_draw():
    draws = {draw_facts(pool_of(reader.events(), date(2014, 1, 1)), facts=22, seed=seed).used for seed in range(20)}
    assert len(draws) == 20


def test_a_small_record_is_taken_whole():
    rows = [event("a", "1989"), event("b", "1980", "capital")]
    drawn = draw_facts(pool_of(rows, date(1990, 1, 1)), facts=22, seed=1)
    assert drawn.used == ("b", "a")


def test_a_domain_that_is_short_is_made_up_for_by_others():
    rows = [event("only", "1989-06", "capital"), *(event(f"a{number:02d}", "1989-05") for number in range(30))]
    drawn = draw_facts(pool_of(rows, date(1990, 1, 1)), facts=12, seed=1)
    assert len(drawn.used) == 12
    assert "only" in drawn.used


@pytest.mark.parametrize(
    ("on", "band"),
    [
        ("1999-12-31", Recency.RECENT),
        ("1998-01-02", Recency.RECENT),
        ("1997-12-01", Recency.MIDDLE),
        ("1994-01-02", Recency.MIDDLE),
        ("1993-12-01", Recency.OLD),
    ],
)
def test_recency_is_counted_from_the_last_possible_day(on: str, band: Recency):
    assert recency(event("x", on), date(2000, 1, 1)) is band
    assert stratum(event("x", on), date(2000, 1, 1)) == ("ai", band)


@given(st.integers(0, 300), SEEDS)
def test_the_shuffle_is_the_standard_librarys_to_the_number(size: int, seed: str | int):
    ours, theirs = list(range(size)), list(range(size))
    drawn, expected = random.Random(str(seed)), random.Random(str(seed))
    briefings._shuffle(ours, drawn)
    expected.shuffle(theirs)
    assert ours == theirs
    assert drawn.getstate() == expected.getstate()
