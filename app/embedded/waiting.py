"""Waiting for a condition of the outside world, with an end."""

import time
from collections.abc import Callable

FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.25


def wait_until(holds: Callable[[], bool], *, seconds: float, problem: Callable[[], Exception]) -> None:
    """Ask again and again until `holds` is true; raise `problem()` when it still is not after `seconds`."""
    end, pause = time.monotonic() + seconds, FIRST_PAUSE
    while not holds():
        if time.monotonic() >= end:
            raise problem()
        time.sleep(pause)  # noqa: TID251 - the supervisor waits for processes, which cannot be awaited in the database
        pause = min(2 * pause, LONGEST_PAUSE)
