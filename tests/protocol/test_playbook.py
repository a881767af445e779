"""Lessons are added, revised and retired, and none is lost."""

from hypothesis import given
from hypothesis import strategies as st

from app.domain.protocol.playbook import Playbook
from tests.protocol.samples import draft


def test_lessons_are_named_by_era_and_number():
    book = Playbook().with_lessons("E1", [draft("a"), draft("b"), draft("c")])
    assert [lesson.id for lesson in book.lessons] == ["E1-1", "E1-2", "E1-3"]
    assert book.active == book.lessons
    assert book.lessons[0].era == "E1"


def test_a_revised_lesson_stays_on_record_and_leaves_the_active_ones():
    book = Playbook().with_lessons("E1", [draft("a"), draft("b")]).with_lessons("E2", [draft("c", revises="E1-1")])
    assert [lesson.id for lesson in book.active] == ["E1-2", "E2-1"]
    assert book.lessons[0].replaced_by == "E2-1"
    assert book.lessons[2].revises == "E1-1"


def test_a_retired_lesson_says_who_retired_it():
    book = Playbook().with_lessons("E1", [draft("a")]).with_lessons("E2", [draft("b", retires="E1-1")])
    assert book.lessons[0].retired_by == "E2-1"
    assert not book.lessons[0].is_active


def test_the_first_end_of_a_lesson_is_kept():
    book = Playbook().with_lessons("E1", [draft("a")]).with_lessons("E2", [draft("b", revises="E1-1")])
    later = book.with_lessons("E3", [draft("c", revises="E1-1"), draft("d", retires="E1-1")])
    assert later.lessons[0].replaced_by == "E2-1"
    assert later.lessons[0].retired_by == "E3-2"


def test_an_unknown_lesson_is_neither_revised_nor_retired():
    book = Playbook().with_lessons("E1", [draft("a", revises="E9-9", retires="E1-1")])
    assert book.lessons[0].revises is None
    assert book.lessons[0].retires is None
    assert book.lessons[0].is_active


NAMES = st.one_of(st.none(), st.sampled_from(["E1-1", "E1-2", "E2-1", "E2-2", "E7-1"]))
ERAS = st.lists(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=5), min_size=1, max_size=4)


@given(ERAS)
def test_history_only_grows(eras: list[list[tuple[str | None, str | None]]]):
    book = Playbook()
    for number, pairs in enumerate(eras, start=1):
        before = book
        book = book.with_lessons(f"E{number}", [draft(revises=a, retires=b) for a, b in pairs])
        assert [lesson.text for lesson in book.lessons[: len(before.lessons)]] == [x.text for x in before.lessons]
        assert len(book.lessons) == len(before.lessons) + len(pairs)
        assert {lesson.id for lesson in book.active} <= {lesson.id for lesson in book.lessons}
        ended = {x.id for x in before.lessons if not x.is_active}
        assert not ended & {lesson.id for lesson in book.active}
    assert len({lesson.id for lesson in book.lessons}) == len(book.lessons)
