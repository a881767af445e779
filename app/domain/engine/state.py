"""A run as its artifacts tell it: who decided what, and the Playbook and company that enter each era."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.domain.engine.inputs import StepKind
from app.domain.engine.steps import PlannedStep, plan_steps, step_key, steps_by_kind
from app.domain.ids import StepKey
from app.domain.protocol.artifacts import (
    Artifact,
    Attack,
    AuditorReview,
    Board,
    Briefing,
    Critique,
    Decision,
    Memo,
    Note,
    RecordReview,
    Reply,
    Review,
    SecondReading,
)
from app.domain.protocol.company import CompanyState
from app.domain.protocol.eras import Schedule
from app.domain.protocol.imported import ImportedDecision, ImportedReview
from app.domain.protocol.personas import DEPARTMENTS, Group
from app.domain.protocol.playbook import Playbook
from app.domain.study import PlannedRun, StudyDesign


@dataclass(frozen=True, slots=True)
class Entering:
    """What enters an era, and the last documents that it was made of."""

    decision: Decision
    review: Review
    playbook: Playbook
    company: CompanyState


@dataclass(slots=True)
class RunMemory:
    """What never changes once it is known: the plan, and what entered each era whose forerunners are reviewed."""

    plan: tuple[PlannedStep, ...] | None = None
    entering: dict[str, Entering] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunState:
    """A run's design and all it has produced so far, by step key; states of one run may share their ``memory``."""

    design: StudyDesign
    run: PlannedRun
    artifacts: Mapping[StepKey, Artifact]
    memory: RunMemory = field(default_factory=RunMemory, compare=False, repr=False)

    @property
    def schedule(self) -> Schedule:
        """The eras that this run lives through."""
        return self.run.schedule

    @property
    def plan(self) -> tuple[PlannedStep, ...]:
        """Every step this run owes from first to last."""
        if self.memory.plan is None:
            self.memory.plan = plan_steps(self.design, self.run.condition, self.schedule)
        return self.memory.plan

    @property
    def is_finished(self) -> bool:
        """Whether every planned step is done."""
        return all(step.key in self.artifacts for step in self.plan)

    def briefing(self, era: str) -> Briefing | None:
        """``B_k``, if it is there."""
        found = self.artifacts.get(step_key(era, StepKind.BRIEFING))
        return found if isinstance(found, Briefing) else None

    def memos(self, era: str) -> tuple[Memo, ...]:
        """The memos of an era in the departments' order."""
        found = (self.artifacts.get(step_key(era, StepKind.MEMO, department)) for department in DEPARTMENTS)
        return tuple(memo for memo in found if isinstance(memo, Memo))

    def notes(self, era: str, department: Group) -> tuple[Note, ...]:
        """The notes of a department's members, in the plan's order; only in the persona mapping."""
        found = self._written(era, StepKind.NOTE, department)
        return tuple(note for note in found if isinstance(note, Note))

    def replies(self, era: str) -> tuple[Reply, ...]:
        """What the executives answered; only in the persona mapping."""
        return tuple(reply for reply in self._written(era, StepKind.REPLY) if isinstance(reply, Reply))

    def drafts(self, era: str) -> tuple[Decision, ...]:
        """The single founder's drafts; only where it revises."""
        return tuple(draft for draft in self._written(era, StepKind.DRAFT) if isinstance(draft, Decision))

    def critiques(self, era: str) -> tuple[Critique, ...]:
        """The single founder's criticism of its drafts; only where it revises."""
        return tuple(one for one in self._written(era, StepKind.CRITIQUE) if isinstance(one, Critique))

    def attack(self, era: str) -> Attack | None:
        """The Red Team's attack, from its own call or from the board."""
        found = self.artifacts.get(step_key(era, StepKind.ATTACK))
        if isinstance(found, Attack):
            return found
        board = self.artifacts.get(step_key(era, StepKind.BOARD))
        return board.attack if isinstance(board, Board) else None

    def decision(self, era: str) -> Decision | None:
        """``D_k``, from its own call or from the board."""
        found = self.artifacts.get(step_key(era, StepKind.DECISION))
        if isinstance(found, Decision):
            return found
        board = self.artifacts.get(step_key(era, StepKind.BOARD))
        return board.decision if isinstance(board, Board) else None

    def review(self, era: str) -> Review | None:
        """The judge's review, if it is there."""
        found = self.artifacts.get(step_key(era, StepKind.REVIEW))
        return found if isinstance(found, RecordReview | AuditorReview) else None

    def imported_decision(self, era: str) -> ImportedDecision | None:
        """The decision of an imported era, in place of ``decision``."""
        found = self.artifacts.get(step_key(era, StepKind.BOARD))
        return found if isinstance(found, ImportedDecision) else None

    def imported_review(self, era: str) -> ImportedReview | None:
        """The review of an imported era, in place of ``review``."""
        found = self.artifacts.get(step_key(era, StepKind.REVIEW))
        return found if isinstance(found, ImportedReview) else None

    def reading(self, era: str) -> SecondReading | None:
        """The judge's second reading, if there is one."""
        found = self.artifacts.get(step_key(era, StepKind.READING))
        return found if isinstance(found, SecondReading) else None

    def playbook(self, era: str) -> Playbook:
        """``P_k``: the Playbook that enters an era."""
        return self._entering(era)[0]

    def company(self, era: str) -> CompanyState:
        """``S_k``: the company that enters an era."""
        return self._entering(era)[1]

    def with_artifact(self, key: StepKey, artifact: Artifact) -> "RunState":
        """The state once a step has written its artifact.

        The writing may yet fail: what is remembered of this artifact holds for this very one, not for another.
        """
        return replace(self, artifacts={**self.artifacts, key: artifact})

    def _entering(self, era: str) -> tuple[Playbook, CompanyState]:
        before = self.schedule.before(era)
        if before is None:
            return Playbook(), CompanyState()
        decision, review = self.decision(before.id), self.review(before.id)
        known = self.memory.entering.get(era)
        if known and known.decision is decision and known.review is review:
            return known.playbook, known.company
        playbook, company = self._entering(before.id)
        if review is None:
            return playbook, company
        playbook = playbook.with_lessons(before.id, review.lessons)
        if decision is None:
            return playbook, company
        company = company.after(before.id, decision, review.outcome)
        self.memory.entering[era] = Entering(decision, review, playbook, company)
        return playbook, company

    def _written(self, era: str, kind: StepKind, department: Group | None = None) -> tuple[Artifact, ...]:
        """What the steps of a kind wrote so far in an era, in the plan's order."""
        steps = steps_by_kind(self.plan).get((era, kind), ())
        of_department = (step for step in steps if department is None or step.department is department)
        return tuple(self.artifacts[step.key] for step in of_department if step.key in self.artifacts)
