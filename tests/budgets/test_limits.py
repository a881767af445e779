"""Limits shared by all workers: turns by requests, tokens and slots, fair, without a failure and without waiting."""

from collections.abc import Callable
from uuid import UUID

import pytest
import redis

from app.domain.protocol.conditions import Condition
from app.providers import limits
from app.providers.chat import ChatAnswer, ChatRequest
from app.providers.limits import LONGEST_WAIT, SHORTEST_WAIT, seconds_until_turn
from app.providers.registry import Limits
from app.services.performing import Desk, perform_steps
from app.services.studies import choose_model
from app.services.unit_of_work import reading, unit_of_work
from app.services.upkeep import sweep
from tests.services.stage import Script, Stage

pytestmark = pytest.mark.services

AddModel = Callable[[str, str], str]
KEY = "E1/decision"


def launch(stage: Stage, model: str, runs: int) -> list[UUID]:
    """Runs whose first decisions are ready, the oldest first."""
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,), repetitions=runs, players=(choose_model(model, 1.0),))
    with reading() as look:
        ids = [one.id for one in look.runs.of_study(look.runs.get(run).study_id)]
    with unit_of_work() as work:
        for number, one in enumerate(ids):
            work.steps.set(stage.step(one, KEY).id, ready_at=work.now.replace(year=2020, second=number))
    return ids


def waiting(stage: Stage, runs: list[UUID]) -> list[bool]:
    return [stage.step(run, KEY).waits_for is not None for run in runs]


def let_time_pass(stage: Stage, runs: list[UUID]) -> None:
    with unit_of_work() as work:
        for run in runs:
            work.steps.set(stage.step(run, KEY).id, not_before=None)


def test_requests_a_minute_are_shared_and_those_without_a_turn_wait_unfailed(
    stage: Stage, scripted: Script, own_models: AddModel
):
    runs = launch(stage, own_models("slow", "limits = { requests_per_minute = 2 }"), 4)
    assert [stage.perform(run, KEY) for run in runs] == [1, 1, 0, 0]
    assert waiting(stage, runs) == [False, False, True, True]
    step = stage.step(runs[2], KEY)
    assert (step.state, step.attempts, step.failures, step.problem) == ("ready", 0, 0, None)
    assert step.not_before is not None
    assert stage.perform(runs[2], KEY) == 0  # its time has not come
    for run in runs:
        stage.check_books(run)


def test_tokens_a_minute_hold_back_what_is_too_large(stage: Stage, scripted: Script, own_models: AddModel):
    runs = launch(stage, own_models("narrow", "limits = { tokens_per_minute = 100 }"), 2)
    assert [stage.perform(run, KEY) for run in runs] == [1, 0]  # larger than a minute: it goes when nothing else does
    assert stage.step(runs[1], KEY).waits_for == "own/narrow"


def test_slots_are_counted_from_calls_in_flight_and_go_to_whoever_waits_longest(
    stage: Stage, scripted: Script, own_models: AddModel
):
    runs = launch(stage, own_models("single", "limits = { concurrent = 1 }"), 3)

    def meanwhile(request: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        assert stage.perform(runs[2], KEY) == 0
        assert stage.perform(runs[1], KEY) == 0
        assert waiting(stage, runs[1:]) == [True, True]
        return usual

    scripted.say(KEY, meanwhile)
    assert stage.perform(runs[0], KEY) == 1
    woken = [stage.step(run, KEY).not_before is None for run in runs[1:]]
    assert woken == [True, False]  # the older of the two
    let_time_pass(stage, runs)
    assert stage.perform(runs[2], KEY) == 0  # the older one goes first
    let_time_pass(stage, runs)
    assert stage.perform(runs[1], KEY) == 1
    let_time_pass(stage, runs)
    assert stage.perform(runs[2], KEY) == 1
    assert [stage.step(run, KEY).state for run in runs] == ["done", "done", "done"]
    assert {stage.step(run, KEY).failures for run in runs} == {0}


def test_a_slot_of_a_dead_worker_is_free_when_its_lease_is(stage: Stage, scripted: Script, own_models: AddModel):
    runs = launch(stage, own_models("single", "limits = { concurrent = 1 }"), 2)

    def die(request: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        with unit_of_work() as work:
            work.steps.set(stage.step(runs[0], KEY).id, lease_expires_at=work.now.replace(year=2000))
        assert stage.perform(runs[1], KEY) == 1
        return usual

    scripted.say(KEY, die)
    stage.perform(runs[0], KEY)
    assert stage.step(runs[1], KEY).state == "done"


def test_a_paused_runs_step_is_not_ahead_of_anybody(stage: Stage, scripted: Script, own_models: AddModel):
    runs = launch(stage, own_models("single", "limits = { concurrent = 1 }"), 2)
    with unit_of_work() as work:
        work.steps.set(stage.step(runs[0], KEY).id, waits_for="own/single")
        work.runs.change(runs[0], state="paused")
    assert stage.perform(runs[1], KEY) == 1


def test_upkeep_sends_the_oldest_first_once_their_time_has_come(
    stage: Stage, scripted: Script, own_models: AddModel, monkeypatch: pytest.MonkeyPatch
):
    runs = launch(stage, own_models("slow", "limits = { requests_per_minute = 600 }"), 3)
    with unit_of_work() as work:
        for run in reversed(runs):
            past = work.now.replace(year=2021)
            work.steps.set(stage.step(run, KEY).id, not_before=past, sent_at=past.replace(year=2020))
    sent: list[str] = []
    monkeypatch.setattr("app.services.unit_of_work.send", lambda _, subject: sent.append(subject) or True)
    assert sweep() == 3
    for subject in tuple(sent):
        desk = Desk("one")
        desk.stopping.set()
        assert perform_steps(UUID(subject), desk) == 1


@pytest.fixture
def alone(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    limits._limiter.cache_clear()
    limits._fallback.cache_clear()
    yield monkeypatch
    limits._limiter.cache_clear()
    limits._fallback.cache_clear()


def test_without_limits_redis_is_not_asked(alone: pytest.MonkeyPatch):
    assert seconds_until_turn("m", Limits(), tokens=10**9, ahead=10**6) == 0


def test_a_refused_turn_costs_nothing_of_the_other_limit(alone: pytest.MonkeyPatch):
    both = Limits(requests_per_minute=2, tokens_per_minute=1_000)
    assert seconds_until_turn("m", both, tokens=900, ahead=0) == 0
    assert SHORTEST_WAIT <= seconds_until_turn("m", both, tokens=900, ahead=0) <= LONGEST_WAIT
    assert seconds_until_turn("m", both, tokens=100, ahead=0) == 0
    assert seconds_until_turn("m", both, tokens=0, ahead=0) > 0


def test_those_ahead_are_left_their_share(alone: pytest.MonkeyPatch):
    three = Limits(requests_per_minute=3)
    assert seconds_until_turn("m", three, tokens=1, ahead=3) > 0
    assert seconds_until_turn("m", three, tokens=1, ahead=2) == 0
    assert seconds_until_turn("m", three, tokens=1, ahead=2) > 0
    assert seconds_until_turn("other", three, tokens=1, ahead=2) == 0


def test_while_redis_is_away_this_process_counts_on_its_own(alone: pytest.MonkeyPatch):
    def away(_: str):
        raise redis.ConnectionError

    alone.setattr(limits, "_limiter", away)
    away.cache_clear = lambda: None
    one = Limits(requests_per_minute=1)
    assert seconds_until_turn("m", one, tokens=1, ahead=0) == 0
    assert seconds_until_turn("m", one, tokens=1, ahead=0) > 0
    alone.undo()
