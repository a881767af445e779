"""What calls and people write: typed, frozen documents, told apart by ``kind``."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, TypeAdapter

from app.domain.protocol.imported import ImportedDecision, ImportedDocument, ImportedReview
from app.domain.protocol.personas import Group
from app.domain.protocol.rubrics import SCALE

Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Line = Annotated[str, Field(min_length=1, max_length=600)]


class Written(BaseModel):
    """Base of everything written: frozen, and nothing beyond its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Stance(StrEnum):
    """What a document does with a lesson."""

    CITES = "cites"
    DISPUTES = "disputes"


class ClaimKind(StrEnum):
    """What a claim in a live or forecast era rests on."""

    FACT = "fact"
    EXTRAPOLATION = "extrapolation"
    SPECULATION = "speculation"


class Confidence(StrEnum):
    """How sure a claim is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class LessonKind(StrEnum):
    """What a lesson is about, by its writer's own label (protocol section 7)."""

    TECHNOLOGY_MARKET = "technology_market"
    BUYER_WORKFLOW = "buyer_workflow"
    VERIFICATION = "verification"
    OTHER = "other"


class Suspicion(StrEnum):
    """What the Red Team suspects in a thesis."""

    NONE = "none"
    HYPE = "hype"
    HINDSIGHT = "hindsight"


class Verdict(StrEnum):
    """What became of a dissent."""

    VINDICATED = "vindicated"
    REFUTED = "refuted"
    UNRESOLVED = "unresolved"


class LessonUse(Written):
    """A Playbook lesson cited or argued against."""

    lesson: str = Field(description="id of the lesson, such as E2-1")
    stance: Stance
    how: Line


class Claim(Written):
    """A tagged claim of a live or forecast era."""

    text: Line
    kind: ClaimKind
    confidence: Confidence


class ThesisChain(Written):
    """Capability to next capability; ``layer`` is an id of the era's layer list, ``layer_owned`` says it in words."""

    capability: Line
    adoption: Line
    bottleneck: Line
    layer_owned: Line
    layer: str
    proprietary_data: Line
    next_capability: Line


class Thesis(Written):
    """One proposal of a department."""

    title: Line
    chain: ThesisChain
    why_now: Text
    wedge: Text
    first_customer: Line
    makes_obsolete: Line
    uncertain: Text


class BriefingItem(Written):
    """One dated fact; ``event`` is its neutral number in the list the author was given, if it has one."""

    text: Text
    date: str | None = Field(default=None, description="YYYY, YYYY-MM or YYYY-MM-DD")
    event: int | None = Field(default=None, description="number of the event in the list given")


class BriefingSection(Written):
    """One heading of a briefing with its facts."""

    heading: Line
    items: tuple[BriefingItem, ...] = Field(min_length=1)


class Briefing(Written):
    """``B_k``: what the company may know of its day."""

    kind: Literal["briefing"] = "briefing"
    headline: Line
    sections: tuple[BriefingSection, ...] = Field(min_length=1)


class Memo(Written):
    """One department's two theses."""

    kind: Literal["memo"] = "memo"
    department: Group
    summary: Line
    theses: tuple[Thesis, ...] = Field(min_length=2, max_length=2)
    lessons: tuple[LessonUse, ...] = Field(description="at least one lesson cited or disputed once there are any")
    claims: tuple[Claim, ...] = Field(description="tagged claims in live and forecast eras, else empty")


class Note(Written):
    """What one department member writes in a context of its own, for the head who writes the memo."""

    kind: Literal["note"] = "note"
    persona: str = Field(description="id of the persona who writes")
    observations: tuple[Line, ...] = Field(min_length=1, max_length=8)
    proposal: Text
    doubt: Text


class Reply(Written):
    """What one executive answers to memos and attack before the CEO decides; ``backs`` names a thesis."""

    kind: Literal["reply"] = "reply"
    persona: str = Field(description="id of the persona who answers")
    backs: str = Field(description="the thesis it would choose, such as market_capital/1")
    position: Text
    concedes: tuple[Line, ...]


class Critique(Written):
    """A single founder's criticism of its own draft."""

    kind: Literal["critique"] = "critique"
    points: tuple[Line, ...] = Field(min_length=1, max_length=8)
    keep: tuple[Line, ...]


class AttackPoint(Written):
    """One objection to one thesis; ``thesis`` names it as department and number, such as market_capital/1."""

    thesis: str
    objection: Text
    suspicion: Suspicion


class StopThreshold(Written):
    """A number that, once crossed by ``by``, ends an effort."""

    measure: Line
    threshold: Line
    by: Line


class Attack(Written):
    """The Red Team against every thesis."""

    kind: Literal["attack"] = "attack"
    summary: Line
    points: tuple[AttackPoint, ...] = Field(min_length=1)
    thresholds: tuple[StopThreshold, ...]


class Dissent(Written):
    """Who disagreed with the decision, and why; ``id`` is such as D1."""

    id: str
    who: Line
    why: Text


class Deferral(Written):
    """Whether all building waits behind a gate."""

    deferred: StrictBool
    gate: str | None = Field(description="what must be shown first, if deferred")


class CompanyUpdate(Written):
    """What the company holds once the decision is carried out."""

    capital_usd: StrictInt = Field(ge=0)
    assets: tuple[Line, ...]
    reputation: Line


class Decision(Written):
    """``D_k``: what the company becomes."""

    kind: Literal["decision"] = "decision"
    company_name: Annotated[str, Field(min_length=1, max_length=80)]
    identity: Line
    chain: ThesisChain
    rationale: Text
    end: tuple[Line, ...] = Field(description="businesses and assets to end")
    keep: tuple[Line, ...] = Field(description="businesses and assets to keep, each argued for")
    wedge: Text
    first_customer: Line
    plan: tuple[Line, ...] = Field(min_length=3, max_length=3, description="one line a year")
    capital_need: Line
    stop_criteria: tuple[StopThreshold, ...] = Field(min_length=1)
    deferral: Deferral
    organization: tuple[Line, ...]
    dissents: tuple[Dissent, ...]
    lessons: tuple[LessonUse, ...]
    claims: tuple[Claim, ...] = Field(description="tagged claims in live and forecast eras, else empty")
    state: CompanyUpdate


class Board(Written):
    """The pilot's board: attack, if there is a Red Team, and decision in one call."""

    kind: Literal["board"] = "board"
    attack: Attack | None
    decision: Decision


class Score(Written):
    """One subscore with one line of reason."""

    dimension: str
    value: StrictInt = Field(ge=SCALE[0], le=SCALE[1])
    reason: Line


class LeakSpan(Written):
    """A passage, quoted exactly, that looks as if it knew the outcome."""

    quote: Line
    reason: Line


class LessonDraft(Written):
    """A lesson to carry forward; it may revise or retire an older one."""

    text: Text
    kind: LessonKind
    revises: str | None = Field(description="id of the lesson it replaces")
    retires: str | None = Field(description="id of the lesson it withdraws")


class Outcome(Written):
    """A calibrated simulated outcome of the decision."""

    summary: Text
    capital_usd: StrictInt = Field(ge=0)
    reputation: Line
    assets_gained: tuple[Line, ...]
    assets_lost: tuple[Line, ...]


class ReviewBase(Written):
    """What both judges write; the last two fields only where the preset asks for them."""

    scores: tuple[Score, ...] = Field(min_length=5, max_length=5)
    pooled_layer: str = Field(description="id of the layer where value pooled, or would")
    leaks: tuple[LeakSpan, ...]
    outcome: Outcome
    closest_company: Line
    lessons: tuple[LessonDraft, ...] = Field(min_length=3, max_length=5)
    typed_total: StrictInt | None = Field(default=None, ge=0, le=100)
    next_briefing: Briefing | None = None


class RecordReview(ReviewBase):
    """The Record: what really happened, then scores."""

    kind: Literal["record_review"] = "record_review"
    reveal: Text


class AuditedClaim(Written):
    """A claim checked by The Auditor; ``confidence_percent`` is its belief that the claim holds."""

    claim: Line
    finding: Text
    confidence_percent: StrictInt = Field(ge=0, le=100)


class AuditorReview(ReviewBase):
    """The Auditor: claims, rivals, the case against, then scores."""

    kind: Literal["auditor_review"] = "auditor_review"
    claims: tuple[AuditedClaim, ...] = Field(min_length=1)
    already_done_by: tuple[Line, ...]
    kill_case: Text
    base_outcome: Text
    bear_outcome: Text


class DissentVerdict(Written):
    """What became of one dissent."""

    dissent: str
    verdict: Verdict
    reason: Line


class SecondReading(Written):
    """Labels after the scores: they never change one."""

    kind: Literal["second_reading"] = "second_reading"
    verdicts: tuple[DissentVerdict, ...]
    named_by: tuple[str, ...] = Field(description="theses that named the pooled layer, such as market_capital/1")
    adjoins_assets: StrictBool
    adjoins_reason: Line
    memo_leaks: tuple[LeakSpan, ...]


class BlindGuess(Written):
    """What a reader of a blind packet guesses of what was hidden; null is "cannot tell"."""

    kind: Literal["blind_guess"] = "blind_guess"
    condition: str | None = Field(description="how the company is organized, or null")
    model: str | None = Field(description="the model that wrote the decision, or null")
    run: str | None = Field(description="the run it comes from, or null")
    reason: Line


class RecallChoice(Written):
    """The letter chosen in a forced choice about an outcome window."""

    kind: Literal["recall_choice"] = "recall_choice"
    choice: Literal["A", "B", "C", "D"]


class Skipped(Written):
    """What stands in the place of a document that an operator let the run go on without; no prompt ever shows it."""

    kind: Literal["skipped"] = "skipped"
    instead_of: str = Field(description="the kind of step that was skipped")
    reason: Text


Artifact = Annotated[
    Briefing
    | Note
    | Memo
    | Attack
    | Reply
    | Critique
    | Decision
    | Board
    | RecordReview
    | AuditorReview
    | SecondReading
    | BlindGuess
    | RecallChoice
    | Skipped
    | ImportedDocument
    | ImportedDecision
    | ImportedReview,
    Field(discriminator="kind"),
]
Review = RecordReview | AuditorReview

ARTIFACT: TypeAdapter[Artifact] = TypeAdapter(Artifact)
"""Reads any artifact back from its JSON body."""
