"""Totals, and the refusal to mix rubrics."""

from typing import Any

import pytest
from hypothesis import given

from app.domain.protocol.eras import Mode
from app.domain.protocol.rubrics import RubricId
from app.domain.scoring.scored_eras import (
    MixedRubricsError,
    ScoredEra,
    ScoreFormError,
    eras_by_run,
    eras_of_mode,
    require_one_scale,
    require_record,
    the_rubric_of,
    without_interventions,
)
from app.domain.scoring.totals import (
    MIXED_LABEL,
    aggregation_rule,
    controlled_total,
    mean_total,
    mechanical_total,
    shown_totals,
    total_without_playbook,
    totals_as_published,
    totals_of,
)
from tests.scoring.eras import auditor_era, record_era, record_eras


@given(record_eras())
def test_totals_lie_between_0_and_100_and_controlled_has_no_hindsight(era: ScoredEra):
    mechanical, controlled = mechanical_total(era), controlled_total(era).value

    assert controlled is not None
    assert 0 <= mechanical <= 100
    assert 0 <= controlled <= 100
    assert mechanical == pytest.approx(0.8 * controlled + 2 * era.subscores["hindsight_leakage"])


def test_the_three_totals_stand_side_by_side():
    shown = totals_of(record_era(scores=(7, 5, 4, 6, 7), total=55))

    assert (shown.typed, shown.mechanical, shown.controlled.value) == (55, 58.0, 55.0)
    assert shown.typed_minus_mechanical == -3
    assert totals_of(record_era()).typed_minus_mechanical is None


def test_the_controlled_total_is_the_records():
    assert "Auditor" in (controlled_total(auditor_era()).reason or "")
    assert total_without_playbook(auditor_era(scores=(9, 5, 4, 7, 5))) == 52.5
    with pytest.raises(MixedRubricsError, match="playbook_consistency"):
        total_without_playbook(record_era())


@pytest.mark.parametrize(
    ("totals", "rule"), [((60, 60), "sum_x2"), ((55, 50), "typed"), ((60, 50), "mixed"), ((None, None), None)]
)
def test_the_aggregation_rule_is_read_from_the_numbers(totals: tuple[float | None, ...], rule: str | None):
    assert aggregation_rule([record_era(total=total) for total in totals]) == rule


def test_typed_totals_are_shown_only_where_every_era_has_one():
    typed, untyped = record_era(total=50), record_era()

    assert shown_totals([typed, typed]) == ([50, 50], "typed")
    assert shown_totals([typed, untyped]) == ([60.0, 60.0], "mechanical")
    assert shown_totals([]) == ([], "mechanical")


def test_means_of_raw_totals_refuse_other_scales():
    assert mean_total([record_era(), record_era(scores=(7, 7, 7, 7, 7))]).value == 65
    assert mean_total([auditor_era(), auditor_era(mode=Mode.FORECAST)]).value == 60
    assert mean_total([]).value is None
    with pytest.raises(MixedRubricsError, match="never averaged"):
        mean_total([record_era(), auditor_era()])
    with pytest.raises(MixedRubricsError, match="training"):
        mean_total([record_era(), record_era(mode=Mode.FICTIONAL)])


def test_the_published_range_mixes_and_says_so():
    mixed = totals_as_published([record_era(total=50), auditor_era(total=70)])

    assert (mixed.n, mixed.minimum, mixed.maximum, mixed.mean.value) == (2, 50, 70, 60)
    assert mixed.label == MIXED_LABEL
    assert totals_as_published([record_era(total=50)]).label == "typed totals of one rubric"
    assert totals_as_published([]).minimum is None


def test_the_rubric_of_eras():
    assert the_rubric_of([record_era(), record_era(mode=Mode.POST_CUTOFF)]) is RubricId.RECORD
    assert the_rubric_of([]) is None
    require_one_scale([auditor_era(), auditor_era(mode=Mode.FORECAST)])
    require_record([record_era()], "the gap")


def test_records_measures_name_the_eras_that_do_not_belong():
    strangers = [auditor_era(era=f"E{i}") for i in range(4)]

    with pytest.raises(MixedRubricsError, match=r"leave out run-1 E0, run-1 E1, run-1 E2 and others"):
        require_record(strangers, "the gap")
    with pytest.raises(MixedRubricsError, match=r"leave out run-1 E0$"):
        require_record(strangers[:1], "the gap")


def test_eras_are_chosen_and_grouped_in_schedule_order():
    late, early, live = record_era(index=2), record_era(index=1), auditor_era(index=3)
    other = record_era(run="a")

    assert eras_of_mode([late, live, early], Mode.TRAINING) == [early, late]
    assert eras_by_run([late, other, early]) == {"a": [other], "run-1": [early, late]}
    assert without_interventions([late, record_era(intervened=True)]) == [late]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": (7, 5, 4, 6, 11)}, "hindsight_leakage is 11"),
        ({"scores": (-1, 5, 4, 6, 1)}, "frontier_accuracy is -1"),
        ({"total": 101}, "typed total is 101"),
        ({"mode": Mode.LIVE}, "a live era has the subscores playbook_consistency"),
    ],
)
def test_a_scored_era_has_its_rubrics_form(change: dict[str, Any], message: str):
    with pytest.raises(ScoreFormError, match=message):
        record_era(**change)
