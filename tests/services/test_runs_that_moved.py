"""A step is recorded on the run as it was left with its call; a run that moved meanwhile is locked and read again."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from app.domain.engine.ledger import EventKind
from app.domain.protocol.budgets import Budget, Budgets
from app.domain.protocol.conditions import Condition
from app.providers.chat import ChatAnswer, ChatRequest
from app.services import claiming, interventions, pauses, performing, run_states
from app.services.interventions import Wish
from app.services.registry import model_entry
from app.services.unit_of_work import Work, unit_of_work
from app.storage.session import Session
from tests.services.stage import Script, Stage

pytestmark = pytest.mark.services

ALONE = {"conditions": (Condition.SINGLE_PROMPT,)}
KEY, REVIEW = "E1/decision", "E1/review"


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For every try to record an answer, whether it relied on the run as it was seen."""
    made: list[bool] = []
    record = performing.record_artifact

    def noted(work: Work, performance: claiming.Performance, *given: Any) -> claiming.Performance | None:
        made.append(performance.seen is not None)
        return record(work, performance, *given)

    monkeypatch.setattr(performing, "record_artifact", noted)
    return made


def during(act: Callable[[Work], object]) -> Callable[[ChatRequest, ChatAnswer], ChatAnswer]:
    """A line of a script: somebody acts while the call is under way."""

    def line(_: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        with unit_of_work() as work:
            act(work)
        return usual

    return line


def test_a_run_of_one_step_at_a_time_is_never_locked(stage: Stage, scripted: Script, tries: list[bool]):
    run = stage.launch(**ALONE)
    stage.play(run)
    assert stage.run(run).state == "finished"
    assert tries == [True] * len(scripted.heard)
    stage.check_books(run)


def test_a_whole_run_is_one_statement_a_step(stage: Stage, scripted: Script, monkeypatch: pytest.MonkeyPatch):
    sent: list[bool] = []
    in_turn = Session.send_waiting

    def noted(session: Session, *, committing: bool = False) -> None:
        sent.append(bool(session._waiting))
        in_turn(session, committing=committing)

    run = stage.launch(**ALONE)
    (first,) = stage.steps(run, "ready")
    monkeypatch.setattr(Session, "send_waiting", noted)
    assert performing.perform_steps(first.id, stage.desk) == len(scripted.heard)
    assert sent.count(True) == 3  # the first step is claimed, its run locked, its call journaled: in turn


def test_a_mark_left_during_a_call_stays_in_the_ledger(stage: Stage, scripted: Script, tries: list[bool]):
    run = stage.launch(**ALONE)
    wish = Wish(stage.user(), "seen another run", None)
    scripted.say(KEY, during(lambda work: interventions.annotate_exposure(work, run, wish, seen=("R2",))))
    stage.play(run)
    assert (stage.run(run).state, stage.run(run).interventions) == ("finished", 1)
    assert tries[:3] == [True, False, True]
    assert [event.kind for event in stage.events(run)].count(EventKind.INTERVENTION) == 1
    stage.check_books(run)


def test_a_mark_left_stays_where_the_run_must_be_read_again(stage: Stage, scripted: Script, tries: list[bool]):
    run = stage.launch(**ALONE)
    wish = Wish(stage.user(), "seen another run", None)

    def mark(work: Work) -> None:
        interventions.annotate_exposure(work, run, wish, seen=("R2",))
        run_states._KEPT.__init__()

    scripted.say(REVIEW, during(mark))
    stage.play(run)
    assert (stage.run(run).state, stage.run(run).interventions) == ("finished", 1)
    assert tries[:4] == [True, True, False, True]
    stage.check_books(run)


def test_a_run_paused_during_a_call_keeps_its_answer_and_asks_no_more(stage: Stage, scripted: Script):
    run = stage.launch(**ALONE)
    wish = Wish(stage.user(), "to look", None)
    scripted.say(KEY, during(lambda work: interventions.pause_run(work, run, wish)))
    stage.play(run)
    assert (stage.run(run).state, stage.step(run, KEY).state, stage.step(run, REVIEW).state) == (
        "paused",
        "done",
        "ready",
    )
    assert len(scripted.heard) == 1
    stage.check_books(run)


def test_an_account_paused_during_a_call_is_not_asked_again(stage: Stage, scripted: Script, tries: list[bool]):
    run = stage.launch(**ALONE)
    judge = model_entry("rehearsal/strict")
    scripted.say(KEY, during(lambda work: pauses.pause_account(work, judge, "no money left")))
    stage.play(run)
    assert tries == [True, False]
    assert (stage.step(run, KEY).state, stage.step(run, REVIEW).waits_for) == ("done", judge.name)
    assert len(scripted.heard) == 1
    stage.check_books(run)


@pytest.mark.parametrize(
    "held",
    [
        {"budgets": Budgets(run=Budget(calls=100))},
        {"budgets": Budgets(study=Budget(tokens=10**9))},
        {"conditions": (Condition.FULL,)},
    ],
)
def test_a_run_that_others_move_is_locked(stage: Stage, scripted: Script, tries: list[bool], held: dict[str, Any]):
    run = stage.launch(**{**ALONE, **held})
    steps = stage.steps(run, "ready")
    if len(steps) == 1:
        stage.perform(run, steps[0].key)
        assert tries == [False]
    stage.play(run)
    assert False in tries
    assert stage.run(run).state == "finished"
    stage.check_books(run)


def test_a_database_that_went_away_during_a_call_gets_the_answer_again(
    stage: Stage, scripted: Script, tries: list[bool], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(performing, "RECORDING_PAUSE_SECONDS", 0.01)
    theirs = "datname = current_database() and usename = current_user"
    others = f"select count(pg_terminate_backend(pid)) from pg_stat_activity where {theirs}"
    scripted.say(KEY, during(lambda work: work.session.execute(text(f"{others} and pid <> pg_backend_pid()"))))
    run = stage.launch(**ALONE)
    stage.play(run)
    assert stage.run(run).state == "finished"
    assert len(scripted.heard) == len(stage.calls(run))
    stage.check_books(run)
