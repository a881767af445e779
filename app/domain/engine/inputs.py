"""What one step is given: typed, so that a prompt cannot hold what its step must not see."""

from dataclasses import dataclass
from enum import StrEnum

from app.domain.ids import StepKey
from app.domain.protocol.artifacts import Attack, Briefing, Critique, Decision, Memo, Note, Reply, Review
from app.domain.protocol.company import CompanyState
from app.domain.protocol.eras import Era
from app.domain.protocol.layers import LayerGraph
from app.domain.protocol.personas import Group, Persona, Roster
from app.domain.protocol.playbook import Playbook
from app.domain.protocol.rubrics import Rubric
from app.domain.world.events import NumberedEvent

KEPT_TEXTS = 1_024
"""How many documents of a kind keep what is made of them: those of the eras that a worker's threads are in."""


class StepKind(StrEnum):
    """What a step of the era protocol does."""

    BRIEFING = "briefing"
    NOTE = "note"
    MEMO = "memo"
    ATTACK = "attack"
    REPLY = "reply"
    DRAFT = "draft"
    CRITIQUE = "critique"
    DECISION = "decision"
    BOARD = "board"
    REVIEW = "review"
    READING = "reading"
    GUESS = "guess"
    RECALL = "recall"


class Role(StrEnum):
    """Whose context answers a step."""

    AUTHOR = "author"
    PLAYER = "player"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the answer must hold beyond its schema: set by preset and condition."""

    typed_total: bool = False
    next_briefing: bool = False
    red_team: bool = True
    lesson_use: bool = False
    tagged_claims: bool = False


@dataclass(frozen=True, slots=True)
class ShownOutcome:
    """What a judge is told became of the company, in a packet judged twice with the outcome flipped."""

    is_success: bool
    text: str


@dataclass(frozen=True, slots=True)
class Arms:
    """What a guess at hidden things may name: conditions, player models, and runs; empty for what is not asked."""

    conditions: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A forced choice: what is asked, and the options in the order of their letters."""

    text: str
    options: tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class StepInput:
    """Everything a step may see; a field left empty is a thing it must not see or that does not exist yet.

    ``known`` are the numbered events of ``I_k`` (for a briefing author), ``outcomes`` those of ``O_k`` (for the judge
    of an era that has them), ``next_known`` what the pilot's judge may use for the next briefing, of ``next_era``.
    ``shown_outcome``, ``arms`` and ``choice`` are given only where stored decisions are judged again.
    ``blind`` says that the decision was stripped for a blind judge; ``notes`` are the words of operators to the judge.
    """

    key: StepKey
    kind: StepKind
    role: Role
    era: Era
    layers: LayerGraph
    roster: Roster
    wanted: Wanted
    department: Group | None = None
    persona: Persona | None = None
    company: CompanyState | None = None
    playbook: Playbook | None = None
    briefing: Briefing | None = None
    previous_decision: Decision | None = None
    previous_review: Review | None = None
    previous_briefing: Briefing | None = None
    member_notes: tuple[Note, ...] = ()
    memos: tuple[Memo, ...] = ()
    attack: Attack | None = None
    replies: tuple[Reply, ...] = ()
    drafts: tuple[Decision, ...] = ()
    critiques: tuple[Critique, ...] = ()
    decision: Decision | None = None
    review: Review | None = None
    rubric: Rubric | None = None
    known: tuple[NumberedEvent, ...] = ()
    outcomes: tuple[NumberedEvent, ...] = ()
    next_era: Era | None = None
    next_known: tuple[NumberedEvent, ...] = ()
    shown_outcome: ShownOutcome | None = None
    arms: Arms | None = None
    choice: Choice | None = None
    blind: bool = False
    notes: tuple[str, ...] = ()

    @property
    def voices(self) -> tuple[Persona, ...]:
        """The personas that speak in this context."""
        return self.roster.of(self.department) if self.department else ()
