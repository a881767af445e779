"""A judging as the engine moves it: a run whose steps are independent, told by its plan and how many are done."""

from dataclasses import dataclass, replace

from app.domain.engine.judgings import JudgingPlan
from app.domain.engine.state import RunMemory, RunState
from app.domain.ids import StepKey
from app.domain.protocol.artifacts import Artifact
from app.domain.protocol.budgets import Budget, Budgets
from app.domain.study import PlannedRun, StudyDesign


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingState(RunState):
    """The state of a judging. It remembers no artifacts: nothing that it writes is ever shown to a later step."""

    judging: JudgingPlan
    done: int

    @property
    def is_finished(self) -> bool:
        """Whether every planned step is done."""
        return self.done >= self.judging.calls

    def with_artifact(self, key: StepKey, artifact: Artifact) -> "JudgingState":
        """The state once a step has written its artifact."""
        return replace(self, done=self.done + 1)


def judging_state(design: StudyDesign, judging: JudgingPlan, number: int, done: int) -> JudgingState:
    """A judging of a study's design with ``done`` finished steps: its own judge and budget stand in the design's place.

    Whatever asks the design who answers, or what may be spent, is so told the truth about this judging.
    """
    bound = design.budgets.study if design.budgets else Budget()
    budgets = Budgets(study=bound, run=judging.budget or Budget()) if design.budgets or judging.budget else None
    own = design.model_copy(update={"judge": judging.judge, "budgets": budgets})
    run = PlannedRun(number, design.conditions[0], 1, judging.judge, design.schedules[0])
    steps = tuple(sitting.step for sitting in judging.sittings.values())
    return JudgingState(design=own, run=run, artifacts={}, memory=RunMemory(plan=steps), judging=judging, done=done)
