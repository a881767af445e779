"""The whole software as a person starts it, and a browser in front of it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue

import pytest

from app.cli.chromium import FLAGS, find_chromium

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(http://[^/\s]+)(/sign-in/\S+)")
START_SECONDS = 180
PACE = "0.6"


@dataclass(frozen=True)
class Instance:
    """A running instance: its address, and its command line."""

    address: str
    first_link: str
    environment: dict[str, str]

    def command(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli.main", *words],
            cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        return done.stdout

    def link(self, name: str = "admin") -> str:
        found = LINK.search(self.command("user", "link", name))
        assert found
        return found.group(0)


@pytest.fixture(scope="session")
def instance() -> Iterator[Instance]:
    """An instance that tests share."""
    with started() as running:
        yield running


@pytest.fixture
def fresh_instance() -> Iterator[Instance]:
    """An instance in which nothing was launched yet."""
    with started() as running:
        yield running


@contextmanager
def started(variables: Mapping[str, str] | None = None) -> Iterator[Instance]:
    """What `./autolab up` starts, on a free port and in a folder of its own, with further variables."""
    home = Path(tempfile.mkdtemp(prefix="autolab-e2e-"))
    given = ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL")
    environment = {name: value for name, value in os.environ.items() if name not in given}
    environment |= {
        "AUTOLAB_WORKER_PROCESSES": "1",
        "AUTOLAB_HOME": str(home),
        "AUTOLAB_REHEARSAL_PACE": PACE,
        "PYTHONUNBUFFERED": "1",
        **(variables or {}),
    }
    command = [sys.executable, "-m", "app.cli.main", "up", "--port", str(free_port())]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        address, path = wait_for_link(process)
        yield Instance(address, address + path, environment)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        process.stdout.close()
        shutil.rmtree(home, ignore_errors=True)


def wait_for_link(process: subprocess.Popen[str]) -> tuple[str, str]:
    """The address and the path of the link it prints; fails with all it said if none comes."""
    lines: Queue[str] = Queue()
    threading.Thread(target=lambda: [lines.put(line) for line in process.stdout], daemon=True).start()
    said = ""
    try:
        while not (found := LINK.search(said)):
            said += lines.get(timeout=START_SECONDS)
    except Empty:
        pytest.fail(f"no link within {START_SECONDS} s; it said: {said}")
    return found.group(1), found.group(2)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def base_url() -> str:
    """Takes the place of a plugin's fixture, of which newer versions of pytest warn; tests give whole addresses."""
    return ""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    """The Chromium that is there, with the flags it needs in a container."""
    path = find_chromium()
    assert path, "There is no Chromium. Install one, or set AUTOLAB_CHROMIUM to its path."
    return {**browser_type_launch_args, "executable_path": path, "args": list(FLAGS)}
