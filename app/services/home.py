"""Home: what runs now, what needs an operator, the panels that raters work on, and the last studies."""

from dataclasses import dataclass

from app.domain.ids import RunId
from app.services.pauses import PausedAccount, pauses
from app.services.unit_of_work import Reading
from app.storage.overviews import StuckStep, StudySums

SHOWN = 8
STUCK_SHOWN = 10


@dataclass(frozen=True, slots=True)
class StuckRun:
    """Steps of one run that need an operator for the same reason, the longest waiting first."""

    steps: tuple[StuckStep, ...]

    @property
    def first(self) -> StuckStep:
        """The step that has waited longest."""
        return self.steps[0]


@dataclass(frozen=True, slots=True)
class HomeView:
    """The home page; ``stuck_count`` may be more than the steps shown.

    ``last_studies`` leaves out those that run.
    """

    is_empty: bool
    open_studies: tuple[StudySums, ...]
    last_studies: tuple[StudySums, ...]
    stuck: tuple[StuckRun, ...]
    stuck_count: int
    has_more: bool
    paused: tuple[PausedAccount, ...]
    open_panels: int


def show_home(reading: Reading) -> HomeView:
    """Everything the home page says."""
    last = reading.overviews.studies(limit=SHOWN)
    at_work = reading.overviews.studies(limit=SHOWN, only_open=True)
    shown = {study.id for study in at_work}
    stuck = reading.overviews.stuck(limit=STUCK_SHOWN)
    count = len(stuck) if len(stuck) < STUCK_SHOWN else reading.overviews.count_stuck()
    return HomeView(
        is_empty=not last,
        open_studies=at_work,
        last_studies=tuple(study for study in last if study.id not in shown),
        stuck=_by_reason(stuck),
        stuck_count=count,
        has_more=count > len(stuck),
        paused=pauses(reading),
        open_panels=reading.panels.count_open(),
    )


def _by_reason(steps: tuple[StuckStep, ...]) -> tuple[StuckRun, ...]:
    """Steps by run and reason: a budget that is reached stops many of a run at once, and is said once."""
    found: dict[tuple[RunId, str | None], list[StuckStep]] = {}
    for step in steps:
        found.setdefault((step.run_id, step.problem), []).append(step)
    return tuple(StuckRun(tuple(of_run)) for of_run in found.values())
