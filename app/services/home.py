"""Home: what runs now, what needs an operator, the panels that raters work on, and the last studies."""

from dataclasses import dataclass

from app.services.pauses import PausedAccount, pauses
from app.services.unit_of_work import Reading
from app.storage.overviews import StuckStep, StudySums

SHOWN = 8
STUCK_SHOWN = 10


@dataclass(frozen=True, slots=True)
class HomeView:
    """The home page; ``stuck_count`` may be more than the steps shown."""

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
    stuck = reading.overviews.stuck(limit=STUCK_SHOWN)
    return HomeView(
        is_empty=not last,
        open_studies=reading.overviews.studies(limit=SHOWN, only_open=True),
        last_studies=last,
        stuck=stuck,
        stuck_count=len(stuck) if len(stuck) < STUCK_SHOWN else reading.overviews.count_stuck(),
        paused=pauses(reading),
        open_panels=reading.panels.count_open(),
    )
