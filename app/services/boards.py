"""A study's page: its sums, and the grid of runs and eras with states and scores."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.protocol.eras import Era, Mode, Schedule
from app.domain.protocol.rubrics import rubric_of
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.measures import Measure, mean_of
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.slopes import slope_of
from app.domain.scoring.totals import controlled_total, mechanical_total
from app.domain.study import StudyDesign
from app.services.deviations import count_deviations
from app.services.errors import NotFoundError
from app.services.judgings import owed_judgings
from app.services.listing import Listing, listing
from app.services.pace import seconds_left
from app.services.unit_of_work import Reading
from app.storage.judgements import Judgements
from app.storage.outcomes import StopCount
from app.storage.overviews import EraScores, EraStates, StuckStep, StudySums
from app.storage.runs import RunRecord
from app.storage.studies import Study

RUNS_SHOWN = 20
STUCK_SHOWN = 5
STUDIES_SHOWN = 25
LEVELS = (55, 63, 70)
"""Totals from which a cell's shade deepens."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One era of one run: a state, the mechanical total once judged, scores in words; ``mark`` names interventions."""

    era: str
    state: str
    total: int | None
    level: int
    mark: str
    scores: str


@dataclass(frozen=True, slots=True)
class GridRow:
    """One run with a cell per era and two of its measures."""

    run: RunRecord
    cells: tuple[Cell, ...]
    slope: Measure
    gap: Measure


@dataclass(frozen=True, slots=True)
class StudyView:
    """Everything a study's page says."""

    study: Study
    sums: StudySums
    schedule: Schedule
    grid: Listing[GridRow]
    stuck: tuple[StuckStep, ...]
    seconds_left: float | None
    conditions: tuple[str, ...]
    condition: str
    stops: tuple[StopCount, ...]
    judgings: tuple[RunRecord, ...]
    owed_calls: int
    deviations: int

    @property
    def is_judged_again(self) -> bool:
        """Whether there are judgings, or the design asks for some."""
        return bool(self.judgings or self.study.design.further_judges)

    @property
    def eras(self) -> tuple[Era, ...]:
        """The eras of the schedule that is shown."""
        return self.schedule.eras


def show_study(
    reading: Reading, study_id: UUID, *, page: int = 1, condition: str = "", schedule: str = ""
) -> StudyView:
    """The study with one page of a schedule's runs, the first's if none is named, of one condition where asked.

    Raises NotFoundError.
    """
    study = reading.studies.get(study_id)
    sums = reading.overviews.study(study_id)
    if sums is None:
        raise NotFoundError("study", study_id)
    chosen = condition if condition in set(study.design.conditions) else ""
    shown = chosen_schedule(study.design, schedule)
    only = shown.id if len(study.design.schedules) > 1 else ""
    total, runs = reading.overviews.runs(
        study_id, condition=chosen, schedule=only, limit=RUNS_SHOWN, offset=(page - 1) * RUNS_SHOWN
    )
    return StudyView(
        study=study,
        sums=sums,
        schedule=shown,
        grid=listing(grid_rows(reading, shown, runs), page=page, size=RUNS_SHOWN, total=total),
        stuck=reading.overviews.stuck(limit=STUCK_SHOWN, study_id=study_id) if sums.stuck else (),
        seconds_left=seconds_left(study.launched_at, reading.now, sums.steps_done, sums.steps_owed),
        conditions=tuple(study.design.conditions),
        condition=chosen,
        stops=reading.outcomes.of_study(study_id),
        judgings=reading.runs.judgings(study_id),
        deviations=count_deviations(reading, study, sums),
        owed_calls=sum(one.plan.calls for one in owed_judgings(reading, study)) if study.design.further_judges else 0,
    )


def list_studies(reading: Reading, *, page: int) -> Listing[StudySums]:
    """Studies from the last launched on."""
    found = reading.overviews.studies(limit=STUDIES_SHOWN, offset=(page - 1) * STUDIES_SHOWN)
    return listing(found, page=page, size=STUDIES_SHOWN, total=reading.overviews.count_studies())


def chosen_schedule(design: StudyDesign, name: str) -> Schedule:
    """The schedule of that id, or the first where the design has none of it."""
    return next((one for one in design.schedules if one.id == name), design.schedules[0])


def grid_rows(reading: Reading, schedule: Schedule, runs: Sequence[RunRecord]) -> tuple[GridRow, ...]:
    """The grid's rows of runs on one schedule, from three queries whatever the number of runs."""
    ids = [run.id for run in runs]
    if not ids:
        return ()
    states = {(one.run_id, one.era): one for one in reading.overviews.era_states(ids)}
    scores = {(one.run_id, one.era): one for one in reading.overviews.era_scores(ids)}
    marks = _marks(reading, ids)
    rows = []
    for run in runs:
        judged = {
            era.id: scored(run, era, index, scores.get((run.id, era.id))) for index, era in enumerate(schedule.eras, 1)
        }
        cells = tuple(
            _cell(run, era, states.get((run.id, era.id)), judged[era.id], mark=marks.get((run.id, era.id), ""))
            for era in schedule.eras
        )
        rows.append(GridRow(run, cells, *_measures([era for era in judged.values() if era])))
    return tuple(rows)


def scored(run: RunRecord, era: Era, index: int, scores: EraScores | None) -> ScoredEra | None:
    """A judged era as the measures take it."""
    if scores is None:
        return None
    return ScoredEra(run.name, era.id, index, era.mode, "", scores.scores, scores.typed_total)


def level_of(total: float) -> int:
    """The shade of a total, 1 to 4."""
    return 1 + sum(total >= level for level in LEVELS)


def _marks(reading: Reading, ids: Sequence[UUID]) -> dict[tuple[UUID, str], str]:
    """The kinds of intervention on every era that carries one, in words."""
    kinds: dict[tuple[UUID, str], set[str]] = defaultdict(set)
    for run_id, era, kind in Judgements(reading.session).intervened(ids):
        if era is not None:
            kinds[run_id, era].add(kind.done)
    return {place: ", ".join(sorted(found)) for place, found in kinds.items()}


def _cell(run: RunRecord, era: Era, states: EraStates | None, judged: ScoredEra | None, *, mark: str) -> Cell:
    state = _state(run, states, judged)
    if judged is None:
        return Cell(era.id, state, None, 0, mark, "")
    total = round(mechanical_total(judged))
    words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in judged.subscores.items())
    typed = f"; typed total {judged.typed_total:g}" if judged.typed_total is not None else ""
    judge = rubric_of(era.mode)
    return Cell(era.id, state, total, level_of(total), mark, f"The {judge.title()}: {words}{typed}")


def _state(run: RunRecord, states: EraStates | None, judged: ScoredEra | None) -> str:
    if states and states.stuck:
        return "ask"
    if judged and (states is None or not states.ready + states.claimed):
        return "done"
    if run.state in {"cancelled", "paused"}:
        return run.state if states else "wait"
    return "busy" if states and states.ready + states.claimed else "wait"


def _measures(judged: Sequence[ScoredEra]) -> tuple[Measure, Measure]:
    training = [era for era in judged if era.mode is Mode.TRAINING]
    totals = [total.value for total in map(controlled_total, training) if total.value is not None]
    slope = slope_of([era.index for era in training], totals)
    return slope, mean_of([float(gap_of(era)) for era in training], "era")
