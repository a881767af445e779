"""An event precedes a day only if its last possible day does."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.world.events import Event, Fate, events_before, events_within, numbered
from app.library import reader


def event(on: str, name: str = "slug-x") -> Event:
    return Event(id=name, on=on, domain="ai", text=f"On {on}.", source="s", fate=Fate.DOMINANT, confidence="high")


@pytest.mark.parametrize(
    ("on", "first", "last"),
    [
        ("1990", date(1990, 1, 1), date(1990, 12, 31)),
        ("1992-02", date(1992, 2, 1), date(1992, 2, 29)),
        ("1990-12", date(1990, 12, 1), date(1990, 12, 31)),
        ("1990-07-04", date(1990, 7, 4), date(1990, 7, 4)),
    ],
)
def test_a_date_covers_its_possible_days(on: str, first: date, last: date):
    assert event(on).first_day == first
    assert event(on).last_day == last


@pytest.mark.parametrize("on", ["", "199", "1990-1", "1990-01-1", "January 1990", "1990-13", "1990-02-30"])
def test_what_is_no_date_is_refused(on: str):
    with pytest.raises(ValueError, match=r"date|month|day"):
        _ = event(on).first_day


@pytest.mark.parametrize(("on", "known"), [("1989", True), ("1990", False), ("1989-12", True), ("1990-01", False)])
def test_a_vague_date_is_known_once_its_last_day_is_past(on: str, known: bool):
    assert bool(events_before([event(on)], date(1990, 1, 1))) is known
    assert bool(events_within([event(on)], date(1990, 1, 1), date(1996, 1, 1))) is not known


@given(st.dates(date(1980, 1, 1), date(2030, 1, 1)), st.integers(1, 4_000))
def test_before_and_within_share_no_event(start: date, days: int):
    end = date.fromordinal(start.toordinal() + days)
    before = events_before(reader.events(), start)
    within = events_within(reader.events(), start, end)
    assert not set(before) & set(within)
    assert set(before) | set(within) == set(events_before(reader.events(), end))


def test_order_is_by_time_then_id_whatever_came_in():
    rows = [event("1990-01-02", "b"), event("1990-01-02", "a"), event("1989", "z")]
    expected = ["z", "a", "b"]
    assert [one.id for one in events_before(rows, date(2000, 1, 1))] == expected
    assert [one.id for one in events_before(reversed(rows), date(2000, 1, 1))] == expected


def test_numbering_strips_what_is_for_audits():
    (shown,) = numbered([event("1990")], first=5)
    assert shown.number == 5
    assert not {"id", "fate", "source"} & set(shown.__slots__)
