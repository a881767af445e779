"""An exhausted quota pauses the account for every study, counts as nobody's failure, and one click resumes."""

from collections.abc import Callable
from uuid import UUID

import pytest

from app.domain.protocol.conditions import Condition
from app.providers.chat import ChatError
from app.services.errors import RefusedError
from app.services.pauses import account_of, pauses, resume_model
from app.services.registry import model_entry
from app.services.studies import choose_model
from app.services.unit_of_work import reading, unit_of_work
from tests.services.stage import Script, Stage

pytestmark = pytest.mark.services

AddModel = Callable[[str, str], str]
KEY = "E1/decision"
ENDED = ChatError("quota exhausted (429): pay first", quota=True, response_body={"error": "insufficient_quota"})


def launch(stage: Stage, model: str) -> UUID:
    return stage.launch(conditions=(Condition.SINGLE_PROMPT,), players=(choose_model(model, 1.0),))


def test_a_quota_is_final():
    assert ENDED.final


def test_an_exhausted_quota_pauses_every_study_until_somebody_resumes(
    stage: Stage, scripted: Script, own_models: AddModel
):
    scripted.say(KEY, ENDED)
    first = launch(stage, "rehearsal/steady")
    second = launch(stage, "rehearsal/bold")
    stage.play(first)
    stage.play(second)
    for run, calls in ((first, 1), (second, 0)):
        step = stage.step(run, KEY)
        assert (step.state, step.failures, step.attempts) == ("ready", 0, calls)
        assert stage.run(run).calls_made == calls
        assert stage.run(run).state == "running"
        stage.check_books(run)
    (call,) = stage.calls(first)
    assert (call.state, call.error) == ("failed", "quota exhausted (429): pay first")
    with reading() as look:
        (pause,) = pauses(look)
    assert pause.model == "rehearsal/steady"
    assert {"rehearsal/steady", "rehearsal/bold", "rehearsal/strict"} <= set(pause.models)
    assert pause.reason == "quota exhausted (429): pay first"
    assert pause.steps_waiting == 2
    user = stage.user()
    with unit_of_work() as work:
        assert resume_model(work, "rehearsal/strict", user) == 2
    with reading() as look:
        assert pauses(look) == ()
    for run in (first, second):
        stage.play(run)
        assert stage.run(run).state == "finished"
    with pytest.raises(RefusedError, match="is not paused"), unit_of_work() as work:
        resume_model(work, "rehearsal/strict", user)


def test_a_second_refusal_leaves_the_one_pause_and_a_new_one_may_follow(stage: Stage, scripted: Script):
    scripted.say(KEY, ENDED, ENDED)
    run = launch(stage, "rehearsal/steady")
    stage.play(run)
    for _ in range(2):
        with reading() as look:
            assert len(pauses(look)) == 1
        with unit_of_work() as work:
            assert resume_model(work, "rehearsal/steady") == 1
        stage.play(run)
    assert stage.run(run).state == "finished"
    assert [call.state for call in stage.calls(run, KEY)] == ["failed", "failed", "answered"]


def test_what_was_wrong_with_an_answer_is_still_told_after_the_pause(stage: Stage, scripted: Script):
    scripted.say(KEY, '{"company_name": 7}', ENDED)
    run = launch(stage, "rehearsal/steady")
    stage.play(run)
    assert stage.step(run, KEY).state == "ready"
    with unit_of_work() as work:
        resume_model(work, "rehearsal/steady")
    stage.play(run)
    assert "company_name: Input should be a valid string" in scripted.prompts(KEY)[2]
    assert stage.run(run).state == "finished"


def test_another_endpoint_or_key_is_another_account(stage: Stage, own_models: AddModel):
    steady = model_entry("rehearsal/steady")
    own = steady.model_copy(update={"endpoint": "http://127.0.0.1:1/v1", "key_variable": "OWN_API_KEY"})
    other = own.model_copy(update={"key_variable": "OTHER_API_KEY"})
    assert len({account_of(steady), account_of(own), account_of(other)}) == 3
    assert account_of(own) == account_of(own.model_copy(update={"name": "second"}))
