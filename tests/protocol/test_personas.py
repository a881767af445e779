"""The roster finds its personas by group, by id, and the executives who answer."""

import pytest

from app.domain.protocol.personas import DEPARTMENTS, Group
from app.library.reader import roster


def test_sixteen_people_in_five_groups():
    sizes = {group: len(roster().of(group)) for group in Group}
    assert sizes == {
        Group.EXECUTIVE: 4,
        Group.FRONTIER_RESEARCH: 4,
        Group.PRODUCT_ENGINEERING: 4,
        Group.MARKET_CAPITAL: 3,
        Group.GOVERNANCE: 1,
    }
    assert [sum(one.head for one in roster().of(group)) for group in DEPARTMENTS] == [1, 1, 1]


def test_three_executives_answer_before_the_fourth_decides():
    advisers = roster().advisers
    assert len(advisers) == 3
    assert not any(one.head for one in advisers)


def test_a_persona_is_found_by_its_id_or_missed():
    first = roster().personas[0]
    assert roster().persona(first.id) is first
    with pytest.raises(KeyError):
        roster().persona("nobody")
