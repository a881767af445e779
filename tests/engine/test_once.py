"""What is made of a frozen thing once is never given for another thing, and never grows without bound."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from app.domain.once import forget_all, once_each


def test_each_object_is_asked_for_once_and_an_equal_one_for_itself():
    asked: list[date] = []

    @once_each(8)
    def year(day: date) -> int:
        asked.append(day)
        return day.year

    one, same = date(2001, 1, 1), date(2001, 1, 1)
    assert [year(one), year(one), year(same)] == [2001, 2001, 2001]
    assert len(asked) == 2
    assert asked[0] is one
    assert asked[1] is same


@given(st.integers(1, 4), st.lists(st.integers(0, 6), max_size=40))
def test_whatever_is_forgotten_is_made_again(most: int, order: list[int]):
    things = [(number, number * number) for number in range(7)]
    square = once_each(most)(lambda thing: thing[0] ** 2)
    assert [square(things[number]) for number in order] == [number**2 for number in order]


def test_objects_that_come_and_go_do_not_take_each_others_place():
    shown = once_each(3)(lambda thing: thing[0])
    assert [shown((number,)) for number in range(500)] == list(range(500))


def test_what_is_forgotten_is_made_anew():
    made: list[object] = []
    one = object()

    @once_each(2)
    def make(given: object) -> int:
        made.append(given)
        return len(made)

    assert (make(one), make(one)) == (1, 1)
    forget_all()
    assert make(one) == 2
