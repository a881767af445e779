"""What is made of a frozen thing is made once: remembered by the very object for as long as it is kept."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_MEMORIES: list[dict[int, Any]] = []


def forget_all() -> None:
    """Forget everything, so that what is made next is made anew."""
    for known in _MEMORIES:
        known.clear()


def once_each(most: int) -> Callable[[Callable[[T], R]], Callable[[T], R]]:
    """Remember what a pure function of one frozen object gives, for ``most`` objects at most.

    An object is known by its identity: to hash a document would cost more than what is saved. It is kept beside what
    was made of it, so that no other object can take its identity meanwhile. When there are too many, all are forgotten.
    """

    def remembering(make: Callable[[T], R]) -> Callable[[T], R]:
        known: dict[int, tuple[T, R]] = {}
        _MEMORIES.append(known)

        @wraps(make)
        def made(one: T) -> R:
            found = known.get(id(one))
            if found is None:
                if len(known) >= most:
                    known.clear()
                found = known[id(one)] = (one, make(one))
            return found[1]

        return made

    return remembering
