"""The search for contradictions finds each kind when it is planted."""

import re
from dataclasses import replace

import pytest

from app.domain.world.histories.contradictions import contradictions
from app.domain.world.histories.facts import History
from tests.histories.worlds import world


def with_technology(history: History, index: int, **changes: object) -> History:
    found = list(history.technologies)
    found[index] = replace(found[index], **changes)
    return replace(history, technologies=tuple(found))


def with_trade(history: History, index: int, **changes: object) -> History:
    found = list(history.trades)
    found[index] = replace(found[index], **changes)
    return replace(history, trades=tuple(found))


def first(history: History, kind: str) -> int:
    return next(index for index, each in enumerate(history.happenings) if each.kind == kind)


def with_event(history: History, index: int, **changes: object) -> History:
    told = list(history.happenings)
    told[index] = replace(told[index], event=replace(told[index].event, **changes))
    return replace(history, happenings=tuple(told))


def with_kind(history: History, old: str, new: str) -> History:
    told = (replace(each, kind=new) if each.kind == old else each for each in history.happenings)
    return replace(history, happenings=tuple(told))


def needy(history: History) -> int:
    return next(index for index, one in enumerate(history.technologies) if one.needs)


def test_a_sound_world_has_none():
    assert contradictions(world(1)) == ()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda w: with_event(w, 4, id=w.events[5].id), "two events have one id"),
        (lambda w: with_event(w, 4, text=w.events[5].text), "one sentence stands twice"),
        (lambda w: replace(w, names=(*w.names, w.names[0].upper())), "one name was given twice"),
        (lambda w: with_event(w, 4, on=f"{w.last_year}-12"), "not in order of time"),
        (lambda w: with_technology(w, 0, ended_on=w.technologies[0].launched_on), "not in this order"),
        (lambda w: with_technology(w, needy(w), shown_on=f"{w.first_year}-01"), "which is younger"),
        (lambda w: with_event(w, first(w, "launch"), on=f"{w.first_year - 1}-01"), "is too early or too late"),
        (lambda w: with_event(w, first(w, "wager"), on=f"{w.last_year}-12"), "is too early or too late"),
        (lambda w: with_kind(w, "wager", "order"), "settles a wager that nobody made"),
        (lambda w: replace(w, firms=(replace(w.firms[0], ended_on="0001-01"), *w.firms[1:])), "ended before it was"),
        (lambda w: replace(w, firms=(replace(w.firms[0], founded_on="9000-01"), *w.firms[1:])), "before its founding"),
        (lambda w: replace(w, standards=(replace(w.standards[0], proposed_on="9000-01"),)), "settled before it was"),
        (lambda w: replace(w, regulations=(replace(w.regulations[0], passed_on="0001-01"),)), "are not in this order"),
        (lambda w: with_trade(w, 2, price=10**6), "rises in [0-9]+ without a cause"),
        (lambda w: replace(w, trades=(w.trades[0], *w.trades[2:])), "is followed by"),
        (lambda w: with_trade(w, 0, year=1000), "outside its life"),
        (lambda w: with_trade(w, 0, unit_cost=10**6), "sold below cost"),
        (lambda w: with_trade(w, 0, price=w.trades[0].price + 1), "its price is not the market's"),
        (lambda w: with_trade(w, -1, price=w.trades[-1].price + 10**6), "its layer ranking is not that of its trades"),
    ],
)
def test_a_planted_one_is_found(spoil, message: str):  # noqa: ANN001
    found = contradictions(spoil(world(1)))
    assert [line for line in found if re.search(message, line)], found


def test_a_rise_needs_its_cause_on_record_in_time():
    history = world(1)
    silent = [each for each in history.happenings if each.kind not in {"shortage", "levy"}]
    found = contradictions(replace(history, happenings=tuple(silent)))
    assert any("without a cause on record" in line for line in found)
