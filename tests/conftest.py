"""Services for the tests: a PostgreSQL per session, an empty migrated database per test, a Valkey per process."""

import fcntl
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest
import redis
from hypothesis import settings

from app.domain.once import forget_all
from app.embedded.home import prepare_home
from app.embedded.leftovers import clear_postgres
from app.embedded.passwords import load_passwords
from app.embedded.postgres import Postgres
from app.embedded.processes import ProcessMark, stop_strangers
from app.embedded.roles import APPLICATION, OWNER, create_database
from app.embedded.schema import MIGRATIONS, upgrade_schema
from app.embedded.valkey import Valkey
from tests.databases import TEMPLATE, Databases
from tests.dealing import Dealing

HOME = "AUTOLAB_TEST_HOME"
settings.register_profile("suite", deadline=None)  # no test fails for being slow on a busy machine
settings.load_profile("suite")

UNTRACED = {"deployment", "e2e", "embedded", "migrations"}
RUNNING = {"postgres", "valkey"}
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "300"}


def pytest_configure(config: pytest.Config) -> None:
    """The controlling process names the folder; its xdist workers inherit the name."""
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # begun in a shell's background: programs would be deaf to Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        sweep_killed_sessions()
        os.environ[HOME] = tempfile.mkdtemp(prefix=f"autolab-tests-{os.getpid()}-")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Set what is loaded aside from the search for garbage: it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Dealing | None:
    return Dealing(config, log) if config.getvalue("dist") == "load" else None


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput") and HOME in os.environ:
        remove_session(Path(os.environ.pop(HOME)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole programs and services are not traced: tests of the domain alone cover it, and tracing takes time."""
    for item in items:
        if item.path.parent.name in UNTRACED or not RUNNING.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.untraced)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Take coverage's tracer off; pytest-cov's ``no_cover`` leaves one of the two it has in a process of xdist."""
    if not item.get_closest_marker("untraced"):
        return (yield)
    here, in_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        forget_all()  # what is made once is made again where it is traced
        sys.settrace(here)
        threading.settrace(in_threads)


def sweep_killed_sessions() -> None:
    """Stop the servers of test sessions that were killed before they could do it."""
    for home in Path(tempfile.gettempdir()).glob("autolab-tests-*-*"):
        if not psutil.pid_exists(int(home.name.split("-")[2])):
            remove_session(home)


def remove_session(home: Path) -> None:
    clear_postgres(home / "postgres")
    stop_strangers([ProcessMark(**json.loads(note.read_text(encoding="utf-8"))) for note in home.glob("valkey-*.json")])
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Postgres:
    """The session's server: the first process that asks starts it, the controlling one stops it at the end."""
    home = prepare_home(Path(os.environ[HOME]))
    server = Postgres(home, load_passwords_once(home), FAST)
    note = home / "port.json"
    with (home / "starting.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if note.exists():
            server.port = json.loads(note.read_text(encoding="utf-8"))
            return server
        server.start()
        server.child.returncode = 0  # it outlives this process: pytest_unconfigure stops it
        make_template(server)
        note.write_text(json.dumps(server.port), encoding="utf-8")
    return server


def load_passwords_once(home: Path):
    with (home / "passwords.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return load_passwords(home)


def make_template(server: Postgres) -> None:
    with server.connect() as connection:
        create_database(connection, TEMPLATE)
    if (MIGRATIONS / "env.py").exists():
        upgrade_schema(server.url(OWNER, TEMPLATE), APPLICATION)


@pytest.fixture(scope="session")
def databases(postgres: Postgres) -> Databases:
    """The databases of this process; they end with the session's server."""
    return Databases(postgres, f"test_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")


@pytest.fixture
def database_name(databases: Databases, request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty, migrated database that only this test sees; for a test that asks for its owner, a new one."""
    if "owner_database_url" in request.fixturenames:
        name = databases.make()
        yield name
        databases.drop(name)
    else:
        name = databases.lend()
        yield name
        databases.give_back(name)


@pytest.fixture
def database_url(postgres: Postgres, database_name: str) -> str:
    """The address of the test's database for the application's role, as SQLAlchemy reads it."""
    return postgres.url(APPLICATION, database_name)


@pytest.fixture
def owner_database_url(postgres: Postgres, databases: Databases, database_name: str) -> str:
    """The address of the same database for the role that owns and migrates it; named by the test or its fixtures."""
    assert database_name not in databases.lent, "the owner of a lent database could change what outlasts the test"
    return postgres.url(OWNER, database_name)


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """A Valkey for this process alone: published messages know no database numbers."""
    home = prepare_home(Path(os.environ[HOME]))
    server = Valkey(home, "of-no-importance")
    server.start()
    mark = ProcessMark.of(server.child.pid)
    note = home / f"valkey-{server.port}.json"
    note.write_text(json.dumps(asdict(mark)), encoding="utf-8")
    yield server
    server.stop()
    note.unlink()


@pytest.fixture
def redis_url(valkey: Valkey) -> str:
    """The address of an empty Valkey that no other process uses."""
    with redis.Redis.from_url(valkey.url()) as client:
        client.flushall()
    return valkey.url()
