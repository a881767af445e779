"""Processes of this machine: who they are across restarts, and how they are stopped in time."""

import signal
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import psutil

CLOCK_TOLERANCE = 1.0
"""Seconds by which the start time of one process may be told differently."""


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """A process named so that a recycled process id is not mistaken for it."""

    pid: int
    started_at: float

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """The mark of a living process; None when there is none with that id."""
        try:
            process = psutil.Process(pid)
            return None if process.status() == psutil.STATUS_ZOMBIE else cls(pid, process.create_time())
        except psutil.Error:
            return None

    def is_alive(self) -> bool:
        """Whether that very process still runs."""
        now = ProcessMark.of(self.pid)
        return now is not None and abs(now.started_at - self.started_at) <= CLOCK_TOLERANCE


@dataclass(frozen=True, slots=True)
class Notice:
    """A signal, and the seconds a process has to follow it before the next one is sent."""

    signal: signal.Signals
    patience: float


POLITE = (Notice(signal.SIGTERM, 3.5), Notice(signal.SIGKILL, 1.0))


def stop_child(child: subprocess.Popen[bytes], notices: Sequence[Notice] = POLITE) -> None:
    """Stop a process of our own with each notice in turn, and reap it."""
    stop_children([(child, notices)])


def stop_children(children: Sequence[tuple[subprocess.Popen[bytes], Sequence[Notice]]]) -> None:
    """Stop processes of our own side by side: the time this takes is that of the slowest, not the sum."""
    with ThreadPoolExecutor(max_workers=max(len(children), 1)) as pool:
        for _ in pool.map(lambda pair: follow_up(*pair), children):
            pass


def follow_up(child: subprocess.Popen[bytes], notices: Sequence[Notice]) -> None:
    """Send each notice until the process has ended."""
    for notice in notices:
        if child.poll() is not None:
            return
        child.send_signal(notice.signal)
        try:
            child.wait(notice.patience)
        except subprocess.TimeoutExpired:
            continue


def stop_strangers(marks: Sequence[ProcessMark], notices: Sequence[Notice] = POLITE) -> list[ProcessMark]:
    """Stop, side by side, processes that an earlier instance left; those that survive every notice are given back."""
    with ThreadPoolExecutor(max_workers=max(len(marks), 1)) as pool:
        stopped = list(pool.map(lambda mark: stop_stranger(mark, notices), marks))
    return [mark for mark, gone in zip(marks, stopped, strict=True) if not gone]


def stop_stranger(mark: ProcessMark, notices: Sequence[Notice] = POLITE) -> bool:
    """Stop a process that an earlier instance left; False when it survives every notice."""
    for notice in notices:
        if not mark.is_alive():
            return True
        try:
            process = psutil.Process(mark.pid)
            process.send_signal(notice.signal)
            process.wait(notice.patience)
        except psutil.Error:
            continue
    return not mark.is_alive()
