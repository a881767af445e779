"""The seats of an era's board: who speaks in which order, and what each of them does now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from app.domain.engine.inputs import StepKind
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.ids import StepId, StepKey
from app.domain.protocol.artifacts import (
    Artifact,
    Attack,
    AuditorReview,
    BlindGuess,
    Board,
    Briefing,
    Critique,
    Decision,
    Memo,
    Note,
    RecallChoice,
    RecordReview,
    Reply,
    SecondReading,
    Skipped,
)
from app.domain.protocol.imported import ImportedDecision, ImportedDocument, ImportedReview
from app.domain.protocol.rubrics import RubricId, rubric_of
from app.services.worlds import library
from app.storage.overviews import CallInFlight
from app.storage.steps import StepRecord

COLUMNS = (
    ("Briefing", (StepKind.BRIEFING,)),
    ("Departments, blind to each other", (StepKind.NOTE, StepKind.MEMO)),
    ("Drafts and critiques", (StepKind.DRAFT, StepKind.CRITIQUE)),
    ("Attack", (StepKind.ATTACK,)),
    ("Answers, blind to each other", (StepKind.REPLY,)),
    ("Decision", (StepKind.DECISION, StepKind.BOARD)),
    ("Review", (StepKind.REVIEW, StepKind.READING)),
)

SLIM = frozenset({StepKind.NOTE, StepKind.REPLY, StepKind.DRAFT, StepKind.CRITIQUE})
"""Seats of which there are many: they show no paragraph."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One step as a seat: ``state`` is done, busy, ask, hand or wait; ``since`` is set while it thinks."""

    key: StepKey
    title: str
    state: str
    words: str
    summary: str
    note: str
    since: datetime | None
    seconds: float
    step_id: StepId | None
    is_written: bool
    is_slim: bool


@dataclass(frozen=True, slots=True)
class Column:
    """Seats that speak at the same place in the order."""

    title: str
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What seats are made from."""

    state: RunState
    run_state: str
    steps: Mapping[StepKey, StepRecord]
    calls: Mapping[StepId, CallInFlight]
    by_hand: frozenset[StepId]
    now: datetime


def board(scene: Scene, era: str) -> tuple[Column, ...]:
    """The columns of an era that its run has, from left to right in the order in which they speak."""
    plan = [step for step in scene.state.plan if step.era == era]
    columns = (
        Column(title, tuple(_seat(scene, step) for step in plan if step.kind in kinds)) for title, kinds in COLUMNS
    )
    return tuple(column for column in columns if column.seats)


def seat_title(step: PlannedStep, state: RunState) -> str:
    """Who sits there."""
    if step.persona:
        return next((one.title for one in library().roster.personas if one.id == step.persona), step.persona)
    if step.department:
        return library().roster.titles[step.department]
    judge = library().rubrics[rubric_of(state.schedule.era(step.era).mode)].judge
    alone = not state.run.condition.has_departments
    number = step.key.rsplit("/", 1)[-1]
    return {
        StepKind.BRIEFING: "drawn by code" if step.by_code else "briefing author",
        StepKind.ATTACK: "Red Team",
        StepKind.DRAFT: f"Founder, draft {number}",
        StepKind.CRITIQUE: f"Founder, critique {number}",
        StepKind.DECISION: "Founder" if alone else "CEO",
        StepKind.BOARD: "Board",
        StepKind.REVIEW: judge,
        StepKind.READING: "Second reading",
        StepKind.GUESS: "Guess at what is hidden",
        StepKind.RECALL: "Recall question",
    }[step.kind]


def summary_of(artifact: Artifact) -> str:  # noqa: C901, PLR0911, PLR0912 - one a kind
    """One paragraph that tells a document."""
    match artifact:
        case Briefing():
            return artifact.headline
        case Memo() | Attack():
            return artifact.summary
        case Note():
            return artifact.proposal
        case Reply():
            return artifact.position
        case Critique():
            return artifact.points[0]
        case Decision():
            return f"{artifact.company_name}: {artifact.identity}"
        case Board():
            return f"{artifact.decision.company_name}: {artifact.decision.identity}"
        case RecordReview():
            return artifact.reveal
        case AuditorReview():
            return artifact.kill_case
        case SecondReading():
            count = len(artifact.verdicts)
            return f"{count} {'verdict' if count == 1 else 'verdicts'} on dissents"
        case BlindGuess():
            return artifact.reason
        case RecallChoice():
            return f"Chose {artifact.choice}"
        case Skipped():
            return f"Skipped: {artifact.reason}"
        case ImportedDocument() | ImportedDecision() | ImportedReview():
            return artifact.summary


def _seat(scene: Scene, step: PlannedStep) -> Seat:
    record = scene.steps.get(step.key)
    artifact = scene.state.artifacts.get(step.key)
    call = scene.calls.get(record.id) if record else None
    state = _state(scene, record)
    return Seat(
        key=step.key,
        title=seat_title(step, scene.state),
        state=state,
        words=_words(state, step, record, scene.run_state),
        summary=summary_of(artifact) if artifact else _expectation(scene, step, record),
        note=f"attempt {call.attempt} · about {call.tokens_estimated:,} tokens in" if call else "",
        since=call.started_at if call else None,
        seconds=(scene.now - call.started_at).total_seconds() if call else 0.0,
        step_id=record.id if record else None,
        is_written=artifact is not None,
        is_slim=step.kind in SLIM,
    )


def _state(scene: Scene, record: StepRecord | None) -> str:
    if record is None:
        return "wait"
    if record.state == "done":
        return "hand" if record.id in scene.by_hand else "done"
    return {"claimed": "busy", "needs_operator": "ask"}.get(record.state, "wait")


def _words(state: str, step: PlannedStep, record: StepRecord | None, run_state: str) -> str:
    if state == "busy":
        return "thinking"
    if state == "ask":
        return "needs an operator"
    if state == "hand":
        return "by hand"
    if state == "done" and record:
        took = (record.done_at - record.claimed_at).total_seconds() if record.done_at and record.claimed_at else None
        return "done" if took is None or step.by_code else f"done, {took:.{0 if took >= 10 else 1}f} s"
    if record and record.state == "ready":
        return "ready" if run_state == "running" else run_state
    return "not published" if run_state == "finished" else "waiting"


def _expectation(scene: Scene, step: PlannedStep, record: StepRecord | None) -> str:
    if record and record.problem:
        return record.problem
    era = scene.state.schedule.era(step.era)
    review = (
        f"Sees the record from {era.start:%Y-%m} to {era.end:%Y-%m}."
        if rubric_of(era.mode) is RubricId.RECORD
        else "Audits the claims; there is no answer on record."
    )
    return {
        StepKind.BRIEFING: f"What may be known before {era.start}.",
        StepKind.MEMO: "Two theses, each with its whole chain.",
        StepKind.ATTACK: "Attacks every thesis.",
        StepKind.NOTE: "Writes to the head of the department.",
        StepKind.REPLY: "Answers memos and attack.",
        StepKind.DRAFT: "Drafts a decision.",
        StepKind.CRITIQUE: "Criticizes the draft.",
        StepKind.DECISION: "Decides what the company becomes.",
        StepKind.BOARD: "Attacks, then decides what the company becomes.",
        StepKind.REVIEW: review,
        StepKind.READING: "Labels dissents and theses; changes no score.",
        StepKind.GUESS: "Guesses condition, model and run.",
        StepKind.RECALL: "Chooses one of four answers.",
    }[step.kind]
