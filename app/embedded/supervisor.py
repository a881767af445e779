"""Keeps the parts of an instance running: restarts one that dies, and stops them all in time."""

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from app.embedded.problems import ServiceProblem
from app.embedded.processes import POLITE, Notice, ProcessMark, stop_children

ROUND = 0.2
"""Seconds between two looks at the parts."""
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
STEADY = 60.0
"""Seconds after which a part counts as running well, so that its next end begins with the first delay again."""


@dataclass(frozen=True, slots=True)
class Part:
    """A process of the instance: how it is started, how it is asked to stop, and in which round of the stop."""

    name: str
    spawn: Callable[[], subprocess.Popen[bytes]]
    notices: Sequence[Notice] = POLITE
    is_service: bool = False
    log: str = ""


@dataclass(slots=True)
class Running:
    """What the supervisor knows of a part."""

    part: Part
    child: subprocess.Popen[bytes] | None
    since: float
    delay: float = FIRST_DELAY
    due_at: float | None = None


@dataclass(slots=True)
class Supervisor:
    """Starts parts, watches them, and stops them: programs first, then their services.

    `tell` gets a sentence for the terminal; `note` gets the marks of all living processes after every change, so that
    a later instance finds them should this one be killed.
    """

    tell: Callable[[str], None]
    note: Callable[[Mapping[str, ProcessMark]], None]
    running: dict[str, Running] = field(default_factory=dict)

    def start(self, part: Part) -> subprocess.Popen[bytes]:
        """Start a part and watch it from now on."""
        child = part.spawn()
        self.adopt(part, child)
        return child

    def adopt(self, part: Part, child: subprocess.Popen[bytes]) -> None:
        """Watch a part that has just been started."""
        self.running[part.name] = Running(part, child, time.monotonic())
        self.note(self.marks())

    def watch(self, ended: Callable[[], bool]) -> None:
        """Look after the parts until `ended` says so."""
        while not ended():
            self.tend()
            time.sleep(ROUND)  # noqa: TID251 - signal handlers set a flag: an Event's lock could be theirs already

    def tend(self) -> None:
        """Note the parts that have ended, and start those whose delay is over."""
        for state in self.running.values():
            if state.due_at is None and (state.child is None or state.child.poll() is not None):
                self._schedule(state)
            elif state.due_at is not None and time.monotonic() >= state.due_at:
                self._restart(state)

    def stop(self) -> None:
        """Stop every part, at the latest with SIGKILL."""
        for services in (False, True):
            chosen = [state for state in self.running.values() if state.part.is_service is services]
            stop_children([(state.child, state.part.notices) for state in chosen if state.child is not None])
        self.running.clear()
        self.note({})

    def marks(self) -> dict[str, ProcessMark]:
        """The marks of the living processes, by the name of their part."""
        living = {name: state.child.pid for name, state in self.running.items() if state.child is not None}
        return {name: mark for name, pid in living.items() if (mark := ProcessMark.of(pid)) is not None}

    def _schedule(self, state: Running) -> None:
        now = time.monotonic()
        state.delay = FIRST_DELAY if now - state.since >= STEADY else state.delay
        state.due_at = now + state.delay
        code = "" if state.child is None else f" with code {state.child.returncode}"
        log = f" Its log: {state.part.log}" if state.part.log else ""
        self.tell(f"{state.part.name} ended{code}; it starts again in {state.delay:g} s.{log}")
        state.delay = min(2 * state.delay, LONGEST_DELAY)

    def _restart(self, state: Running) -> None:
        state.due_at, state.since, state.child = None, time.monotonic(), None
        try:
            state.child = state.part.spawn()
        except (ServiceProblem, OSError) as problem:
            self.tell(str(problem))
        self.note(self.marks())
