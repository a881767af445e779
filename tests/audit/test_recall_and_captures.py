"""Recall questions and their scoring, and capture without recall."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.audit.captures import JudgedLayer, contrast_captures
from app.domain.audit.recall import LETTERS, QuestionKind, draw_questions, read_choice, score_recall
from app.domain.protocol.eras import Mode
from app.domain.protocol.layers import LayerDistance
from app.domain.world.events import Event, Fate, events_within
from app.library import reader
from tests.histories.worlds import world

START, END = date(1996, 1, 1), date(2002, 1, 1)


def questions(count: int = 40, seed: int = 1):
    return draw_questions(reader.events(), start=START, end=END, count=count, seed=seed)


def event(name: str, on: str, fate: Fate = Fate.NICHE, domain: str = "ai") -> Event:
    return Event(id=name, on=on, domain=domain, text=name, source="", fate=fate, confidence="high")


def layer(run: str, mode: Mode, distance: LayerDistance, condition: str = "full") -> JudgedLayer:
    return JudgedLayer(run, condition, "m", mode, distance)


def test_questions_are_the_same_for_a_seed_whatever_the_order():
    assert questions() == draw_questions(reversed(reader.events()), start=START, end=END, count=40, seed=1)
    assert questions() != questions(seed=2)


def test_the_right_option_is_of_the_window_and_the_decoys_are_what_they_should_be():
    by_text = {one.text: one for one in reader.events()}
    inside = {one.id for one in events_within(reader.events(), START, END)}
    kinds = [one.kind for one in questions()]
    assert kinds[:4] == [QuestionKind.WHEN, QuestionKind.FATE] * 2
    for one in questions():
        options = [by_text[text] for text in one.options]
        right = options[LETTERS.index(one.right)]
        others = [option for option in options if option is not right]
        assert right.id == one.event
        assert right.id in inside
        assert len(set(one.options)) == 4
        if one.kind is QuestionKind.WHEN:
            assert not inside & {option.id for option in others}
            assert {option.domain for option in options} == {right.domain}
        else:
            assert right.fate is Fate.DOMINANT
            assert {option.id for option in others} <= inside
            assert Fate.DOMINANT not in {option.fate for option in others}


@settings(max_examples=20, deadline=None)
@given(st.integers())
def test_no_letter_is_right_much_more_often_than_others(seed: int):
    found = [one.right for one in questions(80, seed)]
    assert {found.count(letter) > 2 for letter in LETTERS} == {True}


def test_an_invented_world_can_be_asked_about_too():
    history = world(2)
    start = date(history.window("F2").first_year, 1, 1)
    found = draw_questions(history.events, start=start, end=date(start.year + 6, 1, 1), count=20, seed=1)
    assert len(found) == 20


def test_few_events_give_few_questions():
    rows = [event("a", "1997", Fate.DOMINANT), event("b", "1990"), event("c", "1991"), event("d in 1994", "1992")]
    assert draw_questions(rows, start=START, end=END, count=9, seed=1) == ()
    rows += [event("e", "1993")]
    assert [one.kind for one in draw_questions(rows, start=START, end=END, count=9, seed=1)] == [QuestionKind.WHEN]


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("B", "B"),
        (" (c) because", "C"),
        ("Answer: D.", "D"),
        ("The answer is B", None),
        ("Answer is a", "A"),
        ("Option C", "C"),
        ("**B**", "B"),
        ("Because of B", None),
        ("", None),
        ("E", None),
    ],
)
def test_choices_are_read_strictly(answer: str, letter: str | None):
    assert read_choice(answer) == letter


def test_answers_are_scored_by_code_against_chance():
    asked = questions(20)
    right = {one.id: one.right for one in asked}
    perfect = score_recall(asked, right)
    assert perfect.share.value == 1.0
    assert perfect.p_value == pytest.approx(0.25**20)
    silent = score_recall(asked, {asked[0].id: "none of them", asked[1].id: right[asked[1].id]})
    assert (silent.right, silent.unreadable, silent.asked) == (1, 19, 20)
    assert score_recall([], {}).share.reason == "there is no question on this window"


def test_capture_is_contrasted_by_condition_with_runs_as_units():
    layers = [
        layer("h1", Mode.TRAINING, LayerDistance.MATCH),
        layer("h1", Mode.TRAINING, LayerDistance.MISS),
        layer("h2", Mode.TRAINING, LayerDistance.MATCH),
        layer("h2", Mode.LIVE, LayerDistance.MISS),
        layer("f1", Mode.FICTIONAL, LayerDistance.NEIGHBOUR),
        layer("p1", Mode.POST_CUTOFF, LayerDistance.MISS),
        layer("h3", Mode.TRAINING, LayerDistance.MISS, "no_red_team"),
    ]
    full, other = contrast_captures(layers)
    assert full.historical.value == pytest.approx(0.75)
    assert full.unrecallable.value == pytest.approx(0.25)
    assert full.difference.value == pytest.approx(0.5)
    assert full.interval.bounds is None
    assert full.interval.reason == "fewer than six runs on one side (2 and 2): no interval"
    assert other.condition == "no_red_team"
    assert other.difference.reason.startswith("capture on fictional or post-cutoff eras is undefined")


def test_six_runs_a_side_have_an_interval_unless_they_do_not_differ():
    def runs(mode: Mode, matches: int) -> list[JudgedLayer]:
        kinds = [LayerDistance.MATCH] * matches + [LayerDistance.MISS] * (6 - matches)
        return [layer(f"{mode}{number}", mode, kind) for number, kind in enumerate(kinds)]

    (found,) = contrast_captures([*runs(Mode.TRAINING, 4), *runs(Mode.FICTIONAL, 2)])
    # Two groups of six with means 2/3 and 1/3: s² = 4/15 each, se² = 4/45, 10 degrees of freedom, t = 2.228.
    assert found.interval.bounds == pytest.approx(
        (1 / 3 - 2.22814 * (4 / 45) ** 0.5, 1 / 3 + 2.22814 * (4 / 45) ** 0.5), abs=1e-5
    )
    (same,) = contrast_captures([*runs(Mode.TRAINING, 6), *runs(Mode.FICTIONAL, 0)])
    assert same.difference.value == 1.0
    assert same.interval.reason == "the runs of each side do not differ: no spread to build on"
