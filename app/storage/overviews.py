"""What pages read across nouns: studies with their sums, stuck steps, states and scores of many runs at once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Float, and_, case, cast, func
from sqlmodel import Session, col, select

from app.domain.ids import CallId, RunId, StepId, StepKey, StudyId, UserId
from app.storage.interventions import Intervention, as_intervention, masked_by_run
from app.storage.runs import PLAY, RunRecord, as_run
from app.storage.tables import ArtifactRow, CallRow, InterventionRow, RunRow, StepRow, StudyRow

OPEN = ("running", "paused")
REVIEWS = ("record_review", "auditor_review", "imported_review")


@dataclass(frozen=True, slots=True)
class StudySums:
    """A study with its runs counted and the sums over runs and judgings; ``stuck`` counts steps for an operator."""

    id: StudyId
    name: str
    rehearsal: bool
    design_hash: str
    launched_at: datetime
    runs: int
    running: int
    paused: int
    finished: int
    steps_owed: int
    steps_done: int
    calls_owed: int
    calls_made: int
    calls_lost: int
    tokens_in: int
    tokens_out: int
    cost_usd: float
    cost_unknown: int
    interventions: int
    last_finished_at: datetime | None
    stuck: int


@dataclass(frozen=True, slots=True)
class StuckStep:
    """A step that needs an operator, with where it belongs."""

    id: StepId
    key: StepKey
    run_id: RunId
    run_name: str
    player: str
    study_id: StudyId
    study_name: str
    rehearsal: bool
    problem: str | None
    since: datetime


@dataclass(frozen=True, slots=True)
class EraStates:
    """How many steps of one era of one run are in each state so far."""

    run_id: RunId
    era: str
    ready: int
    claimed: int
    done: int
    stuck: int


@dataclass(frozen=True, slots=True)
class EraScores:
    """The judge's scores of one era of one run, by dimension."""

    run_id: RunId
    era: str
    scores: dict[str, int]
    typed_total: int | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """Open steps of running runs: how many are ready, and since when the oldest is."""

    ready: int
    claimed: int
    stuck: int
    oldest_ready_at: datetime | None


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Where a run belongs."""

    run_id: RunId
    run_name: str
    player: str
    study_id: StudyId
    study_name: str
    rehearsal: bool


@dataclass(frozen=True, slots=True)
class CallInFlight:
    """A call that was sent and has not ended."""

    step_id: StepId
    attempt: int
    tokens_estimated: int
    started_at: datetime


@dataclass(frozen=True, slots=True)
class ArtifactOrigin:
    """Where an artifact came from: a call, a person, or neither where code wrote it."""

    key: StepKey
    call_id: CallId | None
    written_by: UserId | None
    written_at: datetime


class Overviews:
    """The overviews on one session: reads only."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def studies(self, *, limit: int, offset: int = 0, only_open: bool = False) -> tuple[StudySums, ...]:
        """Studies with their sums from the last launched on; ``only_open`` leaves out those with no run to go on."""
        query = self._sums()
        if only_open:
            open_ones = select(RunRow.study_id).where(col(RunRow.state).in_(OPEN))
            query = query.where(col(StudyRow.id).in_(open_ones))
        query = query.order_by(col(StudyRow.launched_at).desc(), col(StudyRow.id)).limit(limit).offset(offset)
        return tuple(StudySums(*row) for row in self._session.execute(query))

    def study(self, study_id: UUID) -> StudySums | None:
        """One study with its sums; None if there is none."""
        row = self._session.execute(self._sums().where(col(StudyRow.id) == study_id)).first()
        return StudySums(*row) if row else None

    def count_studies(self) -> int:
        """How many studies there are."""
        return self._session.exec(select(func.count()).select_from(StudyRow)).one()

    def stuck(self, *, limit: int, study_id: UUID | None = None) -> tuple[StuckStep, ...]:
        """Steps that need an operator, the longest waiting first."""
        since = func.coalesce(StepRow.claimed_at, StepRow.ready_at)
        columns: tuple[Any, ...] = (
            StepRow.id, StepRow.key, StepRow.run_id, RunRow.name, RunRow.player,
            StudyRow.id, StudyRow.name, StudyRow.rehearsal, StepRow.problem, since,
        )  # fmt: skip
        query = (
            select(*columns)
            .join(RunRow, col(RunRow.id) == col(StepRow.run_id))
            .join(StudyRow, col(StudyRow.id) == col(RunRow.study_id))
            .where(StepRow.state == "needs_operator", RunRow.state != "cancelled")
            .order_by(since, col(StepRow.id))
            .limit(limit)
        )
        if study_id is not None:
            query = query.where(RunRow.study_id == study_id)
        return tuple(StuckStep(*row) for row in self._session.execute(query))

    def count_stuck(self) -> int:
        """How many steps need an operator."""
        query = (
            select(func.count())
            .select_from(StepRow)
            .join(RunRow, col(RunRow.id) == col(StepRow.run_id))
            .where(StepRow.state == "needs_operator", RunRow.state != "cancelled")
        )
        return self._session.exec(query).one()

    def era_states(self, run_ids: Sequence[UUID]) -> tuple[EraStates, ...]:
        """Steps by state, per run and era in which there are any."""
        keys: tuple[Any, ...] = (StepRow.run_id, StepRow.era)
        columns: tuple[Any, ...] = (*keys, *map(_in_state, ("ready", "claimed", "done", "needs_operator")))
        query = select(*columns).where(col(StepRow.run_id).in_(run_ids)).group_by(*keys)
        return tuple(EraStates(*row) for row in self._session.execute(query))

    def era_scores(self, run_ids: Sequence[UUID]) -> tuple[EraScores, ...]:
        """Scores of every judged era of these runs, without the rest of the reviews."""
        columns: tuple[Any, ...] = (
            ArtifactRow.run_id, ArtifactRow.era,
            col(ArtifactRow.body)["scores"], cast(col(ArtifactRow.body)["typed_total"].astext, Float),
        )  # fmt: skip
        query = select(*columns).where(col(ArtifactRow.run_id).in_(run_ids), col(ArtifactRow.kind).in_(REVIEWS))
        return tuple(
            EraScores(run_id, era, {one["dimension"]: one["value"] for one in scores}, typed)
            for run_id, era, scores, typed in self._session.execute(query)
        )

    def waiting(self) -> Waiting:
        """The open steps of running runs."""
        oldest_ready = case((col(StepRow.state) == "ready", func.coalesce(StepRow.not_before, StepRow.ready_at)))
        columns: tuple[Any, ...] = (*map(_in_state, ("ready", "claimed", "needs_operator")), func.min(oldest_ready))
        query = (
            select(*columns)
            .select_from(StepRow)
            .join(RunRow, col(RunRow.id) == col(StepRow.run_id))
            .where(StepRow.state != "done", RunRow.state == "running")
        )
        ready, claimed, stuck, oldest = self._session.execute(query).one()
        return Waiting(ready or 0, claimed or 0, stuck or 0, oldest)

    def runs(
        self, study_id: UUID, *, condition: str, limit: int, offset: int, schedule: str = ""
    ) -> tuple[int, tuple[RunRecord, ...]]:
        """How many runs a study has (of one condition or schedule, if given), and some of them in their order."""
        named = ((RunRow.condition, condition), (RunRow.schedule, schedule))
        chosen = [
            RunRow.study_id == study_id,
            RunRow.kind == PLAY,
            *(column == name for column, name in named if name),
        ]
        total = self._session.exec(select(func.count()).select_from(RunRow).where(*chosen)).one()
        query = select(RunRow).where(*chosen).order_by(col(RunRow.number)).limit(limit).offset(offset)
        return total, tuple(as_run(row) for row in self._session.exec(query))

    def calls_in_flight(self, run_id: UUID) -> dict[StepId, CallInFlight]:
        """A run's calls without an answer yet, by step."""
        columns: tuple[Any, ...] = (CallRow.step_id, CallRow.attempt, CallRow.tokens_estimated, CallRow.started_at)
        query = select(*columns).where(CallRow.run_id == run_id, CallRow.state == "sent").order_by(col(CallRow.attempt))
        return {row[0]: CallInFlight(*row) for row in self._session.execute(query)}

    def origins(self, run_id: UUID, era: str) -> tuple[ArtifactOrigin, ...]:
        """Where the artifacts of an era came from."""
        names: tuple[Any, ...] = (
            ArtifactRow.key, ArtifactRow.call_id, ArtifactRow.written_by, ArtifactRow.written_at
        )  # fmt: skip
        query = select(*names).where(ArtifactRow.run_id == run_id, ArtifactRow.era == era)
        return tuple(ArtifactOrigin(*row) for row in self._session.execute(query))

    def interventions(
        self, *, kind: str, study_id: UUID | None, limit: int, offset: int, run_id: UUID | None = None
    ) -> tuple[Intervention, ...]:
        """Interventions of a kind, study or run (all, where empty) from the last on."""
        query = select(InterventionRow).where(*_chosen(kind, study_id, run_id))
        query = query.order_by(col(InterventionRow.made_at).desc(), col(InterventionRow.id)).limit(limit).offset(offset)
        return masked_by_run(self._session, tuple(as_intervention(row) for row in self._session.exec(query)))

    def count_interventions(self, *, kind: str, study_id: UUID | None, run_id: UUID | None = None) -> int:
        """How many interventions there are of a kind, study or run."""
        query = select(func.count()).select_from(InterventionRow).where(*_chosen(kind, study_id, run_id))
        return self._session.exec(query).one()

    def intervened_runs(self, *, limit: int) -> tuple[RunId, ...]:
        """Runs that carry interventions, the one touched last first."""
        query = select(InterventionRow.run_id).group_by(col(InterventionRow.run_id))
        query = query.order_by(func.max(col(InterventionRow.made_at)).desc()).limit(limit)
        return tuple(RunId(run_id) for run_id in self._session.exec(query))

    def places(self, run_ids: Collection[UUID]) -> dict[RunId, RunPlace]:
        """Where runs belong, by their id."""
        columns: tuple[Any, ...] = (
            RunRow.id, RunRow.name, RunRow.player, StudyRow.id, StudyRow.name, StudyRow.rehearsal
        )  # fmt: skip
        query = select(*columns).join(StudyRow, col(StudyRow.id) == col(RunRow.study_id))
        found = self._session.execute(query.where(col(RunRow.id).in_(run_ids)))
        return {row[0]: RunPlace(*row) for row in found}

    def _sums(self) -> Any:
        stuck = (
            select(func.count())
            .select_from(StepRow)
            .join(RunRow, col(RunRow.id) == col(StepRow.run_id))
            .where(StepRow.state == "needs_operator", RunRow.study_id == StudyRow.id, RunRow.state != "cancelled")
            .correlate(StudyRow)
            .scalar_subquery()
        )
        of_study: tuple[Any, ...] = (
            StudyRow.id, StudyRow.name, StudyRow.rehearsal, StudyRow.design_hash, StudyRow.launched_at
        )  # fmt: skip
        summed = (
            "steps_owed", "steps_done", "calls_owed", "calls_made", "calls_lost", "tokens_in", "tokens_out",
            "cost_usd", "cost_unknown", "interventions",
        )  # fmt: skip
        columns: tuple[Any, ...] = (
            *of_study,
            _plays(),
            *(_plays(state) for state in ("running", "paused", "finished")),
            *(func.coalesce(func.sum(getattr(RunRow, name)), 0) for name in summed),
            func.max(RunRow.finished_at),
            stuck,
        )
        return select(*columns).join(RunRow, col(RunRow.study_id) == col(StudyRow.id), isouter=True).group_by(*of_study)


def _chosen(kind: str, study_id: UUID | None, run_id: UUID | None) -> list[Any]:
    chosen: list[Any] = [InterventionRow.kind == kind] if kind else []
    if run_id is not None:
        chosen.append(col(InterventionRow.run_id) == run_id)
    if study_id is not None:
        chosen.append(col(InterventionRow.run_id).in_(select(RunRow.id).where(RunRow.study_id == study_id)))
    return chosen


def _plays(state: str | None = None) -> Any:
    """How many runs there are, or are in a state; judgings count in the sums alone."""
    wanted = [col(RunRow.kind) == PLAY, *([col(RunRow.state) == state] if state else [])]
    return func.count(case((and_(*wanted), 1)))


def _in_state(state: str) -> Any:
    return func.count(case((col(StepRow.state) == state, 1)))
