"""An era, read whole: its documents in reading order, scores with anchors, verdicts, and what was known and came."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from app.domain.engine.judging_state import JudgingState
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.ids import CallId, StepKey
from app.domain.protocol.artifacts import Artifact, Decision, DissentVerdict, LeakSpan, Review
from app.domain.protocol.eras import Era, Schedule
from app.domain.protocol.imported import ImportedReview
from app.domain.protocol.rubrics import Dimension, rubric_of
from app.domain.world.events import Event, events_within
from app.services.document_counts import DocumentCount
from app.services.errors import NotFoundError
from app.services.finding_marks import MarkedFinding, counts_by_document, findings_by_document
from app.services.interventions_list import author_names
from app.services.live_searches import LookedUp, looked_up
from app.services.probes import probe_versions
from app.services.run_pages import layer_name
from app.services.run_states import run_state
from app.services.seats import seat_title, summary_of
from app.services.unit_of_work import Reading
from app.services.worlds import library, library_of
from app.storage.interventions import Intervention
from app.storage.runs import JUDGING, RunRecord
from app.storage.studies import Study


@dataclass(frozen=True, slots=True)
class Document:
    """A document with its origin: a call, a person, or code; ``leaks`` are the passages a judge marked in it.

    ``counts`` are what the audit's probes counted in it, ``findings`` the passages they mark.
    """

    key: StepKey
    title: str
    kind: str
    artifact: Artifact
    summary: str
    call_id: CallId | None
    written_by: str | None
    written_at: datetime
    leaks: tuple[LeakSpan, ...]
    findings: tuple[MarkedFinding, ...]
    counts: tuple[DocumentCount, ...]

    @property
    def passages(self) -> tuple[str | MarkedFinding, ...]:
        """What is marked in its text: the judge's quotes, and the audit's findings in their place."""
        return (*(leak.quote for leak in self.leaks), *self.findings)


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One subscore with its reason, and the highest written anchor that it reaches."""

    dimension: Dimension
    value: int
    reason: str
    anchor_at: int
    anchor: str


@dataclass(frozen=True, slots=True)
class EraView:
    """Everything an era's page says."""

    run: RunRecord
    study: Study
    era: Era
    before: Era | None
    after: Era | None
    judge: str
    documents: tuple[Document, ...]
    decision: Decision | None
    review: Review | None
    scores: tuple[ScoreLine, ...]
    total: int | None
    typed_total: float | None
    pooled_layer: str
    chosen_layer: str
    distance: str
    verdicts: Mapping[str, DissentVerdict]
    leaks: tuple[LeakSpan, ...]
    known_count: int
    outcome_count: int
    interventions: tuple[tuple[Intervention, str], ...]
    looked_up: LookedUp | None


@dataclass(frozen=True, slots=True)
class DocumentView:
    """One document on a page of its own."""

    run: RunRecord
    study: Study
    era: Era
    document: Document


def show_era(reading: Reading, run_id: UUID, era_id: str) -> EraView:
    """The era of a run. Raises NotFoundError for a run or an era there is not."""
    run, study, state = _run(reading, run_id)
    schedule = _holding(state, era_id)
    era = _era(schedule, era_id)
    made = (
        [one for one in reading.interventions.of_run(run.id) if one.era in {era.id, None}] if run.interventions else []
    )
    names = author_names(reading)
    review, reading_again = state.review(era.id), state.reading(era.id)
    judged = review or state.imported_review(era.id)
    decision = state.decision(era.id)
    return EraView(
        run=run,
        study=study,
        era=era,
        before=schedule.before(era.id),
        after=schedule.after(era.id),
        judge=library().rubrics[rubric_of(era.mode)].judge,
        documents=_documents(reading, state, run, era.id, names),
        decision=decision,
        review=review,
        scores=_score_lines(era, judged),
        total=2 * sum(score.value for score in judged.scores) if judged else None,
        typed_total=judged.typed_total if judged else None,
        pooled_layer=layer_name(review.pooled_layer, state.schedule) if review else "",
        chosen_layer=layer_name(decision.chain.layer, state.schedule) if decision else "",
        distance=_distance(state.schedule, decision, review),
        verdicts={one.dissent: one for one in reading_again.verdicts} if reading_again else {},
        leaks=review.leaks if review else (),
        known_count=len(library_of(state.schedule).known(era)) if era.mode.has_outcome else 0,
        outcome_count=len(outcomes(state.schedule, era)),
        interventions=tuple((one, names.get(one.author_id, "unknown")) for one in made),
        looked_up=looked_up(reading, run.id, era),
    )


def show_document(reading: Reading, run_id: UUID, key: str) -> DocumentView:
    """One document of a run by its step's key. Raises NotFoundError."""
    run, study, state = _run(reading, run_id)
    step = next((step for step in state.plan if step.key == key), None)
    if step is None:
        raise NotFoundError("document", key)
    if run.kind == JUDGING:
        state = _judged_again(reading, run, state, step.era)
    found = _documents(reading, state, run, step.era, author_names(reading))
    document = next((one for one in found if one.key == key), None)
    if document is None:
        raise NotFoundError("document", key)
    return DocumentView(run, study, _era(_holding(state, step.era), step.era), document)


def show_window(reading: Reading, run_id: UUID, era_id: str) -> tuple[RunRecord, Study, Era, tuple[Event, ...]]:
    """``O_k``: the record's events of an era's window. Raises NotFoundError."""
    run = reading.runs.get(run_id)
    study = reading.studies.get(run.study_id)
    schedule = study.design.schedule_of(run.schedule)
    era = _era(schedule, era_id)
    return run, study, era, outcomes(schedule, era)


def outcomes(schedule: Schedule, era: Era) -> tuple[Event, ...]:
    """The events of the era's window; none for an era that has no outcome on record."""
    return events_within(library_of(schedule).events, era.start, era.end) if era.mode.has_outcome else ()


def _run(reading: Reading, run_id: UUID) -> tuple[RunRecord, Study, RunState]:
    run = reading.runs.get(run_id)
    study = reading.studies.get(run.study_id)
    return run, study, run_state(reading, run.id, run.study_id, run.number, run.steps_done)


def _judged_again(reading: Reading, run: RunRecord, state: RunState, era_id: str) -> RunState:
    """A judging's state remembers no documents: those of an era are read for its page."""
    kept = reading.artifacts.of_run(run.id, era=era_id)
    return replace(state, artifacts={one.key: one.artifact for one in kept})


def _holding(state: RunState, era_id: str) -> Schedule:
    """The run's own schedule, or for a judging, which may judge on several, the first with such an era."""
    others = state.design.schedules if isinstance(state, JudgingState) else ()
    return next((one for one in others if any(era.id == era_id for era in one.eras)), state.schedule)


def _era(schedule: Schedule, era_id: str) -> Era:
    try:
        return schedule.era(era_id)
    except KeyError:
        raise NotFoundError("era", era_id) from None


def _documents(
    reading: Reading, state: RunState, run: RunRecord, era_id: str, names: Mapping[UUID | None, str]
) -> tuple[Document, ...]:
    kept = {one.key: one for one in reading.overviews.origins(run.id, era_id)}
    review, second = state.review(era_id), state.reading(era_id)
    of_decision = review.leaks if review else ()
    of_memos = second.memo_leaks if second else ()
    versions, documents = probe_versions().items(), []
    placed = reading.findings.of_era(run.id, era_id, versions)
    found = findings_by_document(placed, state.artifacts)
    counts = counts_by_document(placed, reading.findings.counts_of_era(run.id, era_id, versions))
    for step in state.plan:
        origin, artifact = kept.get(step.key), state.artifacts.get(step.key)
        if step.era != era_id or origin is None or artifact is None:
            continue
        leaks = {"decision": of_decision, "board": of_decision, "memo": of_memos}.get(step.kind.value, ())
        documents.append(
            Document(
                key=step.key,
                title=_title(step, state),
                kind=artifact.kind,
                artifact=artifact,
                summary=summary_of(artifact),
                call_id=origin.call_id,
                written_by=names.get(origin.written_by) if origin.written_by else None,
                written_at=origin.written_at,
                leaks=leaks,
                findings=found.get(step.key, ()),
                counts=counts.get(step.key, ()),
            )
        )
    return tuple(documents)


def _title(step: PlannedStep, state: RunState) -> str:
    noun = {"reading": "second reading"}.get(step.kind.value, step.kind.value)
    who = seat_title(step, state)
    return noun.capitalize() if noun in who.lower() else f"{noun.capitalize()} · {who}"


def _score_lines(era: Era, review: Review | ImportedReview | None) -> tuple[ScoreLine, ...]:
    if review is None:
        return ()
    given = {score.dimension: score for score in review.scores}
    lines = []
    for dimension in library().rubrics[rubric_of(era.mode)].dimensions:
        score = given[dimension.id]
        reached = max(point for point in dimension.anchors if point <= score.value)
        lines.append(ScoreLine(dimension, score.value, score.reason, reached, dimension.anchors[reached]))
    return tuple(lines)


def _distance(schedule: Schedule, decision: Decision | None, review: Review | None) -> str:
    graph = library_of(schedule).layers
    if decision is None or review is None or decision.chain.layer not in graph.ids:
        return ""
    return graph.distance(decision.chain.layer, (review.pooled_layer,)).value
