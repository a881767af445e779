"""Runs as their artifacts tell them, kept in memory: artifacts never change, so only new ones are read."""

from threading import Lock
from types import MappingProxyType
from uuid import UUID

from app.domain.engine.judging_state import judging_state
from app.domain.engine.judgings import FIRST_JUDGING, JudgingPlan
from app.domain.engine.state import RunMemory, RunState
from app.domain.ids import RunId, StepKey
from app.domain.protocol.artifacts import Artifact
from app.domain.study import PlannedRun, StudyDesign, plan_runs
from app.services.registry import forget_registry
from app.services.unit_of_work import Reading, Work
from app.storage.runs import RunRecord

KEPT_RUNS = 256


class _Kept:
    """What this process knows of runs and designs; the oldest run is dropped when there are too many."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._artifacts: dict[RunId, dict[StepKey, Artifact]] = {}
        self._memories: dict[RunId, RunMemory] = {}
        self._redactions: dict[RunId, int] = {}
        self._designs: dict[UUID, tuple[StudyDesign, tuple[PlannedRun, ...]]] = {}
        self._judgings: dict[RunId, JudgingPlan] = {}

    def design(self, work: Reading, study_id: UUID) -> tuple[StudyDesign, tuple[PlannedRun, ...]]:
        found = self._designs.get(study_id)
        if found is None:
            forget_registry()
            design = work.studies.get(study_id).design
            found = self._designs[study_id] = (design, plan_runs(design))
        return found

    def judging(self, work: Reading, run_id: RunId) -> JudgingPlan:
        found = self._judgings.get(run_id)
        if found is None:
            forget_registry()
            found = self._judgings[run_id] = JudgingPlan.model_validate(work.runs.get(run_id).plan)
        return found

    def artifacts(self, run_id: RunId) -> tuple[dict[StepKey, Artifact], RunMemory]:
        with self._lock:
            return dict(self._artifacts.get(run_id, {})), self._memories.setdefault(run_id, RunMemory())

    def forget_redacted(self, run_id: RunId, redactions: int) -> None:
        """Drop a run whose texts were taken out since it was read."""
        with self._lock:
            if self._redactions.get(run_id, 0) == redactions:
                return
            self._redactions[run_id] = redactions
            self._artifacts.pop(run_id, None)
            self._memories.pop(run_id, None)

    def learn(self, run_id: RunId, artifacts: dict[StepKey, Artifact]) -> None:
        with self._lock:
            self._artifacts[run_id] = self._artifacts.pop(run_id, {}) | artifacts
            while len(self._artifacts) > KEPT_RUNS:
                oldest = next(iter(self._artifacts))
                del self._artifacts[oldest]
                self._memories.pop(oldest, None)


_KEPT = _Kept()


def run_state(work: Reading, run_id: RunId, study_id: UUID, number: int, steps_done: int) -> RunState:
    """The state of a run with ``steps_done`` finished steps; reads the artifacts this process has not seen."""
    design, planned = _KEPT.design(work, study_id)
    if number >= FIRST_JUDGING:
        return judging_state(design, _KEPT.judging(work, run_id), number, steps_done)
    if not isinstance(work, Work):  # a run that moves is never redacted: only pages look
        _KEPT.forget_redacted(run_id, work.redactions.count(run_id))
    artifacts, memory = _KEPT.artifacts(run_id)
    if len(artifacts) < steps_done:
        new = work.artifacts.missing(run_id, tuple(artifacts))
        _KEPT.learn(run_id, new)
        artifacts |= new
    return RunState(design=design, run=planned[number - 1], artifacts=MappingProxyType(artifacts), memory=memory)


def settled_state(look: Reading, run: RunRecord) -> RunState:
    """The state of a run that ended, as it is to be judged again: texts taken out since it was read are masked."""
    _KEPT.forget_redacted(run.id, look.redactions.count(run.id))
    return run_state(look, run.id, run.study_id, run.number, run.steps_done)


def remember_artifacts(run_id: RunId, artifacts: dict[StepKey, Artifact]) -> None:
    """Keep what a committed transaction of this process wrote, so that it is not read again."""
    _KEPT.learn(run_id, artifacts)
