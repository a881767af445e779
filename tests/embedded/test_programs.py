"""Which programs `up` keeps, and that its workers share out the processors."""

import os
from threading import Thread

import pytest

from app.embedded.programs import command_of, names_of, placed, worker_names
from app.settings import Settings
from workers.simulation import keep_to


def test_each_of_several_workers_is_told_a_processor_of_its_own():
    settings = Settings(worker_processes=3)
    lines = [placed(name, settings) for name in worker_names(settings)]
    assert [line[-1] for line in lines] == [f"AUTOLAB_PROCESSOR={number}" for number in range(3)]
    assert names_of(settings) == ("web", "worker", "worker-2", "worker-3", "auditor", "beat")


@pytest.mark.parametrize("changes", [{"worker_processes": 1}, {"worker_processes": 3, "processor": 1}])
def test_a_worker_alone_or_told_one_by_its_user_is_told_none(changes: dict[str, int]):
    settings = Settings(**changes)
    assert {placed(name, settings) for name in names_of(settings)} == {()}


def test_a_worker_that_is_run_apart_is_told_none():
    assert "AUTOLAB_PROCESSOR" not in " ".join(command_of("worker", Settings(worker_processes=3)))
    assert placed("auditor", Settings(worker_processes=3)) == ()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system lets no process choose its processor")
@pytest.mark.parametrize("number", [None, 0, 1, 1_000_001])
def test_a_thread_and_those_it_starts_keep_to_a_processor_that_there_is(number: int | None):
    usable = sorted(os.sched_getaffinity(0))
    found: list[set[int]] = []

    def work() -> None:
        keep_to(number)
        inner = Thread(target=lambda: found.append(os.sched_getaffinity(0)))
        inner.start()
        inner.join()

    outer = Thread(target=work)
    outer.start()
    outer.join()
    assert found == [set(usable) if number is None else {usable[number % len(usable)]}]
    assert sorted(os.sched_getaffinity(0)) == usable
