"""One number a run: what hypotheses compare, taken from the run's judged eras."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.domain.protocol.eras import Mode
from app.domain.protocol.layers import LayerDistance
from app.domain.scoring.captures import frontier_capture
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.measures import Measure, mean_of
from app.domain.scoring.pivots import count_adjoining_pivots
from app.domain.scoring.run_measures import controlled_totals, hindsight_scores
from app.domain.scoring.scored_eras import ScoredEra, eras_of_mode, without_interventions
from app.domain.scoring.slopes import slope_of
from app.domain.scoring.totals import mechanical_total, total_without_playbook

Statistic = Callable[[Sequence[ScoredEra]], Measure]


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run of a study with its judged eras; `distances` holds, by era id, how far the chosen layer lay.

    `intervened` marks an intervention on the run as a whole, such as exposure to another run.
    """

    run: str
    condition: str
    replicate: int
    player: str
    eras: tuple[ScoredEra, ...]
    distances: Mapping[str, LayerDistance] = field(default_factory=dict)
    intervened: bool = False
    schedule: str = ""

    def of_mode(self, mode: Mode) -> JudgedRun:
        """The same run with the eras of one mode only."""
        return replace(self, eras=tuple(eras_of_mode(self.eras, mode)))


@dataclass(frozen=True, slots=True)
class RunValue:
    """One run's place in the design and its number; the measure may be undefined, with its reason."""

    run: str
    condition: str
    replicate: int
    player: str
    measure: Measure
    schedule: str = ""

    @property
    def block(self) -> tuple[str, int, str]:
        """Replicate x player model within a schedule: runs of one block share drawn briefings and the model."""
        return self.schedule, self.replicate, self.player


def run_values(runs: Iterable[JudgedRun], statistic: Statistic) -> list[RunValue]:
    """Take a statistic of each run's eras, runs in order of schedule, replicate, player, condition and name."""
    return sorted((_value(each, statistic(each.eras)) for each in runs), key=_natural_key)


def capture_values(runs: Iterable[JudgedRun]) -> list[RunValue]:
    """Frontier capture of each run over its eras, in the same order; undefined where no layer was compared."""
    return sorted((_value(each, _capture(each)) for each in runs), key=_natural_key)


def without_intervened(runs: Iterable[JudgedRun]) -> list[JudgedRun]:
    """Leave out runs and eras that carry an intervention: the sensitivity analysis of every hypothesis."""
    return [replace(run, eras=tuple(without_interventions(run.eras))) for run in runs if not run.intervened]


def slope_of_controlled(eras: Sequence[ScoredEra]) -> Measure:
    """Slope of T* on era index, points per era."""
    return slope_of([era.index for era in eras], controlled_totals(eras))


def slope_of_mechanical(eras: Sequence[ScoredEra]) -> Measure:
    """Slope of the mechanical total on era index: the sensitivity check of H1."""
    return slope_of([era.index for era in eras], [mechanical_total(era) for era in eras])


def mean_of_controlled(eras: Sequence[ScoredEra]) -> Measure:
    """Mean of T*, 0-100."""
    return mean_of(controlled_totals(eras), "era")


def mean_of_mechanical(eras: Sequence[ScoredEra]) -> Measure:
    """Mean of the mechanical total, 0-100: the sensitivity check of H2."""
    return mean_of([mechanical_total(era) for era in eras], "era")


def mean_without_playbook(eras: Sequence[ScoredEra]) -> Measure:
    """Mean of The Auditor's total without playbook_consistency: for contrasts with `no_playbook` on its rubric."""
    return mean_of([total_without_playbook(era) for era in eras], "era")


def mean_hindsight(eras: Sequence[ScoredEra]) -> Measure:
    """Mean hindsight subscore, 0-10 (10 = no leakage)."""
    return mean_of(hindsight_scores(eras), "era")


def mean_gap(eras: Sequence[ScoredEra]) -> Measure:
    """Mean foresight-commitment gap, in score points."""
    return mean_of([gap_of(era) for era in eras], "era")


def pivot_rate(eras: Sequence[ScoredEra]) -> Measure:
    """Share of transitions between adjoining eras with another company name, 0-1; a gap in the eras is none."""
    return count_adjoining_pivots((era.index, era.company) for era in eras).rate


def _value(run: JudgedRun, measure: Measure) -> RunValue:
    return RunValue(run.run, run.condition, run.replicate, run.player, measure, run.schedule)


def _capture(run: JudgedRun) -> Measure:
    return frontier_capture([run.distances[era.era] for era in run.eras if era.era in run.distances]).capture


def _natural_key(value: RunValue) -> tuple[str, int, str, str, str]:
    return value.schedule, value.replicate, value.player, value.condition, value.run
