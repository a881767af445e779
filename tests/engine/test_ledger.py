"""A ledger's chain: whatever is changed, removed or moved afterwards is found."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.ledger import (
    GENESIS,
    EventKind,
    LedgerEvent,
    body_hash,
    canonical,
    event_hash,
    first_misfit,
    link,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=6,
)
BODIES = st.dictionaries(st.text("xyz", min_size=1, max_size=3), VALUES, min_size=1, max_size=3)
CHAINS = st.lists(st.tuples(st.sampled_from(EventKind), BODIES), min_size=1, max_size=6)


def chain(told: list[tuple[EventKind, dict[str, Any]]]) -> list[LedgerEvent]:
    events: list[LedgerEvent] = []
    for number, (kind, body) in enumerate(told, start=1):
        previous = events[-1].hash if events else GENESIS
        events.append(link(number, kind, START + timedelta(seconds=number), body, previous))
    return events


@settings(max_examples=40, deadline=None)
@given(told=CHAINS)
def test_a_chain_as_written_is_sound(told: list[Any]):
    events = chain(told)
    assert first_misfit(events) is None
    assert first_misfit(events, events[-1].hash) is None


def test_a_run_without_events_is_sound():
    assert first_misfit([]) is None
    assert first_misfit([], GENESIS) is None


@settings(max_examples=40, deadline=None)
@given(told=CHAINS, data=st.data())
def test_any_change_of_any_event_is_found(told: list[Any], data: st.DataObject):
    events = chain(told)
    at = data.draw(st.integers(0, len(events) - 1))
    victim = events[at]
    changes: dict[str, Any] = {
        "seq": victim.seq + data.draw(st.sampled_from([-1, 1, 7])),
        "kind": next(kind for kind in EventKind if kind is not victim.kind),
        "at": victim.at + timedelta(microseconds=data.draw(st.integers(1, 10**9))),
        "body": {**victim.body, "more": 1},
        "previous": data.draw(st.sampled_from(["f" * 64, "", victim.hash])),
        "hash": data.draw(st.sampled_from(["f" * 64, "", GENESIS])),
    }
    field = data.draw(st.sampled_from(sorted(changes)))
    events[at] = replace(victim, **{field: changes[field]})
    assert first_misfit(events) is not None


@settings(max_examples=40, deadline=None)
@given(told=CHAINS, data=st.data())
def test_a_change_that_is_hashed_again_breaks_the_chain_behind_it_or_the_head(told: list[Any], data: st.DataObject):
    events = chain(told)
    head = events[-1].hash
    at = data.draw(st.integers(0, len(events) - 1))
    victim = events[at]
    body = {**victim.body, "more": 1}
    events[at] = link(victim.seq, victim.kind, victim.at, body, victim.previous)
    assert first_misfit(events, head) is not None


@settings(max_examples=40, deadline=None)
@given(told=CHAINS, data=st.data())
def test_any_removal_is_found(told: list[Any], data: st.DataObject):
    events = chain(told)
    head = events[-1].hash
    del events[data.draw(st.integers(0, len(events) - 1))]
    problem = first_misfit(events, head)
    assert problem is not None
    assert "missing" in problem


@settings(max_examples=40, deadline=None)
@given(told=CHAINS.filter(lambda told: len(told) > 1), data=st.data())
def test_any_other_order_is_found(told: list[Any], data: st.DataObject):
    events = chain(told)
    moved = data.draw(st.permutations(events).filter(lambda order: order != events))
    assert first_misfit(moved) is not None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"body": {"call": "2"}}, "event 2 (call_sent) was changed after it was written"),
        ({"previous": GENESIS}, "event 2 (call_sent) does not follow from the event before it"),
        ({"seq": 3}, "event 2 is missing: found number 3 in its place"),
    ],
)
def test_the_misfit_is_named(change: dict[str, Any], problem: str):
    events = chain([(EventKind.RUN_PLANNED, {"run": 1}), (EventKind.CALL_SENT, {"call": "1"})])
    events[1] = replace(events[1], **change)
    assert first_misfit(events) == problem


def test_hashes_do_not_depend_on_key_order_or_time_zone():
    elsewhere = START.astimezone(timezone(timedelta(hours=5)))
    assert event_hash(1, "x", START, {"a": 1, "b": "ü"}, "") == event_hash(1, "x", elsewhere, {"b": "ü", "a": 1}, "")
    assert body_hash({"a": 1, "b": 2}) == body_hash({"b": 2, "a": 1}) != body_hash({"a": 1, "b": 3})
    assert canonical({"b": "é", "a": [1, None]}) == '{"a":[1,null],"b":"é"}'
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


def test_interventions_have_kinds():
    assert {kind.value for kind in InterventionKind} >= {"write_by_hand", "retry", "pause", "resume", "cancel"}
