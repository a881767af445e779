"""Deviations: exactly what went otherwise than designed, one entry a step."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid5

import pytest

from app.domain.engine.deviations import (
    CallFact,
    DeviationKind,
    Facts,
    InterventionFact,
    JudgingFact,
    RunFact,
    find_deviations,
    is_version,
)
from app.domain.engine.interventions import InterventionKind
from app.domain.engine.judgings import FIRST_JUDGING, design_judgings
from app.domain.protocol.conditions import Condition
from app.domain.study import FurtherJudge, StudyDesign, plan_runs
from app.library.reader import roster, schedule
from app.services.studies import choose_model

SPACE = UUID(int=7)


def a_design() -> StudyDesign:
    return StudyDesign(
        name="Trial",
        schedules=(schedule("history-short"),),
        roster=roster(),
        conditions=(Condition.FULL, Condition.NO_RED_TEAM),
        repetitions=2,
        players=(choose_model("rehearsal/steady", 1.0),),
        judge=choose_model("rehearsal/strict", 1.0),
        author=choose_model("rehearsal/author", 1.0),
    )


def run_id(number: int) -> UUID:
    return uuid5(SPACE, f"run {number}")


def runs_of(design: StudyDesign) -> list[RunFact]:
    return [
        RunFact(
            id=run_id(run.number),
            number=run.number,
            condition=str(run.condition),
            replicate=run.replicate,
            player=run.player.model,
            state="finished",
            label=run.name,
            schedule=run.schedule.id,
        )
        for run in plan_runs(design)
    ]


def call(step: str, number: int = 1, **changes: object) -> CallFact:
    models = {"review": "rehearsal/strict", "briefing": "rehearsal/author"}
    values: dict[str, object] = {
        "id": uuid5(SPACE, f"{number} {step}"),
        "run": run_id(number),
        "step": step,
        "state": "answered",
        "model_asked": models.get(step.split("/")[1], "rehearsal/steady"),
        "model_reported": None,
        "settings": {"temperature": 1.0, "max_tokens": 8_000},
        "template_hashes": {"memo": "a" * 64},
    }
    return CallFact(**{**values, **changes})  # type: ignore[arg-type]


def facts(
    calls: Sequence[CallFact] = (),
    interventions: Sequence[InterventionFact] = (),
    runs: Sequence[RunFact] | None = None,
    *,
    holds: bool = True,
) -> Facts:
    return Facts(holds, runs_of(a_design()) if runs is None else runs, calls, interventions)


def kinds(found: Facts) -> list[DeviationKind]:
    return [one.kind for one in find_deviations(a_design(), found)]


def test_a_study_as_designed_has_none():
    assert find_deviations(a_design(), facts([call("E1/memo/market_capital"), call("E1/review")])) == ()


def test_a_changed_design_is_said():
    assert kinds(facts(holds=False)) == [DeviationKind.DESIGN]


def test_runs_missing_cancelled_and_added_are_named():
    runs = runs_of(a_design())
    stranger = RunFact(run_id(9), 9, "full", 3, "rehearsal/bold", "finished", "full r03")
    swapped = RunFact(run_id(2), 2, "full", 2, "rehearsal/bold", "finished", "full r02")
    cancelled = RunFact(run_id(3), 3, "no_red_team", 1, "rehearsal/steady", "cancelled", "no_red_team r01")
    found = find_deviations(a_design(), facts(runs=[swapped, cancelled, runs[3], stranger]))
    assert [(one.kind, one.label) for one in found] == [
        (DeviationKind.RUN_MISSING, "full r01"),
        (DeviationKind.RUN_MISSING, "no_red_team r01"),
        (DeviationKind.RUN_ADDED, "full r02"),
        (DeviationKind.RUN_ADDED, "full r03"),
    ]
    assert "rehearsal/bold is not in the design" in found[2].words


@pytest.mark.parametrize(
    ("kind", "listed"),
    [
        (InterventionKind.WRITE_BY_HAND, DeviationKind.BY_HAND),
        (InterventionKind.SKIP, DeviationKind.SKIPPED),
        (InterventionKind.REDACT, DeviationKind.REDACTED),
        (InterventionKind.RETRY, DeviationKind.RETRIED),
        (InterventionKind.RETRY_CHANGED, DeviationKind.SETTING),
    ],
)
def test_what_people_did_to_a_step_is_listed_with_its_reason(kind: InterventionKind, listed: DeviationKind):
    made = InterventionFact(run_id(1), "E1/attack", kind, "the service was down")
    (found,) = find_deviations(a_design(), facts(interventions=[made]))
    assert (found.kind, found.run, found.step) == (listed, run_id(1), "E1/attack")
    assert "the service was down" in found.words


def test_pauses_and_notes_are_interventions_and_no_deviations():
    paused = InterventionFact(run_id(1), None, InterventionKind.PAUSE, "lunch")
    assert find_deviations(a_design(), facts(interventions=[paused])) == ()


def test_a_step_has_one_entry_and_its_gravest_kind():
    refused = [call("E1/attack", state="refused"), call("E1/attack", state="refused")]
    by_hand = InterventionFact(run_id(1), "E1/attack", InterventionKind.WRITE_BY_HAND, "twice a score of 11")
    (found,) = find_deviations(a_design(), facts(refused, [by_hand]))
    assert found.kind is DeviationKind.BY_HAND
    assert found.words == "Written by hand (twice a score of 11); 2 calls did not fit."


def test_settings_that_differ_from_the_design_are_listed_with_both():
    changed = [
        call("E1/memo/market_capital", settings={"temperature": 0.2}),
        call("E1/review", model_asked="rehearsal/bold"),
        call("E1/attack", number=8),
    ]
    first, second = find_deviations(a_design(), facts(changed))
    assert first.words == "Temperature 0.2, the design says 1.0."
    assert second.words == "Asked of rehearsal/bold, the design says rehearsal/strict."


def test_a_run_with_an_undesigned_player_is_listed_once():
    run = RunFact(run_id(1), 1, "full", 1, "rehearsal/bold", "finished", "full r01")
    others = runs_of(a_design())[1:]
    found = facts([call("E1/attack", model_asked="rehearsal/bold")], runs=[run, *others])
    assert kinds(found) == [DeviationKind.RUN_ADDED, DeviationKind.RUN_MISSING][:1]


def test_calls_that_failed_were_lost_or_came_late_are_counted():
    ended = [call("E1/attack", state=state) for state in ("failed", "lost", "discarded", "answered")]
    (found,) = find_deviations(a_design(), facts(ended))
    assert (found.kind, found.words) == (DeviationKind.CALL, "1 call failed; 1 call was lost; 1 call came too late.")


def test_a_model_that_answers_as_another_version_is_listed_once_for_all_runs_and_roles():
    calls = [call("E1/attack", model_reported=version) for version in ("new", "new", "steady", None)]
    calls += [call("E2/attack", number=2, model_reported="new"), call("E1/attack", number=8)]
    (found,) = find_deviations(a_design(), facts(calls))
    assert (found.kind, found.run, found.label) == (DeviationKind.VERSION, None, "rehearsal/steady")
    words = "rehearsal/steady answered as new in 3 calls of 2 runs; the design fixes steady."
    assert found.words == words
    (alone,) = find_deviations(a_design(), facts([call("E1/attack", model_reported="new")]))
    assert (alone.run, alone.label) == (run_id(1), "full r01")
    assert "new in 1 call of 1 run;" in alone.words


def test_a_design_from_before_versions_were_fixed_lists_models_that_answered_as_several():
    plain = a_design().model_dump(mode="json", exclude={"players": {0: {"version"}}})
    design = StudyDesign.model_validate(plain)
    calls = [call("E1/attack", model_reported="a"), call("E2/attack", number=2, model_reported="b")]
    (found,) = find_deviations(design, facts(calls))
    assert found.words == "rehearsal/steady answered as a in 1 call of 1 run, b in 1 call of 1 run."
    assert find_deviations(design, facts(calls[:1])) == ()


@pytest.mark.parametrize(
    ("reported", "fixed", "is_one"),
    [
        ("m-5", "m-5", True),
        ("m-5-2026-08-01", "m-5", True),
        ("m-5-20260801", "m-5-latest", True),
        ("m-5-0613", "m-5", True),
        ("m-5@20260801", "m-5", True),
        ("m-5-mini", "m-5", False),
        ("m-5-mini-2026-08-01", "m-5", False),
        ("m-5", "m-5-2026-08-01", False),
        ("m-5-2026-08-01", "m-5-2026-01-01", False),
        ("anything", None, True),
    ],
)
def test_a_dated_version_of_a_name_is_that_version(reported: str, fixed: str | None, *, is_one: bool):
    assert is_version(reported, fixed) is is_one


def test_a_prompt_that_changed_is_listed():
    calls = [call("E1/attack"), call("E1/review", template_hashes={"memo": "b" * 64})]
    (found,) = find_deviations(a_design(), facts(calls))
    assert found.kind is DeviationKind.TEMPLATE


def judged_again() -> tuple[StudyDesign, JudgingFact]:
    """A design with a further judge, and the judging as it should be."""
    asked = a_design().model_copy(
        update={"further_judges": (FurtherJudge(judge=choose_model("rehearsal/dazzled", 1)),)}
    )
    plan = design_judgings(asked)[0]
    return asked, JudgingFact(uuid5(SPACE, "judging"), FIRST_JUDGING, "finished", "judged again", plan)


def told_of(design: StudyDesign, **changes: object) -> list[tuple[DeviationKind, str, str]]:
    facts = {"design_holds": True, "runs": runs_of(design), "calls": [], "interventions": [], **changes}
    return [(one.kind, one.label, one.words) for one in find_deviations(design, Facts(**facts))]


def test_a_judging_that_is_missing_cancelled_or_incomplete_is_listed():
    design, judging = judged_again()
    assert told_of(design, judgings=[judging]) == []
    missing = "Judging again by rehearsal/dazzled, standard anchors is in the design and has not begun."
    name = "rehearsal/dazzled, standard anchors"
    assert told_of(design) == [(DeviationKind.JUDGING_MISSING, name, missing)]
    at_work = [replace(run, state="running") for run in runs_of(design)]
    assert told_of(design, runs=at_work) == []
    cancelled = "The judging was cancelled before its end."
    assert told_of(design, judgings=[replace(judging, state="cancelled")]) == [
        (DeviationKind.JUDGING_MISSING, "judged again", cancelled)
    ]
    fewer = judging.plan.model_copy(update={"items": judging.plan.items[1:]})
    left = f"Not judged again: 1 of {len(judging.plan.items)} decisions; there was none to judge."
    assert told_of(design, judgings=[replace(judging, plan=fewer)]) == [
        (DeviationKind.JUDGING_MISSING, "judged again", left)
    ]


def test_calls_of_a_judging_are_held_against_its_own_judge():
    design, judging = judged_again()
    made = call("E1/review/r001/plain/1", run=judging.id, model_asked="rehearsal/dazzled", state="lost")
    assert told_of(design, judgings=[judging], calls=[made]) == [
        (DeviationKind.CALL, "judged again", "1 call was lost.")
    ]
    other = replace(made, model_asked="rehearsal/strict", state="answered")
    told = told_of(design, judgings=[judging], calls=[other])
    assert told[0][2] == "Asked of rehearsal/strict, the design says rehearsal/dazzled."
    told = told_of(design, judgings=[judging], calls=[replace(made, state="answered", model_reported="a")])
    assert told == [
        (
            DeviationKind.VERSION,
            "judged again",
            "rehearsal/dazzled answered as a in 1 call of 1 run; the design fixes dazzled.",
        )
    ]
