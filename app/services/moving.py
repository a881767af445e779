"""How a run moves on inside a transaction: an artifact is written, and the steps it unlocks are owed."""

from dataclasses import dataclass
from functools import partial

from app.domain.engine.by_code import write_by_code
from app.domain.engine.judgings import FIRST_JUDGING
from app.domain.engine.ledger import EventKind, body_hash
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep, unlocked_steps
from app.domain.ids import ArtifactId, CallId, StepId, StepKey, UserId
from app.domain.protocol.artifacts import Artifact
from app.jobs import Job
from app.services.locked_run import LockedRun
from app.services.masked_texts import masked_body_told, masks_told
from app.services.run_states import remember_artifacts
from app.services.unit_of_work import Work
from app.services.worlds import library_of
from app.storage.artifacts import KeptArtifact
from app.storage.steps import Claim, Lease


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote an artifact: a call, a person, or code where both are None."""

    call_id: CallId | None = None
    written_by: UserId | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """The run after a move, and the step that the mover claimed of those now owed."""

    state: RunState
    claimed: tuple[PlannedStep, Lease] | None


def write_artifact(
    work: Work, run: LockedRun, step_id: StepId, step: PlannedStep, artifact: Artifact, origin: Origin
) -> None:
    """Keep what a step wrote and tell the ledger; the step itself is marked by the caller."""
    body = artifact.model_dump(mode="json")
    digest = body_hash(body)
    kept = KeptArtifact(
        id=ArtifactId(work.new_id()),
        run_id=run.head.id,
        step_id=step_id,
        key=step.key,
        artifact=artifact,
        body_hash=digest,
        call_id=origin.call_id,
        written_by=origin.written_by,
        written_at=work.now,
    )
    work.artifacts.add(kept, step.era, body)
    told = {"artifact": str(kept.id), "step": step.key, "kind": artifact.kind, "sha256": digest}
    told |= masked_body_told(masks_told(work, run.head), body)
    if origin.call_id:
        told["call"] = str(origin.call_id)
    if origin.written_by:
        told["written_by"] = str(origin.written_by)
    run.tell(EventKind.ARTIFACT_WRITTEN, told)
    run.add(steps_done=1)
    if run.head.number < FIRST_JUDGING:  # what a judging writes no later step is given
        work.after_commit(partial(remember_artifacts, run.head.id, {step.key: artifact}))


def move_on(work: Work, run: LockedRun, state: RunState, after: StepKey | None, claim: Claim | None = None) -> Moved:
    """Owe every step that ``after`` unlocks (None at launch), doing at once those that code can do.

    With a claim, the first of them is claimed for its maker; the others are sent to whoever is free.
    """
    unlocked = _unlocked(state, after)
    claimed: tuple[PlannedStep, Lease] | None = None
    for step in unlocked:
        step_id = StepId(work.new_id())
        if step.by_code:
            state = _done_by_code(work, run, state, step_id, step)
            inner = move_on(work, run, state, step.key, None if claimed else claim)
            state, claimed = inner.state, claimed or inner.claimed
        elif claim and claimed is None and run.head.state == "running":
            claimed = (step, work.steps.add_claimed(step_id, run.head.id, step, work.now, claim))
        else:
            work.steps.add(step_id, run.head.id, step, work.now)
            work.enqueue(Job.PERFORM_STEP, step_id)
    if after is not None and not unlocked and state.is_finished:
        run.tell(EventKind.RUN_FINISHED, {"steps": len(state.plan)})
        if run.head.state != "cancelled":
            run.set(state="finished")
        run.set(finished_at=work.now)
        work.enqueue(Job.AUDIT_RUN, run.head.id)
        if state.design.further_judges:
            work.enqueue(Job.START_JUDGINGS, run.head.study_id)
    return Moved(state, claimed)


def _unlocked(state: RunState, after: StepKey | None) -> tuple[PlannedStep, ...]:
    return unlocked_steps(state.plan, state.artifacts.keys(), after)


def _done_by_code(work: Work, run: LockedRun, state: RunState, step_id: StepId, step: PlannedStep) -> RunState:
    artifact = write_by_code(step, state, library_of(state.schedule))
    work.steps.add(step_id, run.head.id, step, work.now, done=True)
    write_artifact(work, run, step_id, step, artifact, Origin())
    return state.with_artifact(step.key, artifact)
