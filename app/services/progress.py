"""How far a study is: what the headless command and the pages say in one line."""

from dataclasses import dataclass
from uuid import UUID

from app.services.judgings import ENDED, owed_judgings
from app.services.unit_of_work import Reading
from app.storage.runs import JUDGING, PLAY


@dataclass(frozen=True, slots=True)
class StuckRun:
    """A step that needs an operator, and why."""

    run: str
    step: str
    problem: str


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Sums over a study's runs and judgings; ``moving`` is False once each ended or waits for an operator.

    ``runs``, ``finished`` and ``ended`` count runs; judgings of the design are ``judgings``, also before they begin.
    """

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
    judgings: int = 0
    judgings_finished: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every run and every judging of the design came to its end."""
        return self.finished == self.runs and self.judgings_finished == self.judgings


def study_progress(look: Reading, study_id: UUID) -> StudyProgress:
    """The progress of a study. Raises NotFoundError."""
    study = look.studies.get(study_id)
    every = look.runs.every(study_id)
    runs = [run for run in every if run.kind == PLAY]
    judgings = [run for run in every if run.kind == JUDGING]
    owed = owed_judgings(look, study) if study.design.further_judges else ()
    names = {run.id: run.name for run in every}
    open_steps = [step for step in look.steps.unfinished(study_id) if step.run_id in names]
    stuck = [step for step in open_steps if step.state == "needs_operator"]
    at_work = {step.run_id for step in open_steps if step.state in {"ready", "claimed"}}
    running = {run.id for run in every if run.state == "running"}
    all_ended = all(run.state in ENDED for run in runs)
    return StudyProgress(
        runs=len(runs),
        finished=sum(run.state == "finished" for run in runs),
        ended=sum(run.state in {"finished", "cancelled"} for run in runs),
        steps_done=sum(run.steps_done for run in every),
        steps_owed=sum(run.steps_owed for run in every) + sum(one.plan.calls for one in owed),
        calls_made=sum(run.calls_made for run in every),
        tokens=sum(run.tokens_in + run.tokens_out for run in every),
        cost_usd=sum(run.cost_usd for run in every),
        stuck=tuple(StuckRun(names[step.run_id], step.key, step.problem or "") for step in stuck),
        moving=bool(at_work & running) or bool(owed and all_ended),
        judgings=len(judgings) + len(owed),
        judgings_finished=sum(run.state == "finished" for run in judgings),
    )
