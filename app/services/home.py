"""Home: what runs now, what needs an operator, the panels that raters work on, and the last studies."""

from dataclasses import dataclass

from app.services.pauses import PausedAccount, pauses
from app.services.unit_of_work import Reading
from app.storage.overviews import StuckStep, StudySums

SHOWN = 8
STUCK_SHOWN = 10


@dataclass(frozen=True, slots=True)
class HomeView:
    """The home page; ``stuck_count`` may be more than the steps shown.

    ``last_studies`` leaves out those that run.
    """

    is_empty: bool
    open_studies: tuple[StudySums, ...]
    last_studies: tuple[StudySums, ...]
    stuck: tuple[StuckStep, ...]
    stuck_count: int
    paused: tuple[PausedAccount, ...]
    open_panels: int


def show_home(reading: Reading) -> HomeView:
    """Everything the home page says."""
    last = reading.overviews.studies(limit=SHOWN)
    at_work = reading.overviews.studies(limit=SHOWN, only_open=True)
    shown = {study.id for study in at_work}
    stuck = reading.overviews.stuck(limit=STUCK_SHOWN)
    return HomeView(
        is_empty=not last,
        open_studies=at_work,
        last_studies=tuple(study for study in last if study.id not in shown),
        stuck=stuck,
        stuck_count=len(stuck) if len(stuck) < STUCK_SHOWN else reading.overviews.count_stuck(),
        paused=pauses(reading),
        open_panels=reading.panels.count_open(),
    )
