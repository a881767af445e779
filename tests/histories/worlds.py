"""Worlds that several tests read, made once a process."""

from functools import lru_cache

from app.domain.world.histories.facts import History
from app.domain.world.histories.generator import invent_history
from app.domain.world.histories.names import Taken
from app.library import reader


@lru_cache(maxsize=1)
def taken() -> Taken:
    return Taken.of(reader.first_use(), reader.events())


@lru_cache(maxsize=64)
def world(seed: int, eras: int = 6) -> History:
    return invent_history(seed, taken(), eras=eras)
