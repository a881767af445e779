"""Answers that do not fit and calls without an answer: asked again, waited for, or an operator's turn."""

from collections.abc import Callable
from uuid import UUID

import pytest

from app.domain.protocol.conditions import Condition
from app.providers.chat import ChatAnswer, ChatError, ChatRequest, StopReason
from app.services import recording
from app.services.unit_of_work import unit_of_work
from app.settings import get_settings
from tests.services.stage import Script, Stage, said

pytestmark = pytest.mark.services

Line = Callable[[ChatRequest, ChatAnswer], ChatAnswer]
KEY = "E1/decision"
ALONE = {"conditions": (Condition.SINGLE_PROMPT,)}


def test_a_misfit_is_asked_again_with_the_error_and_then_done(stage: Stage, scripted: Script):
    scripted.say(KEY, '{"company_name": 7}')
    run = stage.launch(**ALONE)
    stage.play(run)
    first, second = scripted.prompts(KEY)
    assert "company_name: Input should be a valid string (got 7)" in second
    assert second.startswith(first)
    assert [call.state for call in stage.calls(run, KEY)] == ["refused", "answered"]
    assert [call.attempt for call in stage.calls(run, KEY)] == [1, 2]
    again = stage.calls(run, KEY)[1]
    assert "asked_again" in again.template_hashes
    assert stage.run(run).state == "finished"
    assert stage.step(run, KEY).problem is None
    stage.check_books(run)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda _, usual: said(usual, usual.text, StopReason.TRUNCATED), "cut off at its token limit"),
        (lambda _, usual: said(usual, usual.text, StopReason.REFUSED), "refused to answer"),
        (lambda _, usual: said(usual, usual.text[:-40]), "no complete JSON object"),
    ],
)
def test_two_misfits_need_an_operator_who_sees_why(stage: Stage, scripted: Script, answer: Line, reason: str):
    scripted.say(KEY, answer, answer)
    run = stage.launch(**ALONE)
    stage.play(run)
    step = stage.step(run, KEY)
    assert step.state == "needs_operator"
    assert reason in step.problem
    assert [call.state for call in stage.calls(run, KEY)] == ["refused", "refused"]
    assert [call.error for call in stage.calls(run, KEY)][-1] == step.problem
    assert stage.events(run)[-1].kind == "operator_needed"
    assert stage.run(run).state == "running"
    stage.check_books(run)


def test_the_providers_word_on_when_to_ask_again_is_kept(stage: Stage, scripted: Script):
    scripted.say(KEY, ChatError("slow down", retry_after=60.0, response_body={"error": "rate"}))
    run = stage.launch(**ALONE)
    before = unit_time()
    stage.play(run)
    step = stage.step(run, KEY)
    assert (step.state, step.failures, step.problem) == ("ready", 1, "slow down")
    assert 55 <= (step.not_before - before).total_seconds() <= 90
    assert stage.perform(run, KEY) == 0
    (call,) = stage.calls(run, KEY)
    assert (call.state, call.error, call.cost_usd) == ("failed", "slow down", 0.0)
    stage.check_books(run)


def test_a_longer_word_than_the_ceiling_is_believed(stage: Stage, scripted: Script):
    scripted.say(KEY, ChatError("tomorrow", retry_after=7_200.0))
    run = stage.launch(**ALONE)
    before = unit_time()
    stage.play(run)
    assert (stage.step(run, KEY).not_before - before).total_seconds() >= 7_190


def test_a_final_failure_needs_an_operator_at_once(stage: Stage, scripted: Script):
    scripted.say(KEY, ChatError("the key is not accepted", final=True))
    run = stage.launch(**ALONE)
    stage.play(run)
    step = stage.step(run, KEY)
    assert (step.state, step.problem) == ("needs_operator", "the key is not accepted")
    assert stage.events(run)[-1].kind == "operator_needed"
    stage.check_books(run)


def test_too_many_failures_need_an_operator(stage: Stage, scripted: Script):
    scripted.say(KEY, *(ChatError("away") for _ in range(get_settings().call_failures)))
    run = stage.launch(**ALONE)
    stage.play(run)
    for _ in range(get_settings().call_failures - 1):
        assert stage.step(run, KEY).state == "ready"
        make_due(stage, run)
        assert stage.perform(run, KEY) == 1
    assert stage.step(run, KEY).state == "needs_operator"
    assert len(stage.calls(run, KEY)) == get_settings().call_failures
    stage.check_books(run)


def test_a_failure_passes_and_the_run_goes_on(stage: Stage, scripted: Script):
    scripted.say(KEY, ChatError("away"))
    run = stage.launch(**ALONE)
    stage.play(run)
    make_due(stage, run)
    stage.play(run)
    assert stage.run(run).state == "finished"
    assert [call.state for call in stage.calls(run, KEY)] == ["failed", "answered"]
    stage.check_books(run)


def test_usage_that_was_not_said_is_estimated_and_its_cost_unknown(stage: Stage, scripted: Script):
    def silent(_: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        return ChatAnswer(usual.text, usual.stop, recording.Usage(), None, usual.response_body)

    scripted.say(KEY, silent)
    run = stage.launch(**ALONE)
    stage.play(run)
    (call,) = stage.calls(run, KEY)
    assert call.tokens_in is None
    assert call.tokens_estimated > 0
    stage.check_books(run)


def unit_time():
    with unit_of_work() as work:
        return work.now


def make_due(stage: Stage, run: UUID) -> None:
    with unit_of_work() as work:
        work.steps.set(stage.step(run, KEY).id, not_before=None)
