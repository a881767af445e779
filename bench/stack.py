"""The whole stack for a benchmark: embedded Postgres and Valkey, a provider server and workers, each a process."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import psycopg

from app.domain.protocol.eras import Era, Mode, Schedule
from app.embedded.home import prepare_home
from app.embedded.passwords import load_passwords
from app.embedded.postgres import Postgres
from app.embedded.programs import command_of, placed, worker_names
from app.embedded.roles import APPLICATION, OWNER
from app.embedded.schema import upgrade_schema
from app.embedded.valkey import Valkey
from app.settings import Settings

ROOT = Path(__file__).parents[1]
MODELS = """
[[models]]
name = "local/player"
provider = "openai_compatible"
family = "players"
endpoint = "{url}"
wire_model = "player"

[[models]]
name = "local/judge"
provider = "openai_compatible"
family = "judges"
endpoint = "{url}"
wire_model = "judge"
"""


@contextlib.contextmanager
def services(home: Path) -> Iterator[dict[str, str]]:
    """Postgres with its usual durability, and Valkey; gives the environment that leads to them."""
    prepare_home(home)
    passwords = load_passwords(home)
    postgres, valkey = Postgres(home, passwords), Valkey(home, passwords.broker)
    postgres.start()
    valkey.start()
    try:
        upgrade_schema(postgres.url(OWNER), APPLICATION)
        yield {
            "AUTOLAB_HOME": str(home),
            "DATABASE_URL": postgres.url(APPLICATION),
            "REDIS_URL": valkey.url(),
            "AUTOLAB_LOG_LEVEL": "WARNING",
        }
    finally:
        valkey.stop()
        postgres.stop()


@contextlib.contextmanager
def process(
    arguments: list[str], variables: dict[str, str], program: str = sys.executable
) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the project's for the length of the block."""
    child = subprocess.Popen([program, *arguments], cwd=ROOT, env={**os.environ, **variables})
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def worker_arguments(threads: int, name: str = "bench") -> list[str]:
    """The command line of a worker for steps."""
    takes = ["--queues", "steps"]
    pool = ["--pool", "threads", "--concurrency", str(threads)]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
    return ["-m", "celery", "--quiet", "-A", "workers.main", "worker", "-n", f"{name}@localhost", *takes, *pool, *quiet]


@contextlib.contextmanager
def workers(variables: dict[str, str], count: int | None = None) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Workers for steps and the one for audits behind them, as `up` starts them; gives those for steps."""
    settings = Settings(worker_processes=count or Settings().worker_processes)
    with contextlib.ExitStack() as stack:
        names = ("auditor", *worker_names(settings))
        lines = {name: [*placed(name, settings), *command_of(name, settings)] for name in names}
        started = {name: stack.enter_context(process(line[1:], variables, line[0])) for name, line in lines.items()}
        yield [started[name] for name in worker_names(settings)]


@contextlib.contextmanager
def provider(latency: float, variables: dict[str, str]) -> Iterator[str]:
    """The fake provider in a process of its own; gives its base URL."""
    code = (
        "import asyncio,sys\n"
        "from app.providers.fake_server import FakeProvider\n"
        "async def main():\n"
        "    provider = FakeProvider(latency=float(sys.argv[1]))\n"
        "    server = await provider.start(0)\n"
        "    print(provider.base_url, flush=True)\n"
        "    await server.serve_forever()\n"
        "asyncio.run(main())\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(latency)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        yield child.stdout.readline().strip()
    finally:
        child.kill()
        child.wait()


def chain_schedule(eras: int) -> Schedule:
    """A schedule of short training eras between 1990 and 2026: two calls an era for a single founder."""
    months = 432 // eras
    starts = [date(1990 + number * months // 12, number * months % 12 + 1, 1) for number in range(eras + 1)]
    listed = tuple(
        Era(id=f"C{number + 1}", start=start, end=end, mode=Mode.TRAINING)
        for number, (start, end) in enumerate(pairwise(starts))
    )
    return Schedule(id=f"chain-{eras}", title="A chain", eras=listed)


def wait_for(study_id: UUID, limit: float) -> float:
    """Seconds until every run of a study is finished, by this process's clock; AssertionError past ``limit``."""
    from app.services.progress import study_progress  # noqa: PLC0415 - the database's address is set by now
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above

    began = time.perf_counter()
    left = "SELECT count(*) FROM runs WHERE study_id = %s AND state <> 'finished'"
    with psycopg.connect(_plain(os.environ["DATABASE_URL"]), autocommit=True) as watch:  # looking must cost little
        while watch.execute(left, (study_id,)).fetchone() != (0,):
            if time.perf_counter() - began > limit:
                with reading() as look:
                    progress = study_progress(look, study_id)
                raise AssertionError(f"not finished after {limit} s: {progress}")
            time.sleep(0.02)
        return time.perf_counter() - began


def wait_for_audits(limit: float = 180) -> None:
    """Until every finished run is audited: audits of the round before would share the processors with what is timed."""
    from app.services.audits import current_versions  # noqa: PLC0415 - as above
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above

    over = time.perf_counter() + limit
    while time.perf_counter() < over:
        with reading() as look:
            if not look.findings.owed(current_versions(), limit=1):
                return
        time.sleep(0.5)


def _plain(url: str) -> str:
    """An address without SQLAlchemy's name of the driver."""
    return url.replace("+psycopg", "", 1)


def temporary_home() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes with the benchmark."""
    return tempfile.TemporaryDirectory(prefix="autolab-bench-")


def resident_megabytes(pid: int) -> float:
    """Memory a process holds now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
