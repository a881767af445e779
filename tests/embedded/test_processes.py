import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping

import pytest

from app.embedded.processes import Notice, ProcessMark, stop_child, stop_strangers
from app.embedded.supervisor import Part, Supervisor
from app.embedded.waiting import wait_until

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
SHORT = (Notice(signal.SIGTERM, 0.3), Notice(signal.SIGKILL, 5.0))


def sleeper(code: str = "print(flush=True); import time; time.sleep(600)") -> subprocess.Popen[bytes]:
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    with child.stdout as ready:
        ready.readline()
    return child


def test_a_mark_is_not_mistaken_for_a_recycled_id():
    child = sleeper()
    mark = ProcessMark.of(child.pid)
    assert mark is not None
    assert mark.is_alive()
    assert not ProcessMark(child.pid, mark.started_at - 100).is_alive()
    stop_child(child)
    assert not mark.is_alive()
    assert ProcessMark.of(child.pid) is None


@pytest.mark.parametrize(("code", "ended_by"), [("import time; print(flush=True); time.sleep(600)", 15), (DEAF, 9)])
def test_a_child_is_asked_and_then_made_to_stop(code: str, ended_by: int):
    child = sleeper(code)
    stop_child(child, SHORT)
    assert child.returncode == -ended_by
    stop_child(child, SHORT)


def test_strangers_are_stopped_side_by_side():
    children = [sleeper(), sleeper(DEAF)]
    marks = [mark for child in children if (mark := ProcessMark.of(child.pid))]
    assert stop_strangers([*marks, ProcessMark(999_999_999, 1.0)], SHORT) == []
    for child in children:
        child.wait()


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def noted() -> list[Mapping[str, ProcessMark]]:
    return []


@pytest.fixture
def supervisor(told: list[str], noted: list[Mapping[str, ProcessMark]]) -> Iterator[Supervisor]:
    made = Supervisor(told.append, noted.append)
    yield made
    made.stop()


def test_what_dies_is_started_again_with_a_growing_delay(supervisor: Supervisor, told: list[str]):
    part = Part("short", lambda: subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"]), log="short.log")
    supervisor.start(part)
    supervisor.watch(lambda: len(told) == 3)
    assert [sentence.split("; ")[0] for sentence in told] == ["short ended with code 7"] * 3
    assert "in 0.5 s" in told[0]
    assert "in 1 s" in told[1]
    assert "in 2 s" in told[2]
    assert "short.log" in told[0]


def test_a_part_that_cannot_be_started_again_is_tried_later(supervisor: Supervisor, told: list[str]):
    first = [sys.executable, "-c", ""]
    commands = iter([first, ["/nowhere/at/all"], first])
    supervisor.start(Part("part", lambda: subprocess.Popen(next(commands))))
    supervisor.watch(lambda: len(told) >= 4)
    assert "/nowhere/at/all" in told[1]


def test_the_living_are_noted_and_none_after_the_stop(supervisor: Supervisor, noted: list[Mapping[str, ProcessMark]]):
    child = supervisor.start(Part("sleeper", sleeper))
    assert noted[-1] == {"sleeper": ProcessMark.of(child.pid)}
    supervisor.stop()
    assert noted[-1] == {}
    assert child.returncode is not None


def test_waiting_ends_with_the_problem_it_was_given():
    with pytest.raises(KeyError, match="too late"):
        wait_until(lambda: False, seconds=0.1, problem=lambda: KeyError("too late"))
