"""What was computed from a study as it stood, kept in this process until the study stands otherwise."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """One value for each key, with the state it was computed in; the oldest goes when there are too many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Hashable, tuple[object, Value]] = {}

    def get(self, key: Hashable, state: object, compute: Callable[[], Value]) -> Value:
        """The value that was computed in this state, or a new one in the place of what was kept."""
        kept = self._kept.get(key)
        if kept is not None and kept[0] == state:
            return kept[1]
        found = compute()
        self._kept.pop(key, None)
        for oldest in list(self._kept)[: max(0, len(self._kept) - self._most + 1)]:
            self._kept.pop(oldest, None)
        self._kept[key] = state, found
        return found
