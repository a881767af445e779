"""What operators do to runs: it mends what is stuck, it is fenced, and it leaves its mark for ever."""

from threading import Barrier, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.domain.engine.answers import AnswerError
from app.domain.engine.interventions import InterventionKind
from app.domain.protocol.artifacts import Decision
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Preset
from app.providers.chat import ChatAnswer, ChatError, ChatRequest
from app.services import interventions
from app.services.interventions import InterventionRefusedError, Wish
from app.services.unit_of_work import reading, unit_of_work
from app.storage.errors import NotFoundError
from tests.services.stage import Script, Stage

pytestmark = pytest.mark.services

KEY = "E1/decision"
REVIEW = "E1/review"


@pytest.fixture
def stuck(stage: Stage, scripted: Script) -> UUID:
    """A run whose first decision needs an operator, and nobody looked yet."""
    scripted.say(KEY, "no", "never")
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))
    stage.play(run)
    assert stage.step(run, KEY).state == "needs_operator"
    return run


def wish(stage: Stage, words: str | None = None) -> Wish:
    return Wish(stage.user(), "The service timed out.", words)


def decision_of(stage: Stage, scripted: Script) -> dict[str, Any]:
    """A decision that fits, written by a rehearsal elsewhere."""
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,), seed=2)
    stage.perform(run, KEY)
    with reading() as look:
        written = next(kept.artifact for kept in look.artifacts.of_run(run) if kept.key == KEY)
    assert isinstance(written, Decision)
    return written.model_dump(mode="json")


def kinds(run: UUID) -> list[str]:
    with reading() as look:
        return [found.kind for found in look.interventions.of_run(run)]


def test_a_retry_begins_anew_and_is_recorded(stage: Stage, scripted: Script, stuck: UUID):
    step = stage.step(stuck, KEY)
    with unit_of_work() as work:
        interventions.retry_step(work, step.id, wish(stage))
    assert (stage.step(stuck, KEY).tries, stage.step(stuck, KEY).problem) == (0, None)
    stage.play(stuck)
    assert stage.run(stuck).state == "finished"
    assert [call.state for call in stage.calls(stuck, KEY)] == ["refused", "refused", "answered"]
    with reading() as look:
        (kept,) = look.interventions.of_run(stuck)
        assert look.interventions.newest(limit=3) == (kept,)
    assert (kept.kind, kept.era, kept.step_id) == (InterventionKind.RETRY, "E1", step.id)
    assert kept.before["problem"] == step.problem
    assert not kept.judge_told
    assert stage.run(stuck).interventions == 1
    assert "The service timed out." not in "".join(scripted.prompts(REVIEW))
    assert [event.kind for event in stage.events(stuck)].count("intervention") == 1
    stage.check_books(stuck)


@pytest.mark.parametrize("words", ["The operator wrote this decision; no model did.", None], ids=["told", "untold"])
def test_a_document_written_by_hand_moves_the_run_and_the_judge_gets_the_exact_words(
    stage: Stage, scripted: Script, stuck: UUID, words: str | None
):
    body = decision_of(stage, scripted) | {"company_name": "Handmade\x00"}
    author = wish(stage, words)
    scripted.heard.clear()
    with unit_of_work() as work:
        interventions.write_by_hand(work, stage.step(stuck, KEY).id, author, body)
    stage.play(stuck)
    assert stage.run(stuck).state == "finished"
    with reading() as look:
        kept = next(kept for kept in look.artifacts.of_run(stuck) if kept.key == KEY)
        (mark,) = look.interventions.of_run(stuck)
    assert (kept.call_id, kept.written_by) == (None, author.author)
    assert mark.after["artifact"]["company_name"] == kept.artifact.company_name == "Handmade\N{REPLACEMENT CHARACTER}"
    assert (mark.kind, mark.judge_told, mark.judge_words) == (InterventionKind.WRITE_BY_HAND, words is not None, words)
    notes = [request.step.notes for request in scripted.heard if request.step.key == REVIEW]
    assert notes == [(words,) if words else ()]
    (prompt,) = scripted.prompts(REVIEW)
    assert "Handmade" in prompt
    assert (words or "operators") in prompt or words is None
    assert all(not request.step.notes for request in scripted.heard if request.step.key != REVIEW)
    stage.check_books(stuck)


def test_what_is_written_by_hand_must_fit_its_form(stage: Stage, scripted: Script, stuck: UUID):
    step = stage.step(stuck, KEY)
    with reading() as look:
        found = interventions.stuck_step(look, step.id)
    assert found.form.kind == "decision"
    assert found.record.problem == step.problem
    with pytest.raises(AnswerError, match="company_name"), unit_of_work() as work:
        interventions.write_by_hand(work, step.id, wish(stage), {"company_name": ""})
    assert stage.step(stuck, KEY).state == "needs_operator"
    assert kinds(stuck) == []


def test_the_second_operator_is_refused(stage: Stage, stuck: UUID):
    step = stage.step(stuck, KEY)
    with unit_of_work() as work:
        interventions.retry_step(work, step.id, wish(stage))
    with pytest.raises(InterventionRefusedError, match="somebody mended it"), unit_of_work() as work:
        interventions.write_by_hand(work, step.id, wish(stage), {})
    assert kinds(stuck) == ["retry"]


def test_of_two_operators_at_the_same_moment_one_is_refused(stage: Stage, stuck: UUID):
    step = stage.step(stuck, KEY)
    wishes = [wish(stage), wish(stage)]
    together, told = Barrier(2), []

    def retry(mine: Wish) -> None:
        with unit_of_work() as work:
            seen = work.steps.get(step.id)
            together.wait()
            try:
                interventions.retry_step(work, step.id, mine)
            except InterventionRefusedError:
                told.append(seen.state)

    threads = [Thread(target=retry, args=(one,)) for one in wishes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == ["needs_operator"]
    assert kinds(stuck) == ["retry"]
    stage.check_books(stuck)


def test_a_paused_run_waits_and_resumes(stage: Stage):
    run = stage.launch()
    stage.perform(run, "E1/memo/market_capital")
    with unit_of_work() as work:
        interventions.pause_run(work, run, wish(stage))
    stage.play(run)
    assert (stage.run(run).state, stage.run(run).calls_made) == ("paused", 1)
    with pytest.raises(InterventionRefusedError, match="paused"), unit_of_work() as work:
        interventions.pause_run(work, run, wish(stage))
    with unit_of_work() as work:
        interventions.resume_run(work, run, wish(stage))
    stage.play(run)
    assert stage.run(run).state == "finished"
    assert kinds(run) == ["pause", "resume"]
    stage.check_books(run)


def test_a_call_in_flight_when_the_run_is_paused_is_recorded_and_nothing_follows(stage: Stage, scripted: Script):
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))

    def pausing(_: ChatRequest, usual: ChatAnswer):
        with unit_of_work() as work:
            interventions.pause_run(work, run, wish(stage))
        return usual

    scripted.say(KEY, pausing)
    stage.play(run)
    assert stage.step(run, KEY).state == "done"
    assert stage.step(run, REVIEW).state == "ready"
    assert [call.state for call in stage.calls(run)] == ["answered"]
    stage.check_books(run)


def test_a_cancelled_run_ends_where_it_is(stage: Stage, stuck: UUID):
    with unit_of_work() as work:
        interventions.cancel_run(work, stuck, wish(stage))
    for change in (interventions.resume_run, interventions.cancel_run, interventions.pause_run):
        with pytest.raises(InterventionRefusedError, match="cancelled"), unit_of_work() as work:
            change(work, stuck, wish(stage))
    with pytest.raises(InterventionRefusedError, match="cancelled"), unit_of_work() as work:
        interventions.retry_step(work, stage.step(stuck, KEY).id, wish(stage))
    assert stage.run(stuck).state == "cancelled"
    assert kinds(stuck) == ["cancel"]
    stage.check_books(stuck)


def test_a_run_cancelled_during_its_last_call_stays_cancelled(stage: Stage, scripted: Script):
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))

    def cancelling(_: ChatRequest, usual: ChatAnswer):
        with unit_of_work() as work:
            interventions.cancel_run(work, run, wish(stage))
        return usual

    scripted.say("E3/review", cancelling)
    stage.play(run)
    assert stage.run(run).state == "cancelled"
    assert stage.step(run, "E3/review").state == "done"
    stage.check_books(run)


def test_what_is_not_there_cannot_be_mended(stage: Stage):
    with pytest.raises(NotFoundError), unit_of_work() as work:
        interventions.retry_step(work, uuid4(), wish(stage))
    with pytest.raises(NotFoundError), unit_of_work() as work:
        interventions.pause_run(work, uuid4(), wish(stage))


def test_the_pilots_review_written_by_hand_carries_the_next_briefing(stage: Stage, scripted: Script):
    run = stage.launch(
        preset=Preset.PILOT, briefings=Briefings.MODEL, conditions=(Condition.SINGLE_PROMPT,), name="Pilot"
    )
    scripted.say(REVIEW, ChatError("gone", final=True))
    stage.play(run)
    other = stage.launch(
        preset=Preset.PILOT, briefings=Briefings.MODEL, conditions=(Condition.SINGLE_PROMPT,), name="Pilot"
    )
    stage.play(other)
    with reading() as look:
        body = next(kept.artifact for kept in look.artifacts.of_run(other) if kept.key == REVIEW)
    with unit_of_work() as work:
        step = stage.step(run, REVIEW)
        interventions.write_by_hand(work, step.id, wish(stage), body.model_dump(mode="json"))
    assert stage.step(run, "E2/briefing").state == "done"
    stage.play(run)
    assert stage.run(run).state == "finished"
    stage.check_books(run)
