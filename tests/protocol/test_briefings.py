"""Drawn facts stand under the protocol's headings."""

from datetime import date

import pytest

from app.domain.protocol.briefings import HEADINGS, OTHER, draw_briefing
from app.domain.world.briefings import NoKnownEventsError, pool_of
from app.domain.world.events import Event, Fate, events_before, numbered
from app.library import reader

START = date(2002, 1, 1)


def test_every_domain_of_the_record_has_a_heading():
    placed = [domain for domains in HEADINGS.values() for domain in domains]
    assert sorted(placed) == sorted({event.domain for event in reader.events()})


def test_items_carry_text_date_and_neutral_number_in_order_of_time():
    briefing, used = draw_briefing(pool_of(reader.events(), START), facts=22, seed="1:E3:r1")
    listed = {fact.number: fact for fact in numbered(events_before(reader.events(), START))}
    items = [item for section in briefing.sections for item in section.items]
    assert len(items) == len(used) == 22
    for item in items:
        assert item.event is not None
        assert (item.text, item.date) == (listed[item.event].text, listed[item.event].on)
    for section in briefing.sections:
        numbers = [item.event for item in section.items]
        assert numbers == sorted(numbers, key=lambda number: number or 0)
    assert [section.heading for section in briefing.sections] == list(HEADINGS)
    assert briefing.headline == "What was publicly known before 2002-01-01: 22 dated facts, drawn by code"


def test_a_domain_of_the_users_own_stands_last():
    own = Event(id="x", on="1989", domain="farming", text="Rain.", source="", fate=Fate.NICHE, confidence="high")
    briefing, used = draw_briefing(pool_of([own], START), facts=22, seed=1)
    assert [section.heading for section in briefing.sections] == [OTHER]
    assert used == ("x",)


def test_without_events_there_is_no_briefing():
    with pytest.raises(NoKnownEventsError, match="no event on record lies before 1900-01-01"):
        draw_briefing(pool_of(reader.events(), date(1900, 1, 1)), facts=22, seed=1)
