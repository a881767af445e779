"""Upkeep on beat's timetable."""

from celery import Celery

from app.services import upkeep

SWEEP = "upkeep.sweep"
TIDY = "upkeep.tidy"


def register(celery: Celery) -> None:
    """Make the tasks of upkeep known."""

    @celery.task(name=SWEEP)  # type: ignore[untyped-decorator]
    def sweep() -> None:
        upkeep.sweep()

    @celery.task(name=TIDY)  # type: ignore[untyped-decorator]
    def tidy() -> None:
        upkeep.tidy()
