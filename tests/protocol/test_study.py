"""A study's design is checked, hashed the same everywhere, and planned into runs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.protocol.analysis import Treatment
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.study import FurtherJudge, ModelChoice, StudyDesign, canonical_json, design_hash, plan_runs
from app.library import reader

STEADY = ModelChoice(model="rehearsal/steady", family="rehearsal-players")
BOLD = ModelChoice(model="rehearsal/bold", family="rehearsal-players")
STRICT = ModelChoice(model="rehearsal/strict", family="rehearsal-judges")
AUTHOR = ModelChoice(model="rehearsal/author", family="rehearsal-authors", temperature=None)
OF_OLD = "0e944f500e923925541a6150a93dd42d56bd173f3cda4f5d5828aa8302e9abf2"
"""What the design below hashed to when a design had one schedule and no name for it in the plural."""


def design(**more: Any) -> StudyDesign:
    fields = {
        "name": "Trial",
        "schedule": reader.schedule("history-short"),
        "players": (STEADY,),
        "judge": STRICT,
        "author": AUTHOR,
    }
    return StudyDesign.model_validate({name: value for name, value in {**fields, **more}.items() if value is not None})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"preset": Preset.PILOT}, "briefings: the pilot preset takes model briefings"),
        (
            {"preset": Preset.PILOT, "briefings": Briefings.MODEL, "mapping": Mapping.PERSONA},
            "mapping: the pilot preset maps a department to one context",
        ),
        ({"conditions": (Condition.FULL, Condition.FULL)}, "conditions: each condition may be chosen once"),
        ({"players": (STEADY, STEADY)}, "players: each player model may be chosen once"),
        ({"judge": BOLD}, "judge: rehearsal/bold is of the family of rehearsal/steady"),
        ({"judge": BOLD, "same_family_reason": "  "}, "choose another family or state a reason"),
        (
            {
                "conditions": tuple(Condition),
                "repetitions": 100,
                "players": tuple(STEADY.model_copy(update={"model": f"m{number}"}) for number in range(5)),
            },
            "repetitions: 2500 runs are asked for, at most 2000 are allowed",
        ),
    ],
)
def test_a_design_the_protocol_does_not_allow_is_refused(fields: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        design(**fields)


def test_a_judge_of_the_same_family_needs_a_reason_or_the_pilot():
    assert design(judge=BOLD, same_family_reason="only one family at hand").judge is BOLD
    assert design(judge=BOLD, preset=Preset.PILOT, briefings=Briefings.MODEL).judge is BOLD


def test_further_judges_are_written_only_where_there_are_any():
    further = FurtherJudge(judge=STRICT.model_copy(update={"model": "rehearsal/lenient"}))
    assert "further_judges" not in design().model_dump()
    assert design(further_judges=(further,)).model_dump()["further_judges"] == (further.model_dump(),)


@pytest.mark.parametrize("treatment", list(Treatment))
def test_the_other_treatment_of_interventions_is_the_one_that_is_left(treatment: Treatment):
    assert {treatment, treatment.other} == set(Treatment)


def test_runs_are_planned_in_one_order():
    runs = plan_runs(design(conditions=(Condition.FULL, Condition.NO_RED_TEAM), repetitions=2, players=(STEADY, BOLD)))
    assert [run.number for run in runs] == list(range(1, 9))
    assert [(run.condition, run.player, run.replicate) for run in runs[:3]] == [
        (Condition.FULL, STEADY, 1),
        (Condition.FULL, STEADY, 2),
        (Condition.FULL, BOLD, 1),
    ]
    assert runs[-1].name == "no_red_team r02"


@given(st.integers(1, 100), st.sets(st.sampled_from(list(Condition)), min_size=1))
def test_every_run_is_planned_once(repetitions: int, conditions: set[Condition]):
    study = design(repetitions=repetitions, conditions=tuple(sorted(conditions)))
    runs = plan_runs(study)
    assert len(runs) == study.run_count
    assert len({(run.condition, run.player, run.replicate) for run in runs}) == len(runs)


def test_each_schedule_makes_runs_of_its_own():
    short, long = reader.schedule("history-short"), reader.schedule("history-1990-2040")
    study = design(schedule=None, schedules=(short, long), repetitions=2)
    runs = plan_runs(study)
    assert [(run.schedule.id, run.replicate) for run in runs] == [
        ("history-short", 1),
        ("history-short", 2),
        ("history-1990-2040", 1),
        ("history-1990-2040", 2),
    ]
    assert runs[2].name == "full r01 history-1990-2040"
    assert (study.run_count, study.runs_a_schedule, len(study.eras)) == (4, 2, 12)
    assert (study.schedule_of(""), study.schedule_of("history-1990-2040")) == (short, long)
    with pytest.raises(KeyError):
        study.schedule_of("mars")
    with pytest.raises(ValueError, match="schedules: each schedule may be chosen once"):
        design(schedule=None, schedules=(short, short))


def test_one_schedule_is_written_as_it_always_was():
    short, long = reader.schedule("history-short"), reader.schedule("history-1990-2040")
    one = design()
    assert one.schedules == (short,)
    assert one.model_dump()["schedule"] == short.model_dump()
    assert "schedules" not in one.model_dump(mode="json")
    several = design(schedule=None, schedules=(short, long))
    assert "schedule" not in several.model_dump(mode="json")
    assert StudyDesign.model_validate_json(canonical_json(several)) == several
    assert StudyDesign.model_validate(several) is several


def test_the_hash_of_a_design_from_before_there_were_several_schedules_is_kept():
    assert design_hash(design(roster=None)) == OF_OLD


def test_the_hash_does_not_depend_on_the_order_of_fields_and_outlives_a_copy():
    study = design()
    shuffled = dict(reversed(study.model_dump().items()))
    again = StudyDesign.model_validate(shuffled)
    assert canonical_json(again) == canonical_json(study)
    assert design_hash(StudyDesign.model_validate_json(canonical_json(study))) == design_hash(study)
    assert len(design_hash(study)) == 64


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_another_seed_is_another_hash(one: int, other: int):
    assert (design_hash(design(seed=one)) == design_hash(design(seed=other))) is (one == other)


def test_canonical_json_is_fixed():
    choice = ModelChoice(model="a/b", family="größe", temperature=None)
    assert canonical_json(choice) == '{"family":"größe","model":"a/b","temperature":null}'
