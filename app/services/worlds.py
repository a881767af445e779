"""Which world a study is set in: the record's, or a fictional history that its schedule names by its seed."""

import re
from functools import lru_cache

from app.domain.engine.material import Library
from app.domain.protocol.eras import Schedule
from app.domain.protocol.fictional import fictional_layers, fictional_schedule
from app.domain.protocol.rubrics import RubricId
from app.domain.world.histories.facts import History
from app.domain.world.histories.generator import VERSION, VERSIONS, invent_history
from app.domain.world.histories.names import Taken
from app.library import reader
from app.library.reader import UnknownScheduleError

FICTIONAL = re.compile(r"fictional(?:-(?P<version>\d+))?-(?P<seed>\d{1,9})")
"""A fictional schedule's name: its seed, with or without the generator's version before it."""


class WorldChangedError(ValueError):
    """The fictional world of a design can no longer be made: the generator's version is another."""


@lru_cache(maxsize=1)
def library() -> Library:
    """The protocol's data with the world record, loaded once a process."""
    return Library(
        layers=reader.layers(),
        roster=reader.roster(),
        rubrics={rubric: reader.rubric(rubric) for rubric in RubricId},
        events=reader.events(),
    )


def library_of(schedule: Schedule) -> Library:
    """The data that runs on a schedule are made from: the same, with the events and layers of its own world.

    Raises WorldChangedError for a fictional schedule that this version of the generator does not make.
    """
    if not schedule.is_fictional:
        return _with_added(schedule) if schedule.events else library()
    return _fictional(schedule)


def find_schedule(name: str) -> Schedule:
    """The library's schedule of that id, or the fictional one that a name such as ``fictional-7`` asks for.

    Raises UnknownScheduleError.
    """
    named = FICTIONAL.fullmatch(name)
    if named is None:
        return reader.schedule(name)
    if named["version"] not in {None, *VERSIONS}:
        raise UnknownScheduleError(f"schedule {name!r}: worlds are of version {' or '.join(VERSIONS)}")
    return fictional_schedule(fictional_world(int(named["seed"]), named["version"] or VERSION))


@lru_cache(maxsize=32)
def fictional_world(seed: int, version: str = VERSION) -> History:
    """The world of a seed, with no name that the record or the dictionary holds. ``version`` is one of VERSIONS."""
    return invent_history(seed, _taken(), version=version)


def world_of(schedule: Schedule) -> History:
    """The world of a fictional schedule. Raises WorldChangedError if this version of the generator makes another."""
    named = FICTIONAL.fullmatch(schedule.id)
    version = (named["version"] or VERSION) if named else ""
    world = fictional_world(int(named["seed"]), version) if named and version in VERSIONS else None
    if world is None or fictional_schedule(world) != schedule:
        raise WorldChangedError(
            f"schedule {schedule.id}: this version of the software makes another world from that seed; "
            "run the study with the version that launched it"
        )
    return world


@lru_cache(maxsize=1)
def _taken() -> Taken:
    return Taken.of(reader.first_use(), reader.events())


@lru_cache(maxsize=32)
def _with_added(schedule: Schedule) -> Library:
    """The record with the events that were added for this schedule's post-cutoff eras."""
    real = library()
    return Library(real.layers, real.roster, real.rubrics, (*real.events, *schedule.events))


@lru_cache(maxsize=32)
def _fictional(schedule: Schedule) -> Library:
    world, real = world_of(schedule), library()
    return Library(fictional_layers(world), real.roster, real.rubrics, world.events)


__all__ = ["UnknownScheduleError", "fictional_world", "find_schedule", "library", "library_of", "world_of"]
