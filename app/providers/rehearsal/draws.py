"""Seeded choices: the same words for the same seed, whatever else runs."""

import random
from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

Thing = TypeVar("Thing")


class Draws:
    """A stream of choices that depends on its seed parts alone."""

    def __init__(self, *parts: str) -> None:
        digest = sha256("\x1f".join(parts).encode("utf-8", "replace")).digest()
        self._random = random.Random(int.from_bytes(digest[:16], "big"))

    def one(self, things: Sequence[Thing]) -> Thing:
        """One of a non-empty sequence."""
        return things[self._random.randrange(len(things))]

    def some(self, things: Sequence[Thing], count: int) -> list[Thing]:
        """Up to ``count`` different ones, in drawn order."""
        return self._random.sample(things, min(count, len(things)))

    def weighted(self, things: Sequence[Thing], weights: Sequence[float]) -> Thing:
        """One of a non-empty sequence; weights are positive."""
        return self._random.choices(things, weights)[0]

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self._random.random() < probability

    def between(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both possible."""
        return self._random.randint(low, high)

    def around(self, centre: float, spread: float) -> float:
        """A normal draw."""
        return self._random.gauss(centre, spread)
