"""Leases fence out the late; what a lost worker held is found, counted and done again, once."""

import json
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.domain.engine.flow import InformationFlowError
from app.domain.engine.material import input_for
from app.domain.protocol.conditions import Condition
from app.providers.chat import ChatAnswer, ChatError, ChatRequest
from app.services import claiming, performing, run_states, step_inputs, upkeep
from app.services.locked_run import LockedRun
from app.services.performing import Desk, perform_steps
from app.services.registry import UnknownModelError, model_entry
from app.services.unit_of_work import Work, reading, unit_of_work
from app.settings import get_settings
from app.storage.steps import Claim
from tests.services.stage import Script, Stage, said

pytestmark = pytest.mark.services

KEY = "E1/decision"
REVIEW = "E1/review"
ALONE = {"conditions": (Condition.SINGLE_PROMPT,)}


def lapse(stage: Stage, run: UUID, key: str) -> None:
    """Let a lease run out, as if its worker were gone."""
    with unit_of_work() as work:
        work.steps.set(stage.step(run, key).id, lease_expires_at=work.now - timedelta(seconds=1))


def lose(stage: Stage, run: UUID, key: str) -> Any:
    """A line of a script: while the call is under way its lease lapses, and upkeep finds that."""

    def line(_: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        lapse(stage, run, key)
        upkeep.sweep()
        return usual

    return line


def test_threads_that_claim_one_step_at_once_make_one_call(stage: Stage, scripted: Script):
    run = stage.launch(**ALONE)
    step = stage.step(run, KEY).id
    together, made = Barrier(3), []

    def take() -> None:
        desk = Desk("one of three")
        desk.stopping.set()
        together.wait()
        made.append(perform_steps(step, desk))

    threads = [Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [0, 0, 1]
    assert len(scripted.heard) == 1
    assert [call.attempt for call in stage.calls(run)] == [1]
    stage.check_books(run)


def test_who_waits_for_a_run_keeps_no_other_thread_from_the_run_it_holds(stage: Stage):
    mine, other = stage.launch(**ALONE), stage.launch(**ALONE)
    heads: list[str] = []

    def wait_for_mine() -> None:
        with unit_of_work() as work:
            heads.append(LockedRun(work, mine).head.state)

    waiter = Thread(target=wait_for_mine)
    with unit_of_work() as work:
        assert LockedRun(work, mine).head.id == mine
        waiter.start()
        asked = text("select count(*) from pg_locks where not granted")
        while waiter.is_alive() and not work.session.execute(asked).scalar_one():
            waiter.join(0.05)
        assert LockedRun(work, other).head.id == other
    waiter.join()
    assert heads == ["running"]


def test_a_late_answer_is_kept_as_discarded_and_never_the_result(stage: Stage, scripted: Script):
    run = stage.launch(**ALONE)
    scripted.say(KEY, lose(stage, run, KEY))
    assert stage.perform(run, KEY) == 1
    assert stage.step(run, KEY).state == "ready"
    (late,) = stage.calls(run, KEY)
    assert (late.state, late.error) == ("discarded", "the answer came after the step's lease was lost")
    assert late.tokens_in > 0
    stage.check_books(run)
    stage.play(run)
    with reading() as look:
        kept = next(kept for kept in look.artifacts.of_run(run) if kept.key == KEY)
    assert kept.call_id == stage.calls(run, KEY)[1].id
    assert stage.run(run).state == "finished"
    assert stage.run(run).calls_lost == 0
    stage.check_books(run)


def test_a_late_misfit_changes_nothing(stage: Stage, scripted: Script):
    run = stage.launch(**ALONE)
    scripted.say(KEY, lambda asked, usual: said(lose(stage, run, KEY)(asked, usual), "nonsense"))
    assert stage.perform(run, KEY) == 1
    assert (stage.step(run, KEY).state, stage.step(run, KEY).tries) == ("ready", 0)
    assert [call.state for call in stage.calls(run)] == ["discarded"]
    stage.check_books(run)


@pytest.mark.parametrize("final", [True, False])
def test_a_late_failure_changes_nothing_and_is_counted_once(stage: Stage, scripted: Script, final: bool):
    run = stage.launch(**ALONE)

    def failing(request: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        lose(stage, run, KEY)(request, usual)
        raise ChatError("too late", final=final)

    scripted.say(KEY, failing)
    assert stage.perform(run, KEY) == 1
    assert stage.step(run, KEY).state == "ready"
    assert [call.state for call in stage.calls(run)] == ["failed"]
    stage.check_books(run)
    stage.play(run)
    assert stage.run(run).state == "finished"
    stage.check_books(run)


def test_upkeep_releases_what_a_lost_worker_held_and_counts_its_call(stage: Stage):
    run = stage.launch(**ALONE)
    step = stage.step(run, KEY).id
    with unit_of_work() as work:
        assert claiming.claim_step(work, step, Claim(uuid4(), "gone"))
    assert upkeep.sweep() == 0
    assert stage.step(run, KEY).state == "claimed"
    lapse(stage, run, KEY)
    assert upkeep.sweep() == 1
    assert stage.step(run, KEY).state == "ready"
    (lost,) = stage.calls(run)
    assert (lost.state, lost.cost_usd) == ("lost", None)
    record = stage.run(run)
    assert (record.calls_lost, record.tokens_in, record.cost_unknown) == (1, lost.tokens_estimated, 1)
    assert stage.events(run)[-1].body["outcome"] == "lost"
    stage.check_books(run)
    stage.play(run)
    assert [call.attempt for call in stage.calls(run, KEY)] == [1, 2]
    assert (stage.run(run).state, stage.run(run).calls_lost) == ("finished", 1)
    stage.check_books(run)


def test_a_step_that_takes_its_workers_down_needs_an_operator_in_the_end(stage: Stage):
    run = stage.launch(**ALONE)
    step = stage.step(run, KEY).id
    for _ in range(get_settings().call_failures):
        with unit_of_work() as work:
            assert claiming.claim_step(work, step, Claim(uuid4(), "gone"))
        lapse(stage, run, KEY)
        upkeep.sweep()
    assert stage.step(run, KEY).state == "needs_operator"
    assert "lost with the worker" in stage.step(run, KEY).problem
    assert stage.run(run).calls_lost == get_settings().call_failures
    stage.check_books(run)


def test_a_sweep_passes_over_a_run_that_somebody_holds_and_frees_the_others(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(upkeep, "LOCK_SECONDS", 0.05)
    held, other = stage.launch(**ALONE), stage.launch(**ALONE)
    for run in (held, other):
        with unit_of_work() as work:
            assert claiming.claim_step(work, stage.step(run, KEY).id, Claim(uuid4(), "gone"))
        lapse(stage, run, KEY)
    with unit_of_work() as work:
        work.runs.lock(held)
        assert upkeep.sweep() == 1
        assert [stage.step(run, KEY).state for run in (held, other)] == ["claimed", "ready"]
    assert upkeep.sweep() == 1
    assert stage.step(held, KEY).state == "ready"


def test_a_sweep_does_not_wait_for_a_step_that_somebody_is_claiming(stage: Stage):
    run, other = stage.launch(**ALONE), stage.launch(**ALONE)
    for one in (run, other):
        with unit_of_work() as work:
            work.steps.set(stage.step(one, KEY).id, sent_at=work.now - timedelta(minutes=1))
    with unit_of_work() as work:
        work.steps.get(stage.step(run, KEY).id, lock=True)
        assert upkeep.sweep() == 1


def test_one_process_sweeps_once_at_a_time(stage: Stage):
    run = stage.launch(**ALONE)
    with unit_of_work() as work:
        work.steps.set(stage.step(run, KEY).id, sent_at=work.now - timedelta(minutes=1))
    with upkeep._SWEEPING:
        assert upkeep.sweep() == 0
    assert upkeep.sweep() == 1


def test_a_transaction_that_stands_still_is_ended_and_an_answer_recorded_again(
    stage: Stage, scripted: Script, monkeypatch: pytest.MonkeyPatch
):
    """As in a process that was suspended in the middle of a record for longer than the database waits."""
    run = stage.launch(**ALONE)
    tries: list[str] = []

    def interrupted(work: Work, *given: Any) -> Any:
        tries.append(KEY)
        if len(tries) == 1:
            work.session.execute(text("set local idle_in_transaction_session_timeout = '20ms'"))
            ended = text("select count(*) from pg_stat_activity where pid = :pid")
            mine = work.session.execute(text("select pg_backend_pid()")).scalar_one()
            with reading() as look:
                while look.session.execute(ended, {"pid": mine}).scalar_one():
                    look.session.rollback()
            work.session.execute(text("select 1"))
        return record_artifact(work, *given)

    record_artifact = performing.record_artifact
    monkeypatch.setattr(performing, "record_artifact", interrupted)
    monkeypatch.setattr(performing, "RECORDING_PAUSE_SECONDS", 0.0)
    assert stage.perform(run, KEY) == 1
    assert tries == [KEY, KEY]
    assert [call.state for call in stage.calls(run, KEY)] == ["answered"]
    stage.check_books(run)


def test_nobody_holds_a_lock_for_longer_than_minutes_but_who_reads_may_take_its_time(stage: Stage):
    asked = text("show idle_in_transaction_session_timeout")
    with unit_of_work() as work:
        assert work.session.execute(asked).scalar_one() == "3min"
    with reading(one_moment=True) as look:
        assert look.session.execute(asked).scalar_one() == "0"
    with reading() as look:
        assert look.session.execute(asked).scalar_one() == "3min"


def test_a_heartbeat_keeps_a_lease(stage: Stage):
    run = stage.launch(**ALONE)
    claim = Claim(uuid4(), "slow")
    with unit_of_work() as work:
        claiming.claim_step(work, stage.step(run, KEY).id, claim)
    lapse(stage, run, KEY)
    with unit_of_work() as work:
        work.steps.renew((claim.token, uuid4()))
    assert upkeep.sweep() == 0
    with unit_of_work() as work:
        upkeep.release_step(work, stage.step(run, KEY).id, run)
    assert stage.step(run, KEY).state == "claimed"


def test_a_claim_that_meets_a_pause_under_the_lock_lets_go(stage: Stage):
    run = stage.launch(**ALONE)
    step = stage.step(run, KEY).id
    performances = []

    def take() -> None:
        with unit_of_work() as work:
            performances.append(claiming.claim_step(work, step, Claim(uuid4(), "racing")))

    with unit_of_work() as work:
        work.runs.lock(run)
        work.runs.change(run, state="paused")
        thread = Thread(target=take)
        thread.start()
        wait_for_a_lock(work)
    thread.join()
    assert performances == [None]
    assert (stage.step(run, KEY).state, stage.step(run, KEY).attempts) == ("ready", 0)
    assert stage.calls(run) == ()


def wait_for_a_lock(work: Work) -> None:
    """Until another transaction waits for what this one holds."""
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    while not work.session.execute(waiting).scalar_one():
        pass


@pytest.mark.parametrize("error", [InformationFlowError("a late fact"), UnknownModelError("model x is gone")])
def test_an_answer_is_kept_when_the_next_call_cannot_be_made(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    run = stage.launch(**ALONE)

    def refusing(step: Any, *rest: Any) -> Any:
        if step.key == REVIEW:
            raise error
        return input_for(step, *rest)

    monkeypatch.setattr(step_inputs, "input_for", refusing)
    stage.play(run)
    assert stage.step(run, KEY).state == "done"
    assert stage.step(run, REVIEW).state == "needs_operator"
    assert stage.step(run, REVIEW).problem == f"the call could not be made: {error}"
    assert [call.state for call in stage.calls(run)] == ["answered"]
    assert stage.events(run)[-1].kind == "operator_needed"
    stage.check_books(run)


def test_a_first_call_that_cannot_be_made_needs_an_operator(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    run = stage.launch(**ALONE)
    monkeypatch.setattr(claiming, "model_entry", lambda name: model_entry(f"{name}/gone"))
    stage.play(run)
    assert stage.step(run, KEY).state == "needs_operator"
    assert "is not registered; there are" in stage.step(run, KEY).problem
    assert stage.calls(run) == ()
    stage.check_books(run)


@pytest.mark.parametrize("reached", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("line", [None, "not that"], ids=["artifact", "misfit"])
def test_a_database_that_goes_away_while_recording_is_waited_for(
    stage: Stage, scripted: Script, monkeypatch: pytest.MonkeyPatch, reached: bool, line: str | None
):
    monkeypatch.setattr(performing, "RECORDING_PAUSE_SECONDS", 0.0)
    run = stage.launch(**ALONE)
    if line:
        scripted.say(KEY, line)
    usual, left = Work.commit, [True]

    def failing(work: Work) -> None:
        if scripted.heard and left:
            left.clear()
            if reached:
                work.session.commit()
            raise OperationalError("commit", {}, Exception("gone"))
        usual(work)

    monkeypatch.setattr(Work, "commit", failing)
    stage.play(run)
    stage.check_books(run)
    if reached:  # the next call was journaled but this process does not know it: it lapses
        (held,) = stage.steps(run, "claimed")
        lapse(stage, run, held.key)
        upkeep.sweep()
        stage.play(run)
    assert stage.run(run).state == "finished"
    states = [call.state for call in stage.calls(run) if call.state != "lost"]
    assert sorted(states) == ["answered"] * 6 + ["refused"] * bool(line)
    assert stage.run(run).calls_lost == int(reached)
    stage.check_books(run)


def test_what_was_not_committed_is_not_remembered(stage: Stage, scripted: Script, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(performing, "RECORDING_TRIES", 1)
    run = stage.launch(**ALONE)
    usual = Work.commit

    def failing(work: Work) -> None:
        if scripted.heard:
            raise OperationalError("commit", {}, Exception("gone"))
        usual(work)

    def forgetting(_: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        run_states._KEPT.__init__()  # as in a process that has not seen the run lately
        return usual

    scripted.say(KEY, forgetting)
    monkeypatch.setattr(Work, "commit", failing)
    with pytest.raises(OperationalError):
        stage.perform(run, KEY)
    monkeypatch.setattr(Work, "commit", usual)
    lapse(stage, run, KEY)
    upkeep.sweep()
    scripted.say(KEY, lambda _, usual: said(usual, json.dumps(json.loads(usual.text) | {"company_name": "Other"})))
    here = run_states._KEPT
    monkeypatch.setattr(run_states, "_KEPT", run_states._Kept())
    stage.perform(run, KEY)  # as another process does it
    monkeypatch.setattr(run_states, "_KEPT", here)
    stage.play(run)
    (given,) = [request.step for request in scripted.heard if request.step.key == REVIEW]
    assert given.decision.company_name == "Other"


def test_a_database_that_stays_away_ends_the_task(stage: Stage, scripted: Script, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(performing, "RECORDING_TRIES", 2)
    monkeypatch.setattr(performing, "RECORDING_PAUSE_SECONDS", 0.0)

    def gone(*_: Any) -> None:
        raise OperationalError("insert", {}, Exception("gone"))

    run = stage.launch(**ALONE)
    monkeypatch.setattr(performing, "record_artifact", gone)
    with pytest.raises(OperationalError):
        perform_steps(stage.step(run, KEY).id, stage.desk)
    assert stage.desk.held == ()
    monkeypatch.setattr(performing, "claim_step", gone)
    with pytest.raises(OperationalError):
        perform_steps(stage.step(run, KEY).id, stage.desk)
    assert stage.desk.held == ()


def test_lessons_that_were_not_committed_reach_no_prompt(
    stage: Stage, scripted: Script, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(performing, "RECORDING_TRIES", 1)
    run = stage.launch(**ALONE)
    stage.perform(run, KEY)
    commit = Work.commit

    def failing(work: Work) -> None:
        if scripted.prompts(REVIEW):
            raise OperationalError("commit", {}, Exception("gone"))
        commit(work)

    def other_lessons(_: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        body = json.loads(usual.text)
        return said(usual, json.dumps(body | {"lessons": [dict(one, text="Other.") for one in body["lessons"]]}))

    scripted.say(REVIEW, None, other_lessons)
    monkeypatch.setattr(Work, "commit", failing)
    with pytest.raises(OperationalError):
        perform_steps(stage.step(run, REVIEW).id, stage.desk)
    monkeypatch.setattr(Work, "commit", commit)
    lapse(stage, run, REVIEW)
    upkeep.sweep()
    stage.play(run)
    (given,) = [request.step for request in scripted.heard if request.step.key == "E2/decision"]
    assert {lesson.text for lesson in given.playbook.lessons} == {"Other."}
