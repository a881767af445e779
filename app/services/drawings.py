"""What all figures of a page share: the runs that are drawn, on one scale, total and schedule, and their places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.protocol.eras import Schedule
from app.domain.protocol.layers import LayerDistance
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import controlled_total, mechanical_total, total_without_playbook
from app.domain.wording import counted
from app.exports.figures import Guide
from app.services.scales import Scale, Total

REHEARSAL = "Rehearsal model: shows how the software works, not how models behave."
FEW_RUNS = 6
"""Up to so many runs of one condition are told apart by colour and get a fit of their own."""

LARGER = "Larger marks: more eras."


@dataclass(frozen=True, slots=True)
class DrawnRun:
    """A run as figures show it: its panel is the condition in words, its eras those of one scale."""

    label: str
    panel: str
    player: str
    eras: tuple[ScoredEra, ...]
    distances: Mapping[str, LayerDistance]
    intervened: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """What all figures of a page share."""

    runs: tuple[DrawnRun, ...]
    scale: Scale
    total: Total
    eras: tuple[str, ...]
    rehearsal: bool
    schedule: Schedule
    schedule_title: str = ""
    interventions: str = ""

    @property
    def panels(self) -> tuple[str, ...]:
        """Conditions in the design's order."""
        return tuple(dict.fromkeys(run.panel for run in self.runs))

    @property
    def by_run(self) -> bool:
        """Whether runs are few enough to be told apart."""
        return len(self.panels) == 1 and len(self.runs) <= FEW_RUNS

    @property
    def series(self) -> tuple[str, ...]:
        """What colours stand for: runs where they are few, else player models."""
        return tuple(dict.fromkeys(self.series_of(run) for run in self.runs))

    @property
    def series_title(self) -> str:
        """The name of what colours stand for."""
        return "run" if self.by_run else "player model"

    def series_of(self, run: DrawnRun) -> str:
        """The series of one run."""
        return run.label if self.by_run else run.player

    @property
    def guide(self) -> Guide:
        """Orders and names that most figures share."""
        return Guide(self.panels, self.series, self.series_title, self.eras)

    def pairs(self) -> list[tuple[DrawnRun, ScoredEra]]:
        """Every judged era with its run."""
        return [(run, era) for run in self.runs for era in run.eras]

    @property
    def rings(self) -> str:
        """What hollow diamonds are, where any are drawn."""
        marked = any(run.intervened or era.intervened for run, era in self.pairs())
        return "Hollow diamonds: eras with an intervention." if marked else ""

    def marked(self, runs: Sequence[DrawnRun]) -> int:
        """How many judged eras of these runs carry an intervention."""
        return sum(run.intervened or era.intervened for run in runs for era in run.eras)

    def notes(self, *more: str) -> tuple[str, ...]:
        """The lines under a title: n, what else is to be known, and the marks of interventions and of a rehearsal."""
        runs, eras = len(self.runs), len(self.pairs())
        of = f"{self.scale.words}; {self.schedule_title}" if self.schedule_title else self.scale.words
        n = f"n = {counted(runs, 'run')}, {counted(eras, 'judged era')} ({of})."
        return (n, *filter(None, (*more, self.interventions, REHEARSAL if self.rehearsal else "")))


def total_of(era: ScoredEra, total: Total) -> float | None:
    """The chosen total of an era; None where the era has none of that kind."""
    if total is Total.TYPED:
        return era.typed_total
    if total is Total.WITHOUT_PLAYBOOK:
        return total_without_playbook(era)
    return controlled_total(era).value if total is Total.CONTROLLED else mechanical_total(era)


PLACE = {"panel": "condition", "run": "run", "player": "player model", "era": "era", "mark": "intervention"}


def place_of(drawing: Drawing, run: DrawnRun, era: ScoredEra) -> dict[str, str | float | int | None]:
    """The columns that most figures share: whose era it is, and whether it is marked."""
    mark = "with an intervention" if era.intervened or run.intervened else "as run"
    series = drawing.series_of(run)
    return {
        "panel": run.panel,
        "run": run.label,
        "player": run.player,
        "series": series,
        "era": era.era,
        "mark": mark,
    }
