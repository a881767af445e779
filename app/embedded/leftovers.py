"""What a killed instance left behind: servers that still run, and files that say they do."""

import signal
from pathlib import Path

import psutil

from app.embedded.problems import ServiceProblem
from app.embedded.processes import Notice, ProcessMark, stop_stranger
from app.embedded.waiting import wait_until

FAST = (Notice(signal.SIGINT, 5.0), Notice(signal.SIGQUIT, 2.0), Notice(signal.SIGKILL, 2.0))


def clear_postgres(data: Path) -> None:
    """Stop a PostgreSQL that still serves `data` without a supervisor, and remove its stale lock.

    Raises ServiceProblem when the old server cannot be stopped (it belongs to somebody else).
    """
    lock = data / "postmaster.pid"
    if lock.exists():
        server = server_of(lock)
        if server is not None and not stop_stranger(server, FAST):
            raise ServiceProblem(f"A PostgreSQL (process {server.pid}) still uses {data}. Stop it, then start again.")
        lock.unlink(missing_ok=True)
    still = lambda: ServiceProblem(f"Processes of an earlier PostgreSQL still use {data}. Stop them, then start again.")  # noqa: E731
    wait_until(lambda: not backends_of(data), seconds=10, problem=still)


def server_of(lock: Path) -> ProcessMark | None:
    """The server that wrote the lock file, if it is alive and really a PostgreSQL of this folder."""
    first = lock.read_text(encoding="utf-8", errors="replace").splitlines()[:1]
    if not first or not first[0].isdigit():
        return None
    mark = ProcessMark.of(int(first[0]))
    return mark if mark is not None and works_in(mark.pid, lock.parent) else None


def works_in(pid: int, folder: Path) -> bool:
    """Whether the process is a PostgreSQL whose working folder this is (servers and their children change into it)."""
    try:
        process = psutil.Process(pid)
        return process.name().startswith("postgres") and Path(process.cwd()) == folder.resolve()
    except psutil.Error:
        return False


def backends_of(data: Path) -> list[int]:
    """Processes of a killed server that still hold its shared memory; they end by themselves within seconds."""
    if not data.exists():
        return []
    return [process.pid for process in psutil.process_iter(["name"]) if works_in(process.pid, data)]
