"""How far a study is: what the headless command and the pages say in one line."""

from dataclasses import dataclass
from uuid import UUID

from app.services.unit_of_work import Reading


@dataclass(frozen=True, slots=True)
class StuckRun:
    """A step that needs an operator, and why."""

    run: str
    step: str
    problem: str


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Sums over a study's runs; ``moving`` is False once every run ended or waits for an operator."""

    runs: int
    finished: int
    ended: int
    steps_done: int
    steps_owed: int
    calls_made: int
    tokens: int
    cost_usd: float
    stuck: tuple[StuckRun, ...]
    moving: bool


def study_progress(look: Reading, study_id: UUID) -> StudyProgress:
    """The progress of a study. Raises NotFoundError."""
    look.studies.get(study_id)
    runs = look.runs.of_study(study_id)
    names = {run.id: run.name for run in runs}
    open_steps = [step for step in look.steps.unfinished(study_id) if step.run_id in names]
    stuck = [step for step in open_steps if step.state == "needs_operator"]
    at_work = {step.run_id for step in open_steps if step.state in {"ready", "claimed"}}
    running = {run.id for run in runs if run.state == "running"}
    return StudyProgress(
        runs=len(runs),
        finished=sum(run.state == "finished" for run in runs),
        ended=sum(run.state in {"finished", "cancelled"} for run in runs),
        steps_done=sum(run.steps_done for run in runs),
        steps_owed=sum(run.steps_owed for run in runs),
        calls_made=sum(run.calls_made for run in runs),
        tokens=sum(run.tokens_in + run.tokens_out for run in runs),
        cost_usd=sum(run.cost_usd for run in runs),
        stuck=tuple(StuckRun(names[step.run_id], step.key, step.problem or "") for step in stuck),
        moving=bool(at_work & running),
    )
