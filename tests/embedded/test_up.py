"""`up` with real services and real signals; the programs are stand-ins."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from app.embedded.instance_note import read_note
from app.embedded.ports import free_port
from app.embedded.schema import plain_url
from app.embedded.waiting import wait_until

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
GIVEN = ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL", "AUTOLAB_PORT", "AUTOLAB_HOST")
LONGEST_WAIT = 60.0


class Up:
    """A started `up`; its lines are read as they come."""

    def __init__(self, home: Path, **variables: str) -> None:
        clean = {name: value for name, value in os.environ.items() if name not in GIVEN}
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "embedded" / "stand_in.py"), "up"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **clean,
                "PYTHONPATH": str(ROOT),
                "AUTOLAB_HOME": str(home),
                "AUTOLAB_WORKER_PROCESSES": "1",
                **variables,
            },
        )
        self.lines: list[str] = []

    def read_until(self, pattern: str) -> str:
        """The next line with a pattern; one that does not come within a minute fails, with all that came."""
        assert self.process.stdout is not None
        watch = threading.Timer(LONGEST_WAIT, self.process.kill)
        watch.start()
        try:
            for line in self.process.stdout:
                self.lines.append(line)
                if re.search(pattern, line):
                    return line.strip()
        finally:
            watch.cancel()
        raise AssertionError(f"{pattern} did not come: {''.join(self.lines)}")

    def mark(self, name: str):
        note = read_note(self.home)
        return None if note is None else note.processes.get(name)

    def variable(self, name: str) -> str:
        note = read_note(self.home)
        assert note is not None
        return note.variables[name]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(10)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(15)
        assert self.process.stdout is not None
        self.process.stdout.close()


Start = Callable[..., Up]


@pytest.fixture(scope="module")
def initialised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an instance that was started once, from nothing, and stopped; making a database takes seconds."""
    home = tmp_path_factory.mktemp("first") / "home"
    home.parent.chmod(0o755)
    first = Up(home, AUTOLAB_PORT=str(free_port()))
    first.read_until("Open +http")
    assert first.stop() == 0
    first.close()
    return home


@pytest.fixture
def start(tmp_path: Path, initialised: Path, request: pytest.FixtureRequest) -> Iterator[Start]:
    """Starts instances in a home of the test's own, which holds nothing yet where services are given."""
    started: list[Up] = []
    if "given" not in request.fixturenames:
        subprocess.run(["cp", "-a", str(initialised), str(tmp_path / "home")], check=True)

    def begin(**variables: str) -> Up:
        port = {"AUTOLAB_PORT": str(free_port())}
        started.append(Up(tmp_path / "home", **{**port, **variables}))
        return started[-1]

    tmp_path.chmod(0o755)
    yield begin
    for up in reversed(started):
        up.close()
    assert not processes_under(tmp_path)


@pytest.fixture
def given(owner_database_url: str, database_url: str, redis_url: str) -> dict[str, str]:
    return {"DATABASE_URL": database_url, "MIGRATION_DATABASE_URL": owner_database_url, "REDIS_URL": redis_url}


def processes_under(folder: Path) -> list[str]:
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = [*(process.info["cmdline"] or []), process.info["cwd"] or ""]
        if any(str(folder) in word for word in words):
            found.append(" ".join(words))
    return found


def eventually(holds: Callable[[], bool]) -> None:
    wait_until(holds, seconds=20, problem=lambda: AssertionError("it did not come true"))


def answers(url: str) -> bool:
    try:
        with psycopg.connect(plain_url(url), connect_timeout=2) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def pings(url: str) -> bool:
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=2) as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False


def test_it_serves_refuses_a_second_one_and_stops_at_a_signal(start: Start):
    first = start(STAND_IN_IS_DEAF="1", AUTOLAB_WORKER_PROCESSES="2")
    address = first.read_until(r"Open +http://\S+/sign-in/once").split()[-1].removesuffix("/sign-in/once")
    second = start()
    assert second.process.wait(60) == 1
    assert address in second.read_until("already runs")
    marks = read_note(first.home).processes
    assert set(marks) == {"postgres", "valkey", "web", "worker", "worker-2", "auditor", "beat"}
    assert first.stop() == 0
    assert not [name for name, mark in marks.items() if mark.is_alive()]
    assert read_note(first.home) is None


def test_a_part_that_dies_is_started_again(start: Start):
    up = start()
    up.read_until("Open +http")
    for name in ("web", "worker", "auditor", "beat", "valkey", "postgres"):
        old = up.mark(name)
        os.kill(old.pid, signal.SIGKILL)
        eventually(lambda name=name, old=old: up.mark(name) not in {None, old})
    eventually(lambda: answers(up.variable("DATABASE_URL")))
    eventually(lambda: pings(up.variable("REDIS_URL")))
    assert up.stop(signal.SIGINT) == 0


def test_what_a_killed_instance_left_is_cleared_and_its_data_kept(start: Start):
    killed = start()
    killed.read_until("Open +http")
    with psycopg.connect(plain_url(killed.variable("MIGRATION_DATABASE_URL")), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    marks = read_note(killed.home).processes
    killed.process.kill()
    killed.process.wait(5)
    again = start()
    again.read_until("was killed; stopping the 5 processes")
    again.read_until("Open +http")
    assert not [name for name, mark in marks.items() if mark.is_alive()]
    with psycopg.connect(plain_url(again.variable("MIGRATION_DATABASE_URL"))) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
    assert again.stop(signal.SIGHUP) == 0


def test_stale_files_of_a_machine_that_lost_its_power_are_no_obstacle(start: Start):
    first = start()
    first.read_until("Open +http")
    assert first.stop() == 0
    home = first.home
    stale = f"{os.getpid()}\n{home / 'postgres'}\n1\n1\n\n127.0.0.1\n0 0\nready\n"
    (home / "postgres" / "postmaster.pid").write_text(stale, encoding="utf-8")
    dead = {"pid": 999_999_999, "started_at": 1.0}
    note = {"supervisor": dead, "address": "http://127.0.0.1:1", "variables": {}, "processes": {"web": dead}}
    (home / "instance.json").write_text(json.dumps(note), encoding="utf-8")
    again = start()
    again.read_until("Open +http")
    assert again.stop() == 0


def test_a_busy_port_that_was_asked_for_is_refused_in_a_sentence(start: Start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        up = start(AUTOLAB_PORT=str(taken.getsockname()[1]))
        assert up.process.wait(30) == 1
    assert "is busy" in up.read_until("autolab: Port")
    assert "Traceback" not in "".join(up.lines)


def test_a_database_from_the_future_is_refused_in_a_sentence(start: Start, given: dict[str, str]):
    with psycopg.connect(plain_url(given["MIGRATION_DATABASE_URL"]), autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS alembic_version (version_num text)")
        connection.execute("DELETE FROM alembic_version")
        connection.execute("INSERT INTO alembic_version VALUES ('from-the-future')")
    up = start(**given)
    assert up.process.wait(30) == 1
    assert "newer version of this software" in up.read_until("autolab: ")


def test_given_services_are_used_and_none_is_embedded(start: Start, given: dict[str, str]):
    up = start(**given)
    up.read_until("Open +http")
    assert set(read_note(up.home).processes) == {"web", "worker", "auditor", "beat"}
    assert not (up.home / "postgres").exists()
    assert up.stop() == 0


def command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in GIVEN}
    return subprocess.run(
        [sys.executable, "-m", "app.cli.main", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**clean, "AUTOLAB_HOME": str(home)},
        timeout=60,
    )


def test_a_command_uses_the_running_instance_or_services_of_its_own(start: Start):
    up = start()
    address = up.read_until("Open +http").split()[-1].removesuffix("/sign-in/once")
    added = command(up.home, "user", "add", "Ada", "--role", "admin")
    assert added.returncode == 0, added.stderr
    assert f"{address}/sign-in/" in added.stdout
    assert "running at" in command(up.home, "doctor").stdout
    assert up.stop() == 0
    again = command(up.home, "user", "add", "Ada")
    assert again.returncode == 1
    assert "named Ada already" in again.stderr
    assert read_note(up.home) is None
