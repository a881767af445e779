"""The smaller parts: scales, training, activity, pace, planning, answers, closing, sessions, packets, designs."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.domain.ids import AssignmentId
from app.domain.protocol.rubrics import RubricId
from app.domain.rating.activity import Event, active_ms
from app.domain.rating.answers import Answer, Confidence, missing_values, read_answer, with_locked
from app.domain.rating.closing import guess_keys, permuted_opinions, rater_label
from app.domain.rating.pace import Remaining, needs_break, remaining_time
from app.domain.rating.packets import Packet, Section
from app.domain.rating.planning import expected_precision, work_load
from app.domain.rating.scales import (
    RatedDimension,
    RatingRubric,
    RatingScale,
    ScaleKind,
    named_scale,
    points_scale,
    rubric_for_raters,
)
from app.domain.rating.sessions import Kind, PanelState, Stage, Standing, Status, Step, next_step, stage_of
from app.domain.rating.training import Grade, TrainingItem, TrainingPlan, feedback_on, grade, is_ready
from app.domain.rating.views import scales_for, sections_for, stand_ins_in
from app.library.reader import rubric

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
RECORD = rubric_for_raters(rubric(RubricId.RECORD))
LIKERT = named_scale(ScaleKind.LIKERT, ("none", "some", "much"))


def test_the_record_rubric_locks_leakage_first_and_any_word_changes_its_version():
    assert [one.id for one in RECORD.first_phase] == ["hindsight_leakage"]
    changed = RECORD.model_copy(update={"title": "Another"})
    assert changed.version != RECORD.version == rubric_for_raters(rubric(RubricId.RECORD)).version
    assert not rubric_for_raters(rubric(RubricId.AUDITOR)).first_phase


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "numeric", "values": (1, 0)}, "ascending"),
        ({"kind": "numeric", "values": (1, 1)}, "ascending"),
        ({"kind": "binary", "values": (0, 1, 2)}, "two values"),
        ({"kind": "numeric", "values": (0, 1), "labels": {2: "x"}}, "2 is no value"),
        ({"kind": "nominal", "values": (0, 1), "labels": {0: "x"}}, "needs a label"),
    ],
)
def test_scales_that_are_none_are_refused(values: dict[str, Any], words: str):
    with pytest.raises(ValidationError, match=words):
        RatingScale.model_validate(values)


def test_dimensions_and_rubrics_are_checked():
    with pytest.raises(ValidationError, match="11 is no value"):
        RatedDimension(id="a", name="A", scale=points_scale(), anchors={11: "x"})
    one = RatedDimension(id="a", name="A", scale=points_scale(), anchors={3: "three"})
    with pytest.raises(ValidationError, match="id of its own"):
        RatingRubric(id="r", title="R", dimensions=(one, one))
    assert one.anchor(2) == ""
    assert one.anchor(3) == "three"
    assert one.anchor(7) == "above 3: three"
    assert LIKERT.label(2) == "some"
    assert points_scale(1, 5).span == 4


@pytest.mark.parametrize(
    ("scale", "given_value", "consensus", "expected"),
    [
        (points_scale(), 5, 5, Grade.PASS),
        (points_scale(), 6, 5, Grade.PASS),
        (points_scale(), 3, 5, Grade.NEAR),
        (points_scale(), 8, 5, Grade.MISS),
        (points_scale(), None, 5, Grade.MISS),
        (LIKERT, 2, 2, Grade.PASS),
        (LIKERT, 2, 1, Grade.NEAR),
        (LIKERT, 3, 1, Grade.MISS),
        (named_scale(ScaleKind.BINARY, ("no", "yes")), 1, 0, Grade.MISS),
        (named_scale(ScaleKind.NOMINAL, ("a", "b", "c")), 1, 0, Grade.MISS),
    ],
)
def test_training_grades(scale: RatingScale, given_value: int | None, consensus: int, expected: Grade):
    assert grade(scale, given_value, consensus) is expected


def test_too_many_misses_block_the_start_and_so_does_an_open_item():
    plan = TrainingPlan(
        items=(TrainingItem(key="k", consensus={"timing": 5, "layer_choice": 5}, reasons={"timing": "because"}),)
    )
    lines = feedback_on(RECORD, plan.items[0], {"timing": 6})
    assert [(line.dimension.id, line.given, line.grade, line.reason) for line in lines] == [
        ("timing", 6, "pass", "because"),
        ("layer_choice", None, "miss", ""),
    ]
    assert not is_ready(plan, RECORD, {})
    assert not is_ready(plan, RECORD, {"k": {"timing": 6}})
    assert is_ready(plan, RECORD, {"k": {"timing": 6, "layer_choice": 7}})
    assert is_ready(TrainingPlan(), RECORD, {})


def test_thirty_seconds_ten_minutes_idle_and_twenty_seconds_are_fifty():
    work = [(second * 1_000, "used") for second in [*range(31), *range(630, 651)]]
    assert active_ms([work]) == 50_000


def test_time_out_of_view_does_not_count_and_two_tabs_count_once():
    hidden: list[Event] = [
        (0, "shown"),
        (5_000, "used"),
        (10_000, "hidden"),
        (15_000, "used"),
        (20_000, "shown"),
        (22_000, "used"),
    ]
    assert active_ms([hidden]) == 12_000
    assert active_ms([[(0, "used"), (10_000, "used")], [(5_000, "used"), (12_000, "used")]]) == 12_000
    assert active_ms([]) == 0
    assert active_ms([[(0, "used"), (30_000, "used"), (60_001, "used")]]) == 30_000


@given(st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(["used", "shown", "hidden"])), max_size=40))
def test_active_time_is_never_more_than_the_time_that_passed_and_order_does_not_matter(events: list[Any]):
    total = active_ms([events])
    assert 0 <= total <= max((at for at, _ in events), default=0)
    assert total == active_ms([sorted(events)])


def test_the_time_left_follows_the_raters_own_pace():
    by_length = Remaining(40, is_own_pace=False)
    assert remaining_time([], 10, 4.0) == by_length
    assert remaining_time([60_000, 120_000, 10**9], 10, 4.0) == by_length
    assert remaining_time([60_000, 90_000, 120_000, 10**9], 10, 4.0) == Remaining(15, is_own_pace=True)
    assert remaining_time([60_000] * 3, 0, 4.0).minutes == 0


def test_a_break_is_hinted_after_forty_minutes_without_a_rest():
    minutes = [NOW - timedelta(minutes=ago) for ago in (45, 30, 15)]
    assert needs_break(minutes, NOW)
    assert not needs_break(minutes[1:], NOW)
    assert not needs_break([minutes[0]], NOW)
    assert not needs_break([], NOW)


@pytest.mark.parametrize(
    ("raters", "reliability", "items", "expected"),
    [(2, 0.65, 30, 0.23), (2, 0.65, 60, 0.16), (2, 0.65, 120, 0.11), (3, 0.65, 30, 0.18), (3, 0.65, 60, 0.13),
     (3, 0.65, 120, 0.09), (3, 0.8, 30, 0.13), (3, 0.8, 60, 0.09), (3, 0.8, 120, 0.06)],
)  # fmt: skip
def test_expected_half_widths_are_those_of_the_reference(raters: int, reliability: float, items: int, expected: float):
    found = expected_precision(items=items, raters=raters, runs=items, reliability=reliability, seed=1)
    assert found.half_width == pytest.approx(expected, abs=0.01)


def test_where_no_interval_can_be_given_the_reason_is():
    assert "one rater" in str(expected_precision(items=30, raters=1, runs=30, reliability=0.5, seed=1).reason)
    assert "fewer than six runs (4)" in str(
        expected_precision(items=30, raters=2, runs=4, reliability=0.5, seed=1).reason
    )
    flat = expected_precision(items=6, raters=2, runs=6, reliability=1 - 1e-15, seed=3)
    assert flat.reason == "the simulated ratings show no spread"
    clustered = expected_precision(items=60, raters=3, runs=12, reliability=0.65, seed=1)
    assert clustered.half_width is not None
    assert clustered.half_width > 0.12


def test_the_reading_load_counts_words_and_scores():
    load = work_load(items=30, words_per_item=3_000, dimensions=5)
    assert load.minutes_per_item == pytest.approx(16.25)
    assert load.hours == pytest.approx(8.125)


def test_answers_are_read_field_by_field_and_nothing_is_guessed():
    fields = {
        "v.timing": "7",
        "v.layer_choice": "11",
        "v.frontier_accuracy": "x",
        "note": "a\r\nb",
        "confidence": "high",
    }
    read = read_answer(RECORD, {**fields, "flagged": "yes", "seen_before": "no"})
    assert read.answer == Answer(
        values={"timing": 7}, confidence=Confidence.HIGH, note="a\nb", flagged=True, seen_before=False
    )
    assert set(read.problems) == {"layer_choice", "frontier_accuracy"}
    assert set(missing_values(RECORD.dimensions, read.answer)) == {one.id for one in RECORD.dimensions} - {"timing"}
    assert with_locked(read.answer, {"timing": 2}).values == {"timing": 2}
    empty = read_answer(RECORD, {"note": "n" * 4_001, "seen_before": "perhaps"})
    assert "shorten" in empty.problems["note"]
    assert empty.answer.seen_before is None
    assert read_answer(RECORD, {"seen_before": "yes"}).answer.seen_before is True


@pytest.mark.parametrize("text", ["--5", "5-", "9" * 5_000, "²", "1e400", "NaN", "5.0", "-"])
def test_a_value_that_is_no_number_of_the_scale_is_named(text: str):
    read = read_answer(RECORD, {"v.timing": text})
    assert read.answer.values == {}
    assert "choose one of its values" in read.problems["timing"]


def test_guesses_are_a_seeded_subset_of_ones_own():
    keys = [f"k{number}" for number in range(20)]
    assert guess_keys(keys, seed=1, slot=1, count=5) == guess_keys(keys[::-1], seed=1, slot=1, count=5)
    assert guess_keys(keys, seed=1, slot=1, count=5) != guess_keys(keys, seed=1, slot=2, count=5)
    assert len(guess_keys(keys[:3], seed=1, slot=1, count=5)) == 3


def test_opinions_are_permuted_anew_for_every_item():
    given_values: dict[str, tuple[int | None, str]] = {
        f"Rater {name}": (value, "") for value, name in enumerate("ABCDE")
    }
    orders = {
        tuple(one.value for one in permuted_opinions(given_values, seed=1, item=item, dimension=0)) for item in range(9)
    }
    assert len(orders) > 5
    labels = [one.label for one in permuted_opinions(given_values, seed=1, item=1, dimension=0)]
    assert labels == [f"Opinion {name}" for name in "ABCDE"]


def test_raters_are_pseudonyms_by_slot():
    assert [rater_label(slot) for slot in (1, 2, 26, 27, 52, 53)] == [
        f"Rater {name}" for name in ("A", "B", "Z", "AA", "AZ", "BA")
    ]


def step(kind: Kind, position: int, status: Status = Status.OPEN) -> Step:
    return Step(AssignmentId(uuid4()), kind, position, status)


@pytest.mark.parametrize(
    ("changes", "stage"),
    [
        ({"finished": True, "panel": PanelState.CLOSED}, Stage.DONE),
        ({"panel": PanelState.CLOSED}, Stage.CLOSED),
        ({"panel": PanelState.PAUSED}, Stage.PAUSED),
        ({"consented": False}, Stage.CONSENT),
        ({"steps": (step(Kind.TRAINING, 1), step(Kind.MAIN, 1))}, Stage.TRAINING),
        ({"trained": False}, Stage.BLOCKED),
        ({"steps": (step(Kind.MAIN, 1),)}, Stage.RATING),
        ({}, Stage.QUESTIONS),
        ({"questions_answered": True}, Stage.REVIEW),
        ({"asks_questions": False}, Stage.REVIEW),
    ],
)
def test_the_earliest_unfinished_stage_comes_next(changes: dict[str, Any], stage: Stage):
    values: dict[str, Any] = {
        "panel": PanelState.OPEN, "consented": True, "finished": False, "asks_questions": True,
        "questions_answered": False, "trained": True, "steps": (step(Kind.MAIN, 1, Status.SKIPPED),),
    }  # fmt: skip
    assert stage_of(Standing(**{**values, **changes})) is stage


def test_the_next_step_is_the_first_open_one():
    steps = (step(Kind.MAIN, 3), step(Kind.MAIN, 2), step(Kind.MAIN, 1, Status.SUBMITTED), step(Kind.TRAINING, 1))
    assert next_step(steps, Kind.MAIN) is steps[1]


def test_the_outcome_is_not_in_the_page_before_the_first_scores_are_locked():
    sections = (Section(id="a", title="A", text="Company BX"), Section(id="o", title="O", text="after", outcome=True))
    packet = Packet(sections=sections)
    shown = sections_for(packet, locked=False, has_first_phase=True)
    assert [one.id for one in shown] == ["a"]
    assert len(sections_for(packet, locked=True, has_first_phase=True)) == 2
    assert len(sections_for(packet, locked=False, has_first_phase=False)) == 2
    assert stand_ins_in(("Company CD", "Company BX"), shown) == ("Company BX",)


def test_scales_of_the_second_phase_wait_and_locked_ones_stay():
    answer = Answer(values={"hindsight_leakage": 9, "timing": 4})
    before = scales_for(RECORD, answer, None)
    assert [(one.is_later, one.is_locked) for one in before] == [(False, False), *[(True, False)] * 4]
    after = scales_for(RECORD, answer, {"hindsight_leakage": 3})
    assert [(one.value, one.is_locked, one.is_later) for one in after][:1] == [(3, True, False)]
    assert {one.dimension.id: one.value for one in after}["timing"] == 4
    assert not any(
        one.is_later or one.is_locked for one in scales_for(rubric_for_raters(rubric(RubricId.AUDITOR)), answer, None)
    )
