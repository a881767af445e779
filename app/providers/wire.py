"""What a call may use of the line to an endpoint: connect, read and total deadlines, and a limit on size."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

MAX_RESPONSE_BYTES = 5 * 1024 * 1024
HEADER_ALLOWANCE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds: to connect, between two pieces of an answer, and for everything together."""

    connect: float = 10.0
    read: float = 300.0
    total: float = 600.0


def deadlines_of(total: float) -> Deadlines:
    """Deadlines for a call of so many seconds: silence may last half of them."""
    return Deadlines(connect=min(Deadlines().connect, total), read=total / 2, total=total)


class ResponseTooLargeError(Exception):
    """An answer grew beyond the limit and was cut off."""


@dataclass(slots=True)
class Allowance:
    """What one call may still use; counted down by whichever connection serves it."""

    ends_at: float
    bytes_left: int
    clock: Callable[[], float]

    def seconds_left(self) -> float:
        """Seconds until the total deadline, negative after it."""
        return self.ends_at - self.clock()


_ALLOWANCE: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def allowance(seconds: float, clock: Callable[[], float], size: int = MAX_RESPONSE_BYTES) -> Iterator[Allowance]:
    """Bound everything this thread sends and receives inside the block."""
    bound = Allowance(ends_at=clock() + seconds, bytes_left=size + HEADER_ALLOWANCE, clock=clock)
    token = _ALLOWANCE.set(bound)
    try:
        yield bound
    finally:
        _ALLOWANCE.reset(token)


def seconds_left(most: float) -> float:
    """How long to wait now: ``most``, or what is left of the call. Raises TimeoutError once nothing is."""
    bound = _ALLOWANCE.get()
    if bound is None:
        return most
    left = bound.seconds_left()
    if left <= 0:
        raise TimeoutError("the total deadline has passed")
    return min(most, left)


def take_bytes(size: int) -> None:
    """Count what came. Raises ResponseTooLargeError beyond what the call may receive."""
    bound = _ALLOWANCE.get()
    if bound is None:
        return
    bound.bytes_left -= size
    if bound.bytes_left < 0:
        raise ResponseTooLargeError
