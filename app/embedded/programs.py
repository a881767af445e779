"""The command lines of the programs, for the supervisor and for `./autolab web|worker|beat` alike."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.embedded.supervisor import Part
from app.jobs import Queue
from app.settings import ROOT, Settings, part_environment

LARGEST_LOG = 20_000_000
"""Bytes after which a log is put aside when its part starts."""


def command_of(name: str, settings: Settings) -> list[str]:
    """The command line of `web`, `worker` (for steps; `worker-2` and so on beside it), `auditor` or `beat`."""
    if name.startswith("worker"):
        return worker_command(settings, (Queue.STEPS,), name)
    arguments = {"web": web, "auditor": auditor, "beat": beat}[name](settings)
    return [*(YIELDING if name == "auditor" else ()), sys.executable, "-m", *arguments]


def names_of(settings: Settings) -> tuple[str, ...]:
    """The programs that `up` keeps running."""
    return ("web", *worker_names(settings), "auditor", "beat")


def worker_names(settings: Settings) -> tuple[str, ...]:
    """The workers for steps among them."""
    return ("worker", *(f"worker-{number}" for number in range(2, settings.worker_processes + 1)))


def worker_command(settings: Settings, queues: Sequence[Queue], name: str = "worker") -> list[str]:
    """The command line of a worker that takes from some queues; one that only audits leaves the others their time."""
    if list(queues) == [Queue.AUDITS]:
        return command_of("auditor", settings)
    return [sys.executable, "-m", *_celery_worker(settings, name, queues, settings.worker_threads)]


def web(settings: Settings) -> list[str]:
    """The web server; pages that stay open are cut after two seconds when it stops."""
    listen = ["--host", settings.host, "--port", str(settings.port)]
    proxy = ["--proxy-headers", "--forwarded-allow-ips", settings.trusted_proxies]
    return ["uvicorn", "app.main:create_app", "--factory", *listen, *proxy, "--no-access-log", *GRACE]


def auditor(settings: Settings) -> list[str]:
    """A worker that audits, one run at a time: it computes, and more threads would not compute more."""
    return _celery_worker(settings, "auditor", (Queue.AUDITS,), 1)


def _celery_worker(settings: Settings, part: str, queues: Sequence[Queue], threads: int) -> list[str]:
    """Threads hold many model calls at once."""
    name = f"{part}-{os.getpid()}-{settings.port}@{socket.gethostname()}"
    takes = ["--queues", ",".join(queues), "--pool", "threads", "--concurrency", str(threads)]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel", settings.log_level]
    return ["celery", "--quiet", "-A", "workers.main", "worker", "-n", name, *takes, *quiet]


def beat(settings: Settings) -> list[str]:
    """The clock of the upkeep; it keeps when it last rang under the home folder."""
    files = ["--schedule", str(settings.home / "beat" / "schedule"), "--pidfile="]
    return ["celery", "--quiet", "-A", "workers.main", "beat", *files, "--loglevel", settings.log_level]


def placed(name: str, settings: Settings) -> tuple[str, ...]:
    """Before the command line of one of several workers for steps: which processor is its own. Nothing for others."""
    if name not in worker_names(settings) or settings.worker_processes == 1 or settings.processor is not None:
        return ()
    return ("/usr/bin/env", f"AUTOLAB_PROCESSOR={worker_names(settings).index(name)}")


YIELDING = ("/usr/bin/env", "nice", "-n", "10")
"""Before a command line: what computes in the background yields to what people and providers wait for."""

GRACE = ("--timeout-graceful-shutdown", "2")


def program_part(name: str, command: list[str], home: Path, variables: Mapping[str, str]) -> Part:
    """A supervised program that writes to its own log and is told where its services are by its environment."""
    log = home / "logs" / f"{name}.log"
    environment = part_environment({**variables, "PYTHONUNBUFFERED": "1"})

    def spawn() -> subprocess.Popen[bytes]:
        put_aside(log)
        with log.open("ab") as lines:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=lines,
                stderr=lines,
                cwd=ROOT,
                env=environment,
                start_new_session=True,
            )

    return Part(name, spawn, log=str(log))


def put_aside(log: Path) -> None:
    """Begin a new log when the old one is long; one older log is kept."""
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
