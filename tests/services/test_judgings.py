"""Judging stored decisions again through the real engine: packets, seeds, books, and what is started when."""

import json
from collections import Counter
from dataclasses import replace
from threading import Thread
from typing import Any
from uuid import UUID

import pytest

from app.domain.engine.judgings import FIRST_JUDGING, JudgingPlan
from app.domain.protocol.analysis import Treatment
from app.exports.levels import Level
from app.providers.rehearsal.temperaments import TEMPERAMENTS
from app.services import interventions, judgings, studies
from app.services.check_plans import CheckForm, start_checks, weigh_checks
from app.services.check_results import ResultLine, check_found
from app.services.deviations import list_deviations
from app.services.errors import RefusedError
from app.services.exports import level_rows
from app.services.interventions import Wish
from app.services.progress import study_progress
from app.services.redactions import redact_artifact
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_runs
from app.storage.calls import ExactCall
from app.storage.runs import RunRecord
from tests.services.stage import Stage, design
from tests.services.test_leases import wait_for_a_lock

pytestmark = pytest.mark.services

FURTHER = (
    {"judge": studies.choose_model("rehearsal/dazzled", 1.0).model_dump()},
    {"judge": studies.choose_model("rehearsal/strict", 1.0).model_dump(), "anchors": "options"},
)


def played(stage: Stage, **changes: Any):
    """A study whose runs have all ended; gives its id and their ids."""
    first = stage.launch(**changes)
    with reading() as look:
        study = look.runs.get(first).study_id
        runs = [run.id for run in look.runs.of_study(study)]
    for run in runs:
        stage.play(run)
    return study, runs


def requests(stage: Stage, run: UUID) -> dict[str, dict]:
    """The prompt of every call of a run, by its step's key."""
    with reading() as look:
        keys = {step.id: step.key for step in look.steps.of_run(run)}
        return {keys[call.step_id]: json.loads(look.calls.texts(call.id)[0]) for call in look.calls.of_run(run)}


def test_further_judges_start_when_all_runs_ended_and_see_the_first_judges_packet(stage: Stage):
    planned = {"conditions": ("full", "no_playbook"), "further_judges": FURTHER}
    study, runs = played(stage, **planned)
    with reading() as look:
        assert look.runs.judgings(study) == ()
        assert study_progress(look, study).moving
    with unit_of_work() as work:
        assert judgings.start_further(work, study) == 2
    with unit_of_work() as work:
        assert judgings.start_further(work, study) == 0
    with reading() as look:
        again = look.runs.judgings(study)
        assert len(look.runs.of_study(study)) == 2
    assert [run.number for run in again] == [FIRST_JUDGING, FIRST_JUDGING + 1]
    for judging in again:
        stage.play(judging.id)
        stage.check_books(judging.id)
    made = [stage.run(run) for run in [*runs, *(one.id for one in again)]]
    assert {run.state for run in made} == {"finished"}
    assert sum(run.calls_made for run in made) == studies.estimate_study(design(**planned)).calls
    with reading(one_moment=True) as look:
        verdicts = verify_runs(look, str(study))
        assert study_progress(look, study).is_complete
    assert len(verdicts) == 4
    assert all(verdict.is_sound for verdict in verdicts)
    first = requests(stage, runs[0])
    second, third = (requests(stage, one.id) for one in again)
    for key in ("E1/review", "E2/review"):
        era = key.split("/")[0]
        assert second[f"{era}/review/r001/plain/1"]["messages"] == first[key]["messages"]
        other = third[f"{era}/review/r001/plain/1"]["messages"]
        assert other != first[key]["messages"]
        assert other[1]["content"].split("## Rubric")[0] == first[key]["messages"][1]["content"].split("## Rubric")[0]


ALONE = {"conditions": ("single_prompt",), "repetitions": 6}


def checked(stage: Stage, study: UUID, **form: Any) -> tuple[RunRecord, ...]:
    """Start checks and play them; gives the judgings."""
    asked = CheckForm.model_validate({"judge": "rehearsal/strict", **form})
    with unit_of_work() as work:
        planned = weigh_checks(work, study, asked)
        started = start_checks(work, study, asked)
    for judging in started:
        stage.play(judging)
        stage.check_books(judging)
    made = tuple(stage.run(judging) for judging in started)
    assert sum(run.calls_made for run in made) == planned.calls
    assert {run.state for run in made} == {"finished"}
    return made


def found(judging: RunRecord) -> dict[str, ResultLine]:
    with reading() as look:
        study = look.studies.get(judging.study_id)
        lines = check_found(look, study, judging, JudgingPlan.model_validate(judging.plan)).lines
    return {line.name.split(":")[0]: line for line in lines}


def test_the_outcome_flip_finds_a_planted_bias_with_its_size_and_none_without(stage: Stage):
    study, _ = played(stage, **ALONE)
    (fair,) = checked(stage, study, checks=["outcome_flip"])
    (dazzled,) = checked(stage, study, checks=["outcome_flip"], judge="rehearsal/dazzled")
    none, planted = found(fair)["T*"], found(dazzled)["T*"]
    assert none.value.value == pytest.approx(0.0)
    assert none.p_value == 1.0
    assert planted.value.value == pytest.approx(10.0)
    assert planted.interval.reason, "every run shifts alike: there is no spread to make an interval of"
    assert planted.p_value == pytest.approx(2 / 2**6)
    assert planted.value.n == 6
    assert found(dazzled)["hindsight_leakage"].value.value == pytest.approx(0.0)


def test_self_preference_finds_a_model_that_prefers_itself_with_its_size_and_none_without(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    players = tuple(studies.choose_model(f"rehearsal/{name}", 1.0) for name in ("vain", "steady"))
    study, _ = played(stage, conditions=("single_prompt",), repetitions=5, players=players)
    vain, steady = checked(stage, study, checks=["self_preference"])
    monkeypatch.setitem(TEMPERAMENTS, "vain", replace(TEMPERAMENTS["vain"], own_bonus=0))
    fair, _ = checked(stage, study, checks=["self_preference"])
    planted, honest, none = (found(one)["T*"] for one in (vain, steady, fair))
    # The same packets with the same seeds: what the two differ by is the fault, and the rest is what a judge scatters.
    assert planted.value.value - none.value.value == pytest.approx(10.0)
    assert planted.p_value <= 0.05
    assert min(honest.p_value, none.p_value) > 0.05


def test_every_other_check_runs_through_the_engine(stage: Stage):
    players = tuple(studies.choose_model(f"rehearsal/{name}", 1.0) for name in ("steady", "bold"))
    study, runs = played(stage, conditions=("single_prompt", "full"), players=players)
    wanted = ["retest", "swap", "padding", "self_preference", "blindness", "recall"]
    made = checked(
        stage, study, checks=wanted, judge="rehearsal/dazzled", other="rehearsal/author", repetitions=2, questions=3
    )
    by_name = {run.name: run for run in made}
    assert len(by_name) == len(made) == 4 + 2 + 3
    padded = found(by_name["padding by rehearsal/dazzled"])["T*"]
    assert padded.value.value == pytest.approx(10.0)
    again = found(by_name["retest by rehearsal/dazzled"])["T*"]
    assert again.value.value > 0
    assert again.of.endswith("24 judgements") or "decisions" in again.of
    swapped = found(by_name["family swap by rehearsal/author"])["T*"]
    assert swapped.value.n == 4
    assert swapped.interval.bounds is None
    own = found(by_name["self-preference by rehearsal/bold"])["T*"]
    assert own.of == "2 own, 2 others’ runs"
    guesses = found(by_name["blindness guess by rehearsal/dazzled"])
    assert {f"right about the {what}" for what in ("condition", "model", "run")} <= set(guesses)
    assert {"Bang’s index, full", "Bang’s index, rehearsal/bold"} <= set(guesses)
    recall = found(by_name["recall by rehearsal/steady"])
    assert all(line.of == "3 questions" for line in recall.values())
    with reading(one_moment=True) as look:
        assert all(verdict.is_sound for verdict in verify_runs(look, str(study)))
        assert len(look.runs.of_study(study)) == len(runs) == 4
        rows = list(level_rows(look, look.studies.get(study), Level.RUNS))
    assert len(rows) == 4


def test_a_check_keeps_to_its_budget_and_is_refused_without_prices(stage: Stage):
    study, _ = played(stage, conditions=("single_prompt",))
    asked = CheckForm(checks=("retest",), judge="rehearsal/strict", tokens=1)
    with unit_of_work() as work:
        (judging,) = start_checks(work, study, asked)
    stage.play(judging)
    assert {step.state for step in stage.steps(judging)} == {"needs_operator"}
    assert all("budget of the run is 1 token:" in step.problem for step in stage.steps(judging))
    too_few = CheckForm(checks=("retest",), judge="rehearsal/strict", calls=1)
    with unit_of_work() as work:
        assert "calls" in weigh_checks(work, study, too_few).problems
        with pytest.raises(RefusedError, match="calls: A check needs 3 calls"):
            start_checks(work, study, too_few)
        for form, field in (
            (CheckForm(judge="rehearsal/strict"), "checks"),
            (CheckForm(checks=("retest",), judge="nobody"), "judge"),
            (CheckForm(checks=("swap",), judge="rehearsal/strict", other="rehearsal/dazzled"), "other"),
            (CheckForm(checks=("self_preference",), judge="rehearsal/strict"), "checks"),
        ):
            assert field in weigh_checks(work, study, form).problems


def test_a_cancelled_run_leaves_its_decisions_out_and_the_rest_is_judged(stage: Stage):
    first = stage.launch(conditions=("single_prompt",), repetitions=2, further_judges=FURTHER[:1])
    with reading() as look:
        study = look.runs.get(first).study_id
        runs = [run.id for run in look.runs.of_study(study)]
    stage.play(runs[0])
    with unit_of_work() as work:
        assert judgings.start_further(work, study) == 0
        interventions.cancel_run(work, runs[1], Wish(stage.user(), "no need of it"))
    assert judgings.start_owed() == 1
    with unit_of_work() as work:
        judgings.start_further(work, study)
    assert judgings.start_owed() == 0
    with reading() as look:
        (judging,) = look.runs.judgings(study)
        left_out = [one.words for one in list_deviations(look, look.studies.get(study)) if one.run == judging.id]
    assert judging.calls_owed == 3
    assert left_out == ["Not judged again: 3 of 6 decisions; there was none to judge."]


def test_judgements_are_exported_with_judge_anchors_variant_and_repetition(stage: Stage):
    study, runs = played(stage, conditions=("single_prompt", "full"), further_judges=FURTHER)
    with unit_of_work() as work:
        judgings.start_further(work, study)
    with reading() as look:
        further = look.runs.judgings(study)
    for judging in further:
        stage.play(judging.id)
    checked(stage, study, checks=["outcome_flip", "blindness", "recall"], questions=1)
    with reading() as look:
        whole = look.studies.get(study)
        rows = list(level_rows(look, whole, Level.JUDGEMENTS))
        scores = list(level_rows(look, whole, Level.SCORES))
    kinds = Counter((row["purpose"], row["judge"], row["anchors"], row["variant"]) for row in rows)
    assert kinds == {
        ("first", "rehearsal/strict", "standard", "plain"): 6,
        ("further", "rehearsal/dazzled", "standard", "plain"): 6,
        ("further", "rehearsal/strict", "options", "plain"): 6,
        ("outcome_flip", "rehearsal/strict", "standard", "success"): 6,
        ("outcome_flip", "rehearsal/strict", "standard", "failure"): 6,
        ("blindness", "rehearsal/strict", "standard", "plain"): 6,
    }
    assert len(scores) == 6
    first = {(row["run"], row["era"]): row["subscore_sum_x2"] for row in rows if row["purpose"] == "first"}
    assert first == {(row["run"], row["era"]): row["subscore_sum_x2"] for row in scores}
    assert {row["run_id"] for row in rows} == set(runs)
    assert all(row["judging"] and row["repetition"] == 1 for row in rows if row["purpose"] != "first")
    assert all(row["subscore_sum_x2"] is None for row in rows if row["purpose"] == "blindness")


def test_a_text_taken_out_of_a_run_is_masked_in_what_a_judging_was_and_will_be_shown(stage: Stage):
    study, (run,) = played(stage, conditions=("single_prompt",))
    (before,) = checked(stage, study, checks=["retest"])
    with reading() as look:
        words = look.artifacts.of_step(stage.step(run, "E1/decision").id).artifact.rationale
    key = "E1/review/r001/plain/1"
    assert words in requests(stage, before.id)[key]["messages"][1]["content"]
    with unit_of_work() as work:
        wish = Wish(stage.user(), "it names a person")
        redact_artifact(work, stage.step(run, "E1/decision").id, wish)
    assert words not in requests(stage, before.id)[key]["messages"][1]["content"]
    (after,) = checked(stage, study, checks=["retest"])
    stored = [call.request for call in exact_calls(after.id)]
    assert len(stored) == 3
    assert not any(words in request for request in stored)
    with reading(one_moment=True) as look:
        assert all(verdict.is_sound for verdict in verify_runs(look, str(study)))
        exported = [row["request"] for row in level_rows(look, look.studies.get(study), Level.CALLS)]
        assert not any(words in request for request in exported)


def exact_calls(run: UUID) -> list[ExactCall]:
    with reading() as look:
        return list(look.calls.exact(run))


def test_a_check_is_read_with_and_without_decisions_that_carry_an_intervention(stage: Stage):
    players = tuple(studies.choose_model(f"rehearsal/{name}", 1.0) for name in ("steady", "bold"))
    study, runs = played(stage, conditions=("single_prompt",), players=players)
    wish = Wish(stage.user(), "it was pasted into a chat")
    with unit_of_work() as work:
        interventions.annotate_exposure(work, runs[0], wish, seen=())
        redact_artifact(work, stage.step(runs[1], "E2/decision").id, wish)
    made = checked(stage, study, checks=["retest", "blindness", "exact_layer", "recall"], questions=1)
    kept, without = ({run.name: one for run, one in zip(made, read(made, how), strict=True)} for how in Treatment)
    retest, guess = "retest by rehearsal/strict", "blindness guess by rehearsal/strict"
    assert kept[retest][0].of.startswith("6 decisions")
    assert without[retest][0].of.startswith("2 decisions")
    assert (kept[guess][1].of, without[guess][1].of) == ("6 guesses", "2 guesses")
    assert without["recall by rehearsal/strict"] == kept["recall by rehearsal/strict"]


def read(made: tuple[RunRecord, ...], treatment: Treatment) -> list[tuple[ResultLine, ...]]:
    """The lines of judgings with one treatment of interventions."""
    with reading() as look:
        study = look.studies.get(made[0].study_id)
        plans = [JudgingPlan.model_validate(one.plan) for one in made]
        return [check_found(look, study, one, plan, treatment).lines for one, plan in zip(made, plans, strict=True)]


def test_a_judging_that_begins_while_a_text_is_taken_out_waits_and_tells_its_masks(stage: Stage):
    run = stage.launch(conditions=("single_prompt",))
    stage.play(run)
    study = stage.run(run).study_id
    started: list[UUID] = []

    def start() -> None:
        with unit_of_work() as work:
            started.extend(start_checks(work, study, CheckForm(checks=("retest",), judge="rehearsal/strict")))

    with unit_of_work() as work:
        redact_artifact(work, stage.step(run, "E1/decision").id, Wish(stage.user(), "it names a person"))
        thread = Thread(target=start)
        thread.start()
        wait_for_a_lock(work)
    thread.join()
    with reading() as look:
        first = look.ledgers.of_run(started[0])[0]
    assert first.body["tells_masked"]
