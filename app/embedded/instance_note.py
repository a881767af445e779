"""The note of a running instance: who holds the folder, where it serves, and which processes belong to it."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from app.embedded.passwords import write_private
from app.embedded.problems import ServiceProblem
from app.embedded.processes import ProcessMark

NOTE = "instance.json"


@dataclass(frozen=True, slots=True)
class InstanceNote:
    """What another process needs in order to use the instance, or to clear up after it."""

    supervisor: ProcessMark
    address: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    processes: Mapping[str, ProcessMark] = field(default_factory=dict)

    def write(self, home: Path) -> None:
        """Keep the note in `home`, readable by its owner only: the variables hold passwords."""
        write_private(home / NOTE, json.dumps(asdict(self), indent=1))


def read_note(home: Path) -> InstanceNote | None:
    """The note in `home`; None when there is none or it is damaged, which a kill in the middle cannot cause."""
    try:
        raw = json.loads((home / NOTE).read_text(encoding="utf-8"))
        marks = {name: ProcessMark(**mark) for name, mark in raw["processes"].items()}
        return InstanceNote(ProcessMark(**raw["supervisor"]), raw["address"], raw["variables"], marks)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def running_instance(home: Path) -> InstanceNote | None:
    """The note of an instance that runs in `home` now and has said where it serves."""
    note = read_note(home)
    return note if note is not None and note.address and note.supervisor.is_alive() else None


@contextlib.contextmanager
def hold(home: Path) -> Iterator[None]:
    """Hold the folder: no second instance can run in it; the system gives it back should this process be killed.

    Raises ServiceProblem with the address of the instance that holds it.
    """
    with (home / "instance.lock").open("a+") as lock:
        os.fchmod(lock.fileno(), 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ServiceProblem(busy_message(home)) from None
        try:
            yield
        finally:
            (home / NOTE).unlink(missing_ok=True)


def busy_message(home: Path) -> str:
    """What to say to the second instance."""
    note = running_instance(home)
    if note is None:
        return f"Another autolab is starting or stopping in {home}. Wait a moment, then try again."
    return (
        f"Autolab already runs at {note.address} (process {note.supervisor.pid}). "
        f"Stop it there with Ctrl-C, or with: kill {note.supervisor.pid}"
    )


def own_mark() -> ProcessMark:
    """The mark of this process."""
    mark = ProcessMark.of(os.getpid())
    assert mark is not None
    return mark
