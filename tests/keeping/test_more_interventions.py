"""Skipping, changed settings, redaction and exposure: each leaves its mark, and the ledger still verifies."""

import json
from uuid import UUID, uuid4

import pytest

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.quotations import REDACTED
from app.domain.protocol.artifacts import Decision, Memo, Skipped
from app.domain.protocol.conditions import Condition
from app.providers.chat import ChatError
from app.services.errors import NotFoundError
from app.services.interventions import (
    InterventionRefusedError,
    Wish,
    annotate_exposure,
    cancel_run,
    retry_changed,
    skip_step,
)
from app.services.redactions import redact_artifact
from app.services.registry import UnknownModelError
from app.services.run_states import run_state
from app.services.seats import summary_of
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_run
from tests.services.stage import Script, Stage

pytestmark = pytest.mark.services

NEVER = ChatError("never", final=True)
ALONE = {"conditions": (Condition.SINGLE_PROMPT,)}
DECISION = "E1/decision"


def wish(stage: Stage, words: str | None = None) -> Wish:
    return Wish(stage.user(), "The service timed out.", words)


def problems(run: UUID) -> tuple[str, ...]:
    with reading(one_moment=True) as look:
        return verify_run(look, look.runs.get(run)).problems


def document(run: UUID, key: str):
    with reading() as look:
        return next(kept.artifact for kept in look.artifacts.of_run(run) if kept.key == key)


def made(run: UUID):
    with reading() as look:
        return look.interventions.of_run(run)


def skip(stage: Stage, run: UUID, key: str, words: str | None = None) -> None:
    with unit_of_work() as work:
        skip_step(work, stage.step(run, key).id, wish(stage, words))


def test_a_skipped_attack_lets_the_decision_be_taken_without_one(stage: Stage, scripted: Script):
    scripted.say("E1/attack", NEVER)
    run = stage.launch()
    stage.play(run)
    skip(stage, run, "E1/attack", "The Red Team was skipped.")
    skipped = document(run, "E1/attack")
    assert skipped == Skipped(instead_of="attack", reason="The service timed out.")
    assert summary_of(skipped) == "Skipped: The service timed out."
    stage.play(run)
    assert stage.run(run).state == "finished"
    (prompt,) = scripted.prompts(DECISION)
    assert "## Attack" not in prompt
    assert "The service timed out." not in prompt
    assert "The Red Team was skipped." in scripted.prompts("E1/review")[0]
    (mark,) = made(run)
    assert (mark.kind, mark.era, mark.after) == (InterventionKind.SKIP, "E1", {"skipped": "attack"})
    assert mark.before["problem"] == "never"
    assert stage.run(run).steps_done == stage.run(run).steps_owed
    stage.check_books(run)
    assert problems(run) == ()


def test_two_memos_may_be_skipped_and_the_third_not(stage: Stage, scripted: Script):
    run = stage.launch()
    keys = [step.key for step in stage.steps(run) if step.kind == "memo"]
    for key in keys:
        scripted.say(key, NEVER)
    stage.play(run)
    skip(stage, run, keys[0])
    skip(stage, run, keys[1])
    with pytest.raises(InterventionRefusedError, match="the last memo of its era"):
        skip(stage, run, keys[2])
    scripted.say(DECISION, NEVER)
    retry(stage, run, keys[2])
    stage.play(run)
    with pytest.raises(InterventionRefusedError, match="cannot be skipped: every later step builds on it"):
        skip(stage, run, DECISION)
    retry(stage, run, DECISION)
    stage.play(run)
    assert stage.run(run).state == "finished"
    with reading() as look:
        record = look.runs.get(run)
        state = run_state(look, run, record.study_id, record.number, record.steps_done)
    assert len(state.memos("E1")) == 1
    assert problems(run) == ()


def retry(stage: Stage, run: UUID, key: str) -> None:
    with unit_of_work() as work:
        retry_changed(work, stage.step(run, key).id, wish(stage), model="rehearsal/steady", temperature=0.5)


def test_changed_settings_hold_for_one_step_and_stand_in_its_calls(stage: Stage, scripted: Script):
    scripted.say(DECISION, NEVER)
    run = stage.launch(**ALONE)
    stage.play(run)
    with unit_of_work() as work:
        retry_changed(work, stage.step(run, DECISION).id, wish(stage), model="rehearsal/bold", temperature=0.2)
    stage.play(run)
    assert stage.run(run).state == "finished"
    first, second = stage.calls(run, DECISION)
    assert (first.model_asked, first.settings["temperature"]) == ("rehearsal/steady", 1.0)
    assert (second.model_asked, second.settings["temperature"]) == ("rehearsal/bold", 0.2)
    others = [call for call in stage.calls(run) if call.step_id != second.step_id and call.state == "answered"]
    assert "rehearsal/bold" not in {call.model_asked for call in others}
    (mark,) = made(run)
    assert mark.kind is InterventionKind.RETRY_CHANGED
    assert mark.before["choice"]["model"] == "rehearsal/steady"
    assert mark.after == {
        "choice": {"model": "rehearsal/bold", "family": "rehearsal-players", "version": "bold", "temperature": 0.2}
    }
    assert problems(run) == ()


def test_a_second_change_names_the_first_as_what_was_before(stage: Stage, scripted: Script):
    scripted.say(DECISION, NEVER, NEVER)
    run = stage.launch(**ALONE)
    stage.play(run)
    retry(stage, run, DECISION)
    stage.play(run)
    with unit_of_work() as work:
        retry_changed(work, stage.step(run, DECISION).id, wish(stage), model="rehearsal/bold", temperature=None)
    assert [mark.before["choice"]["temperature"] for mark in made(run)] == [1.0, 0.5]


def test_what_may_not_be_asked_is_refused(stage: Stage, scripted: Script):
    scripted.say(DECISION, NEVER)
    run = stage.launch(**ALONE)
    stage.play(run)
    step = stage.step(run, DECISION).id
    for model, error, words in (
        ("rehearsal/strict", InterventionRefusedError, "of the judge's family"),
        ("nobody/knows", UnknownModelError, "not registered"),
    ):
        with pytest.raises(error, match=words), unit_of_work() as work:
            retry_changed(work, step, wish(stage), model=model, temperature=None)
    assert made(run) == ()
    assert stage.step(run, DECISION).state == "needs_operator"


def test_a_redacted_document_is_gone_wherever_it_is_read_and_everything_still_adds_up(stage: Stage, scripted: Script):
    run = stage.launch()
    stage.play(run)
    memo_key = next(step.key for step in stage.steps(run) if step.kind == "memo")
    before = document(run, memo_key)
    assert isinstance(before, Memo)
    secret = before.theses[0].why_now
    assert any(secret in prompt for prompt in scripted.prompts("E1/attack"))
    with reading() as look:  # a page that knows the run by heart
        record = look.runs.get(run)
        run_state(look, run, record.study_id, record.number, record.steps_done)
    with unit_of_work() as work:
        redact_artifact(work, stage.step(run, memo_key).id, wish(stage))
    bare = document(run, memo_key)
    assert isinstance(bare, Memo)
    assert bare.theses[0].why_now == REDACTED
    assert bare.theses[0].chain.layer == before.theses[0].chain.layer
    with reading() as look:
        state = run_state(look, run, record.study_id, record.number, record.steps_done)
        assert secret not in json.dumps([one.model_dump(mode="json") for one in state.artifacts.values()])
        texts = [text for call in look.calls.of_run(run) for text in look.calls.texts(call.id) if text]
        own = look.calls.texts(stage.calls(run, memo_key)[0].id)
    words = secret.split()
    assert not any(secret in text or " ".join(words[:6]) in text for text in texts)
    assert own[1] == REDACTED
    assert problems(run) == ()
    assert made(run)[0].kind is InterventionKind.REDACT
    with pytest.raises(InterventionRefusedError, match="taken out already"), unit_of_work() as work:
        redact_artifact(work, stage.step(run, memo_key).id, wish(stage))


def test_a_blanked_text_without_its_mark_does_not_verify(stage: Stage):
    run = stage.launch(**ALONE)
    stage.play(run)
    with unit_of_work() as work:
        kept = work.artifacts.of_step(stage.step(run, DECISION).id)
        assert isinstance(kept.artifact, Decision)
        work.artifacts.blank(kept.id, kept.artifact.model_copy(update={"company_name": "Other"}))
    assert problems(run)[0].endswith("document E1/decision was changed")


def test_a_run_that_goes_on_keeps_its_texts(stage: Stage):
    run = stage.launch(**ALONE)
    stage.perform(run, DECISION)
    step = stage.step(run, DECISION).id
    with pytest.raises(InterventionRefusedError, match="later steps need this text"), unit_of_work() as work:
        redact_artifact(work, step, wish(stage))
    with unit_of_work() as work:
        cancel_run(work, run, wish(stage))
    with unit_of_work() as work:
        redact_artifact(work, step, wish(stage))
    assert document(run, DECISION).company_name == REDACTED
    with pytest.raises(NotFoundError), unit_of_work() as work:
        redact_artifact(work, stage.step(run, "E1/review").id, wish(stage))
    assert problems(run) == ()


def test_exposure_is_noted_at_any_time(stage: Stage):
    run = stage.launch(**ALONE)
    stage.play(run)
    other = str(uuid4())
    with unit_of_work() as work:
        annotate_exposure(work, run, wish(stage), seen=(other, "the published run 001"))
    (mark,) = made(run)
    assert (mark.kind, mark.era, mark.step_id) == (InterventionKind.ANNOTATE_EXPOSURE, None, None)
    assert mark.after == {"seen": [other, "the published run 001"]}
    assert stage.run(run).interventions == 1
    assert problems(run) == ()
