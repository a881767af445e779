"""A real worker killed or stopped in the middle, a broker emptied: the study finishes, nothing is done twice."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any
from uuid import UUID

import pytest
import redis
from sqlalchemy import text

from app.domain.protocol.conditions import Condition
from app.services import upkeep
from app.services.unit_of_work import reading
from tests.services.stage import Stage

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
THREADS = 8
LEASE_SECONDS = "2"
PATIENCE = 60.0
PAUSE = Event()  # never set


class Worker:
    """A worker process of its own, as `./autolab worker` starts it."""

    def __init__(self, log: Path, threads: int) -> None:
        self._log = log.open("ab")
        settings = ["--pool", "threads", "--concurrency", str(threads), "--without-mingle", "--without-gossip"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "workers.main", "worker", *settings],
            cwd=ROOT,
            env={**os.environ, "AUTOLAB_LEASE_SECONDS": LEASE_SECONDS},
            stdout=self._log,
            stderr=self._log,
        )

    def end(self, by: signal.Signals) -> None:
        self.process.send_signal(by)
        self.process.wait(timeout=PATIENCE)
        self._log.close()


@pytest.fixture
def start_worker(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Worker]]:
    """Starts workers on the stage's services; those still alive at the end are killed."""
    monkeypatch.setenv("AUTOLAB_LEASE_SECONDS", LEASE_SECONDS)
    monkeypatch.setattr(upkeep, "SENT_AGAIN_AFTER", timedelta(seconds=2))
    started: list[Worker] = []

    def start(threads: int = THREADS) -> Worker:
        started.append(Worker(tmp_path / "worker.log", threads))
        return started[-1]

    yield start
    for worker in started:
        if worker.process.poll() is None:
            worker.end(signal.SIGKILL)
    with suppress(OSError):
        sys.stdout.write((tmp_path / "worker.log").read_text(encoding="utf-8")[-4_000:])


def launch(stage: Stage) -> tuple[UUID, ...]:
    return launched(stage, repetitions=4, pace_seconds=0.05)


def launched(stage: Stage, **changes: Any) -> tuple[UUID, ...]:
    first = stage.launch(**changes)
    with reading() as look:
        return tuple(run.id for run in look.runs.of_study(look.runs.get(first).study_id))


def wait_until(done: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Sweep, as beat has it done, until something is so."""
    for _ in range(int(seconds * 4)):
        if done():
            return
        upkeep.sweep()
        PAUSE.wait(0.25)
    pytest.fail("it did not come to an end")


def calls_made(stage: Stage, runs: tuple[UUID, ...]) -> int:
    return sum(stage.run(run).calls_made for run in runs)


def finished(stage: Stage, runs: tuple[UUID, ...]) -> bool:
    return all(stage.run(run).state == "finished" for run in runs)


def in_flight(stage: Stage, runs: tuple[UUID, ...]) -> int:
    return sum(call.state == "sent" for run in runs for call in stage.calls(run))


def check_once(stage: Stage, runs: tuple[UUID, ...]) -> None:
    """Each step has one document, one call whose answer it is, and its run's sums hold every call."""
    for run in runs:
        stage.check_books(run)
        with reading() as look:
            kept = look.artifacts.of_run(run)
        answered = [call.step_id for call in stage.calls(run) if call.state == "answered"]
        assert len(answered) == len(set(answered)) == stage.run(run).calls_owed
        assert sorted(document.key for document in kept) == sorted(step.key for step in stage.steps(run))
        assert {document.call_id for document in kept if document.call_id} <= {call.id for call in stage.calls(run)}


def test_a_killed_worker_loses_only_the_calls_in_flight(stage: Stage, start_worker: Callable[[], Worker]):
    runs = launch(stage)
    worker = start_worker()
    wait_until(lambda: calls_made(stage, runs) >= 24 and in_flight(stage, runs) > 0)
    worker.end(signal.SIGKILL)
    held = in_flight(stage, runs)
    before = calls_made(stage, runs)
    assert not finished(stage, runs)
    start_worker()
    wait_until(lambda: finished(stage, runs))
    check_once(stage, runs)
    owed = sum(stage.run(run).calls_owed for run in runs)
    repeated = calls_made(stage, runs) - owed
    assert 0 < held <= THREADS
    assert repeated == held == sum(stage.run(run).calls_lost for run in runs)
    assert before < calls_made(stage, runs)


def test_a_worker_suspended_past_its_leases_changes_nothing_when_it_goes_on(
    stage: Stage, start_worker: Callable[[], Worker]
):
    runs = launched(stage, repetitions=4, conditions=(Condition.SINGLE_PROMPT,), pace_seconds=0.5)
    late = start_worker()
    wait_until(lambda: calls_made(stage, runs) >= 8)
    held = suspended_in_calls(stage, runs, late)
    start_worker()
    wait_until(lambda: finished(stage, runs))
    assert sum(stage.run(run).calls_lost for run in runs) == held
    late.process.send_signal(signal.SIGCONT)
    wait_until(lambda: not any(stage.run(run).calls_lost for run in runs))
    check_once(stage, runs)
    ends = Counter(call.state for run in runs for call in stage.calls(run))
    assert ends == {"answered": sum(stage.run(run).calls_owed for run in runs), "discarded": held}


def suspended_in_calls(stage: Stage, runs: tuple[UUID, ...], worker: Worker) -> int:
    """Suspend a worker that has calls under way and no transaction open; gives how many calls."""
    still = text("select count(*) from pg_stat_activity where datname = current_database() and state <> 'idle'")
    for _ in range(200):
        worker.process.send_signal(signal.SIGSTOP)
        PAUSE.wait(0.05)  # what it sent before is done by then
        with reading() as look:
            waiting = look.session.execute(still).scalar_one() - 1
        held = in_flight(stage, runs)
        if held and not waiting:
            return held
        worker.process.send_signal(signal.SIGCONT)
        PAUSE.wait(0.01)
    pytest.fail("it was never found in calls only")


def test_an_emptied_broker_and_a_stopped_worker_cost_nothing(
    stage: Stage, start_worker: Callable[[], Worker], redis_url: str
):
    runs = launch(stage)
    with redis.Redis.from_url(redis_url) as broker:
        broker.flushall()  # before a worker saw any of the messages
        worker = start_worker()
        wait_until(lambda: calls_made(stage, runs) >= 12)
        broker.flushall()
        wait_until(lambda: calls_made(stage, runs) >= 24)
        worker.end(signal.SIGTERM)
        assert worker.process.returncode == 0
        assert in_flight(stage, runs) == 0
        assert not [step for run in runs for step in stage.steps(run, "claimed")]
        with reading() as look:
            assert look.workers.all() == (), "a worker that stops cleanly signs off"
        broker.flushall()
        assert not finished(stage, runs)
        start_worker()
        wait_until(lambda: finished(stage, runs))
    check_once(stage, runs)
    assert calls_made(stage, runs) == sum(stage.run(run).calls_owed for run in runs)


def test_steps_wait_for_whoever_is_free_and_not_in_a_busy_worker(stage: Stage, start_worker: Callable[..., Worker]):
    runs = launched(stage, repetitions=4, conditions=(Condition.SINGLE_PROMPT,), pace_seconds=60.0)

    def held(expected: list[int]) -> bool:
        with reading() as look:
            return sorted(look.steps.held_by_worker().values()) == expected

    def becomes(expected: list[int]) -> bool:
        return any(held(expected) or PAUSE.wait(0.25) for _ in range(int(PATIENCE * 4)))

    start_worker(threads=2)
    assert becomes([2])
    start_worker(threads=2)
    assert becomes([2, 2])  # nothing was swept: what the first could not take was there for the second
    assert in_flight(stage, runs) == 4
