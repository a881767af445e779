"""The broker only wakes: launches succeed without it, and upkeep sends what it lost."""

import json
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
import redis

from app import jobs
from app.domain.protocol.conditions import Condition
from app.embedded.ports import free_port
from app.jobs import Job, Queue
from app.providers.chat import ChatError
from app.services import interventions, upkeep
from app.services.claiming import claim_step
from app.services.health import show_health
from app.services.interventions import Wish
from app.services.unit_of_work import reading, unit_of_work
from app.storage.errors import NotFoundError
from app.storage.steps import Claim
from tests.services.stage import Script, Stage, clear_caches

pytestmark = pytest.mark.services

ALONE = {"conditions": (Condition.SINGLE_PROMPT,)}
KEY = "E1/decision"


@pytest.fixture
def broker(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


def waiting(broker: redis.Redis) -> list[str]:
    """Ids of the steps that wait in the broker's queue, which is emptied."""
    found = [json.loads(message) for message in broker.lrange(str(Queue.STEPS), 0, -1)]
    broker.delete(str(Queue.STEPS))
    assert {message["headers"]["task"] for message in found} <= {str(Job.PERFORM_STEP)}
    return sorted(json.loads(message["headers"]["argsrepr"].replace("'", '"'))[0] for message in found)


def ready(stage: Stage, run: UUID) -> list[str]:
    return sorted(str(step.id) for step in stage.steps(run, "ready"))


def age(stage: Stage, run: UUID) -> None:
    """As if the ready steps had been sent long ago."""
    with unit_of_work() as work:
        for step in stage.steps(run, "ready"):
            work.steps.set(step.id, sent_at=work.now - upkeep.SENT_AGAIN_AFTER - timedelta(seconds=1))


def test_a_launch_sends_the_steps_that_are_owed(stage: Stage, broker: redis.Redis):
    run = stage.launch()
    assert len(ready(stage, run)) == 3
    assert waiting(broker) == ready(stage, run)
    assert upkeep.sweep() == 0
    assert waiting(broker) == []


def test_a_launch_succeeds_while_the_broker_is_away_and_upkeep_sends_later(
    stage: Stage, broker: redis.Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("REDIS_URL", f"redis://127.0.0.1:{free_port()}/0")
    clear_caches()
    run = stage.launch()
    assert len(ready(stage, run)) == 3
    age(stage, run)
    assert upkeep.sweep() == 3
    jobs.broker().close()
    monkeypatch.setenv("REDIS_URL", redis_url)
    clear_caches()
    assert waiting(broker) == []
    age(stage, run)
    assert upkeep.sweep() == 3
    assert waiting(broker) == ready(stage, run)


def test_an_emptied_broker_is_filled_again_once(stage: Stage, broker: redis.Redis):
    run = stage.launch()
    broker.flushall()
    age(stage, run)
    assert upkeep.sweep() == 3
    assert upkeep.sweep() == 0
    assert waiting(broker) == ready(stage, run)


def test_upkeep_leaves_paused_runs_and_waiting_steps_alone(stage: Stage, scripted: Script, broker: redis.Redis):
    paused, held = stage.launch(**ALONE), stage.launch(**ALONE)
    wish = Wish(stage.user(), "lunch")
    with unit_of_work() as work:
        interventions.pause_run(work, paused, wish)
    scripted.say(KEY, ChatError("slow down", retry_after=60.0))
    stage.perform(held, KEY)
    age(stage, paused)
    age(stage, held)
    waiting(broker)
    assert upkeep.sweep() == 0
    with unit_of_work() as work:
        work.steps.set(stage.step(held, KEY).id, not_before=work.now - timedelta(seconds=1))
    assert upkeep.sweep() == 1
    assert waiting(broker) == ready(stage, held)
    with unit_of_work() as work:
        interventions.resume_run(work, paused, wish)
    assert waiting(broker) == ready(stage, paused)


def test_a_lapsed_step_is_sent_at_once(stage: Stage, broker: redis.Redis):
    run = stage.launch(**ALONE)
    waiting(broker)
    with unit_of_work() as work:
        past = work.now - timedelta(seconds=1)
        work.steps.set(stage.step(run, KEY).id, state="claimed", lease_expires_at=past)
    assert upkeep.sweep() == 1
    assert waiting(broker) == ready(stage, run) != []


def test_the_joining_step_is_sent_once_and_only_when_the_last_memo_is_there(stage: Stage, broker: redis.Redis):
    run = stage.launch()
    for department in ("frontier_research", "market_capital"):
        stage.perform(run, f"E1/memo/{department}")
    waiting(broker)
    assert [step.key for step in stage.steps(run) if step.key == "E1/attack"] == []
    stage.perform(run, "E1/memo/product_engineering")
    assert waiting(broker) == [str(stage.step(run, "E1/attack").id)]


def test_nothing_is_sent_or_announced_for_what_was_rolled_back(stage: Stage, broker: redis.Redis):
    run = stage.launch(**ALONE)
    waiting(broker)

    def ask_in_vain() -> None:
        with unit_of_work() as work:
            work.enqueue(Job.PERFORM_STEP, stage.step(run, KEY).id)
            work.runs.lock(work.new_id())

    with pytest.raises(NotFoundError):
        ask_in_vain()
    assert waiting(broker) == []


def test_tidying_forgets_workers_long_unseen(stage: Stage):
    with unit_of_work() as work:
        old = work.now - timedelta(hours=25)
        work.workers.beat("old", old, old, {Queue.STEPS})
        work.workers.beat("new", old, old, {Queue.STEPS})
        work.workers.beat("new", old, work.now, {Queue.STEPS})
    upkeep.tidy()
    with reading() as look:
        assert [worker.name for worker in look.workers.all()] == ["new"]


def test_health_lists_live_leases_and_folds_workers_that_are_gone(stage: Stage):
    run = stage.launch(**ALONE)
    with unit_of_work() as work:
        claim_step(work, stage.step(run, KEY).id, Claim(uuid4(), "at work"))
        for name, seen in (("at work", 0), ("killed", 40), ("long gone", 4000), ("stopped", 0)):
            work.workers.beat(name, work.now, work.now - timedelta(seconds=seen), {Queue.STEPS})
        work.workers.remove("stopped")
    with reading() as look:
        health = show_health(look)
    assert [(line.worker.name, line.is_alive, line.calls_in_flight) for line in health.workers] == [
        ("at work", True, 1)
    ]
    assert (health.earlier, health.calls_in_flight) == (2, 1)


def test_health_lists_auditors_which_make_no_calls(stage: Stage):
    with unit_of_work() as work:
        work.workers.beat("auditor", work.now, work.now, {Queue.AUDITS})
    with reading() as look:
        health = show_health(look)
    assert [(line.worker.name, line.is_alive, line.audits) for line in health.workers] == [("auditor", True, True)]
    assert (health.has_workers, health.has_auditors) == (False, True)
    with unit_of_work() as work:
        work.workers.beat("both", work.now, work.now, set(Queue))
    with reading() as look:
        health = show_health(look)
    assert (health.has_workers, health.has_auditors) == (True, True)
