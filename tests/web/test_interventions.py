"""Interventions beyond a plain retry: each from the page where the need arises, its consequences said first."""

from collections.abc import Callable
from uuid import UUID

import pytest
from markupsafe import escape

from app.domain.protocol.budgets import Budget, Budgets
from app.library.reader import schedule
from app.services.pauses import pause_account, pauses
from app.services.registry import model_entry
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_run
from tests.web.conftest import Browser
from tests.web.test_mending import act, run_of, step, written

REASON = {"reason": "The provider was away for an hour"}
SHORT = {"schedule": schedule("history-short")}
ACTIONS = ("retry", "retry-changed", "skip", "budget", "write")


def run_in(study: UUID):
    with reading() as look:
        return look.runs.of_study(study)[0]


def test_step_is_asked_of_another_model(operator: Browser, launch: Callable, stick: Callable, perform: Callable):
    launch(**SHORT)
    step_id = stick()
    page = operator.get(f"/steps/{step_id}").text
    assert "What this changes" in page
    wrong = act(operator, step_id, "retry-changed", {**REASON, "model": "nobody/none"})
    assert (wrong.status_code, 'id="problem-changed.model"' in wrong.text) == (422, True)
    hot = act(operator, step_id, "retry-changed", {**REASON, "model": "rehearsal/bold", "temperature": "9"})
    assert 'id="problem-changed.temperature"' in hot.text
    same_family = act(operator, step_id, "retry-changed", {**REASON, "model": "rehearsal/strict"})
    assert same_family.status_code == 422
    told = {"judge_told": "true", "judge_words": "Another model wrote this memo."}
    done = act(operator, step_id, "retry-changed", {**REASON, **told, "model": "rehearsal/bold", "temperature": "0.5"})
    assert done.url.path == f"/runs/{run_of(step_id).id}"
    assert step(step_id).choice["model"] == "rehearsal/bold"
    made = operator.get(f"/interventions?kind=retry_changed&run={run_of(step_id).id}").text
    assert "Another model wrote this memo." in made
    assert "rehearsal/bold" in made
    assert "rehearsal/steady" in made
    assert act(operator, step_id, "retry-changed", {**REASON, "model": "rehearsal/bold"}).status_code == 409


def test_the_second_operator_on_one_step_is_told_of_what_came_between(
    operator: Browser, launch: Callable, stick: Callable, perform: Callable
):
    launch(**SHORT)
    step_id = stick()
    seen = {"seen_at": step(step_id).ready_at.isoformat()}
    assert f'value="{seen["seen_at"]}"' in operator.get(f"/steps/{step_id}").text
    act(operator, step_id, "retry", {**REASON, **seen})
    with unit_of_work() as work:  # the model failed again
        work.steps.set(step_id, state="needs_operator", problem="another answer did not fit")
    before = step(step_id)
    for action, fields in (
        ("skip", {}),
        ("retry", {}),
        ("retry-changed", {"model": "rehearsal/bold"}),
        ("write", written(step_id)),
    ):
        second = operator.post(f"/steps/{step_id}/{action}", {**REASON, **seen, **fields})
        assert second.status_code == 422, action
        assert "Somebody acted on this step since you opened its page" in second.text
        assert before.ready_at.isoformat() in second.text
    assert step(step_id) == before
    assert run_of(step_id).interventions == 1


@pytest.mark.parametrize("seen", [{}, {"seen_at": ""}, {"seen_at": "now"}, {"seen_at": "2026-11-30T10:00:00"}])
def test_no_step_is_acted_on_by_a_form_that_does_not_say_how_it_stood(
    operator: Browser, launch: Callable, stick: Callable, seen: dict[str, str]
):
    launch(**SHORT)
    step_id = stick()
    before = step(step_id)
    for action in ACTIONS:
        refused = operator.post(f"/steps/{step_id}/{action}", {**REASON, **seen, "model": "rehearsal/bold"})
        assert refused.status_code == 422, action
        assert action == "budget" or "seen_at: the form does not say" in refused.text, action
    assert step(step_id) == before
    assert not run_of(step_id).interventions


def test_memo_is_skipped_but_not_a_decision(operator: Browser, launch: Callable, stick: Callable, perform: Callable):
    study = launch(**SHORT)
    step_id = stick()
    told = {"judge_told": "true", "judge_words": "One memo is missing."}
    page = act(operator, step_id, "skip", {**REASON, **told})
    assert page.url.path == f"/runs/{run_of(step_id).id}"
    assert act(operator, step_id, "skip", REASON).status_code == 409
    perform(3)
    decision = stick()
    assert step(decision).kind == "decision"
    refused = act(operator, decision, "skip", REASON)
    assert refused.status_code == 422
    assert "cannot be skipped" in refused.text
    act(operator, decision, "retry", REASON)
    perform()
    run = run_in(study)
    assert run.state == "finished"
    assert "One memo is missing." in operator.get(f"/runs/{run.id}/eras/E1").text
    assert "✎" in operator.get(f"/studies/{study}").text


def test_budget_that_stopped_a_step_is_raised_from_its_page(operator: Browser, launch: Callable, perform: Callable):
    for scope in ("run", "study"):
        study = launch(**SHORT, budgets=Budgets(**{scope: Budget(calls=2)}))
        perform()
        run = run_in(study)
        with reading() as look:
            stuck = [one for one in look.steps.of_run(run.id) if one.state == "needs_operator"]
        path = f"/steps/{stuck[0].id}"
        assert f"Raise the budget of the {scope}" in operator.get(path).text
        seen = {"seen_budget": Budget(calls=2).model_dump_json()}
        assert escape(seen["seen_budget"]) in operator.get(path).text
        other = act(operator, stuck[0].id, "budget", {**REASON, "calls": "500", "seen_budget": '{"calls": 1}'})
        assert (other.status_code, "it is 2 calls now" in other.text) == (422, True)
        assert escape(seen["seen_budget"]) in other.text
        blind = operator.post(f"{path}/budget", {**REASON, **seen, "calls": "500"})
        assert (blind.status_code, "seen_at: the form does not say" in blind.text) == (422, True)
        lower = act(operator, stuck[0].id, "budget", {**REASON, **seen, "calls": "1"})
        assert lower.status_code == 422
        assert "can only be raised" in lower.text
        assert act(operator, stuck[0].id, "budget", {**REASON, "calls": "many"}).status_code == 422
        done = act(operator, stuck[0].id, "budget", {**REASON, **seen, "calls": "500"})
        assert done.url.path == f"/runs/{run.id}"
        assert act(operator, stuck[0].id, "budget", {**REASON, **seen, "calls": "900"}).status_code == 409
        perform()
        assert run_in(study).state == "finished"


def test_document_is_redacted_once_its_run_has_ended(operator: Browser, launch: Callable, perform: Callable):
    study = launch(**SHORT)
    perform(5)
    run = run_in(study)
    path = f"/runs/{run.id}/redact/E1/decision"
    assert "Cancel the run or wait for its end" in operator.get(path).text
    assert operator.post(path, REASON).status_code == 409
    perform()
    with reading() as look:
        identity = next(one.artifact.identity for one in look.artifacts.of_run(run.id) if one.key == "E1/decision")
    assert identity in operator.get(f"/runs/{run.id}/documents/E1/decision").text
    assert f'href="{path}"' in operator.get(f"/runs/{run.id}/eras/E1").text
    page = operator.get(path).text
    assert "cannot be brought back" in page
    assert operator.post(path, {"reason": ""}).status_code == 422
    era = operator.post(path, REASON)
    assert era.url.path == f"/runs/{run.id}/eras/E1"
    assert identity not in era.text
    assert "[redacted]" in era.text
    assert operator.post(path, REASON).status_code == 409
    with reading() as look:
        assert not verify_run(look, run_in(study)).problems
    assert operator.get(f"/runs/{run.id}/redact/E9/none").status_code == 404


def test_exposure_is_noted_from_the_runs_page(operator: Browser, launch: Callable):
    study = launch(**SHORT, repetitions=2)
    run = run_in(study)
    path = f"/runs/{run.id}/exposure"
    assert path in operator.get(f"/runs/{run.id}").text
    empty = operator.post(path, REASON)
    assert empty.status_code == 422
    assert 'id="problem-exposure.seen"' in empty.text
    done = operator.post(path, {**REASON, "seen": "full r02", "other": "A talk in which run 001 was shown"})
    assert done.url.path == f"/runs/{run.id}"
    assert "Exposure noted" in done.text
    assert "Exposure noted" in operator.get(f"/runs/{run.id}/eras/E1").text
    page = operator.get(path).text
    assert "A talk in which run 001 was shown" in page
    assert "full r02" in operator.get(f"/interventions?run={run.id}").text
    assert "1 intervention on full r01" in operator.get(f"/studies/{study}").text


def test_paused_account_is_shown_and_resumed(operator: Browser, launch: Callable):
    launch(**SHORT)
    with unit_of_work() as work:
        pause_account(work, model_entry("rehearsal/steady"), "Your credit balance is too low.")
    for path in ("/", "/health"):
        page = operator.get(path).text
        assert "Your credit balance is too low." in page
        assert 'action="/pauses/resume"' in page
    done = operator.post("/pauses/resume", {"model": "rehearsal/steady", "back": "health"})
    assert done.url.path == "/health"
    with reading() as look:
        assert pauses(look) == ()
    assert operator.post("/pauses/resume", {"model": "rehearsal/steady"}).status_code == 409
    assert operator.post("/pauses/resume", {"model": "rehearsal/steady"}, token="forged").status_code == 403


def test_auditor_may_read_and_do_nothing(auditor: Browser, launch: Callable, stick: Callable):
    study = launch(**SHORT)
    step_id, run = stick(), run_in(study)
    for action in ACTIONS:
        assert auditor.post(f"/steps/{step_id}/{action}", REASON).status_code == 403
    assert auditor.post(f"/runs/{run.id}/exposure", REASON).status_code == 403
    assert auditor.post(f"/runs/{run.id}/redact/E1/decision", REASON).status_code == 403
    assert auditor.post("/pauses/resume", {"model": "rehearsal/steady"}).status_code == 403
    with unit_of_work() as work:
        pause_account(work, model_entry("rehearsal/steady"), "No credit.")
    assert 'action="/pauses/resume"' not in auditor.get("/").text


@pytest.mark.parametrize("run", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_list_takes_any_run(auditor: Browser, run: str):
    assert auditor.get(f"/interventions?run={run}").status_code == 200


def test_calls_are_compared(auditor: Browser, launch: Callable, perform: Callable):
    study = launch(**SHORT, repetitions=2)
    perform()
    with reading() as look:
        one, other = look.runs.of_study(study)
        keyed = [{step.key: step.id for step in look.steps.of_run(run.id)}["E1/decision"] for run in (one, other)]
        left, right = (look.calls.of_step(step_id)[0].id for step_id in keyed)
    assert f'value="{other.id}"' in auditor.get(f"/calls/{left}").text
    page = auditor.get(f"/calls/{left}/compare?run={other.id}")
    assert page.status_code == 200
    assert f"/calls/{right}" in page.text
    assert "<del>" in page.text
    assert "<ins>" in page.text
    assert auditor.get(f"/calls/{left}/compare?with={left}").text.count("The same in both") >= 2
    assert auditor.get(f"/calls/{left}/compare").status_code == 404
    assert auditor.get(f"/calls/{left}/compare?run={study}").status_code == 404
