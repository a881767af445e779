"""Small documents to build tests from."""

from datetime import date
from typing import Any

from app.domain.engine.inputs import Role, StepInput, StepKind, Wanted
from app.domain.ids import LessonId, StepKey
from app.domain.protocol.artifacts import (
    Attack,
    AttackPoint,
    AuditedClaim,
    AuditorReview,
    Briefing,
    BriefingItem,
    BriefingSection,
    Claim,
    ClaimKind,
    CompanyUpdate,
    Confidence,
    Decision,
    Deferral,
    Dissent,
    LessonDraft,
    LessonKind,
    LessonUse,
    Memo,
    Outcome,
    RecordReview,
    Score,
    Stance,
    StopThreshold,
    Suspicion,
    Thesis,
    ThesisChain,
)
from app.domain.protocol.company import CompanyState, Identity
from app.domain.protocol.eras import Era, Mode
from app.domain.protocol.personas import DEPARTMENTS, Group
from app.domain.protocol.playbook import Lesson, Playbook
from app.domain.protocol.rubrics import AUDITOR_DIMENSIONS, RECORD_DIMENSIONS, RubricId, rubric_of
from app.library import reader

ERA = Era(id="E2", start=date(1996, 1, 1), end=date(2002, 1, 1), mode=Mode.TRAINING)
LIVE = Era(id="E7", start=date(2026, 9, 1), end=date(2032, 1, 1), mode=Mode.LIVE)
FORECAST = Era(id="E8", start=date(2032, 1, 1), end=date(2040, 1, 1), mode=Mode.FORECAST)

THRESHOLD = StopThreshold(measure="paying sites", threshold="fewer than five", by="1997-03")
CLAIM = Claim(text="Modems get faster", kind=ClaimKind.FACT, confidence=Confidence.HIGH)
USE = LessonUse(lesson="E1-1", stance=Stance.DISPUTES, how="bridges last longer here")


def chain() -> ThesisChain:
    return ThesisChain(
        capability="cheap lines",
        adoption="small firms",
        bottleneck="addresses",
        layer_owned="the directory",
        layer="discovery",
        proprietary_data="who answers",
        next_capability="orders",
    )


def thesis(title: str = "A directory") -> Thesis:
    return Thesis(
        title=title,
        chain=chain(),
        why_now="lines got cheap",
        wedge="a printed list,\n# then a file",
        first_customer="wholesalers",
        makes_obsolete="catalogues",
        uncertain="whether anyone pays",
    )


def memo(department: Group = Group.MARKET_CAPITAL, claims: tuple[Claim, ...] = ()) -> Memo:
    return Memo(
        department=department,
        summary="Two ways to be found",
        theses=(thesis(), thesis("An exchange")),
        lessons=(USE,),
        claims=claims,
    )


def memos() -> tuple[Memo, ...]:
    return tuple(memo(department) for department in DEPARTMENTS)


def attack() -> Attack:
    point = AttackPoint(thesis="market_capital/1", objection="nobody pays", suspicion=Suspicion.HYPE)
    return Attack(summary="Thin", points=(point,), thresholds=(THRESHOLD,))


def decision(
    name: str = "Lattice", assets: tuple[str, ...] = ("list",), *, gate: str | None = None, deferred: bool = False
) -> Decision:
    return Decision(
        company_name=name,
        identity="finds suppliers",
        chain=chain(),
        rationale="it is early",
        end=("consulting",),
        keep=(),
        wedge="a list",
        first_customer="wholesalers",
        plan=("list", "search", "orders"),
        capital_need="US$2M",
        stop_criteria=(THRESHOLD,),
        deferral=Deferral(deferred=deferred, gate=gate),
        organization=("a search team",),
        dissents=(Dissent(id="D1", who="Head of Product", why="too narrow"),),
        lessons=(USE,),
        claims=(),
        state=CompanyUpdate(capital_usd=900_000, assets=assets, reputation="known to a few"),
    )


def outcome(gained: tuple[str, ...] = (), lost: tuple[str, ...] = ()) -> Outcome:
    return Outcome(
        summary="a small sale", capital_usd=2_000_000, reputation="known", assets_gained=gained, assets_lost=lost
    )


def draft(text: str = "Date the bridge.", revises: str | None = None, retires: str | None = None) -> LessonDraft:
    return LessonDraft(text=text, kind=LessonKind.TECHNOLOGY_MARKET, revises=revises, retires=retires)


def record_review() -> RecordReview:
    return RecordReview(
        scores=tuple(Score(dimension=name, value=6, reason="as it was") for name in RECORD_DIMENSIONS),
        pooled_layer="systems",
        leaks=(),
        outcome=outcome(),
        closest_company="a gateway maker",
        lessons=(draft("LESSON-OF-REVIEW"), draft(), draft()),
        reveal="The open network won.",
    )


def auditor_review() -> AuditorReview:
    return AuditorReview(
        scores=tuple(Score(dimension=name, value=6, reason="as it is") for name in AUDITOR_DIMENSIONS),
        pooled_layer="systems",
        leaks=(),
        outcome=outcome(),
        closest_company="an insurer",
        lessons=(draft(), draft(), draft()),
        claims=(AuditedClaim(claim="It scales.", finding="Not shown.", confidence_percent=40),),
        already_done_by=("two insurers",),
        kill_case="margins vanish",
        base_outcome="sold",
        bear_outcome="closed",
    )


def briefing(event: int | None = 7) -> Briefing:
    items = (BriefingItem(text="Lines got cheaper.", date="1995-06", event=event), BriefingItem(text="Money is dear."))
    return Briefing(headline="The day", sections=(BriefingSection(heading="Technology", items=items),))


def playbook() -> Playbook:
    first = Lesson(id=LessonId("E1-1"), era="E1", text="Bridges expire.", kind=LessonKind.TECHNOLOGY_MARKET)
    gone = first.model_copy(update={"id": LessonId("E1-2"), "text": "Withdrawn.", "retired_by": LessonId("E1-1")})
    newer = first.model_copy(update={"id": LessonId("E1-3"), "text": "Sharper.", "revises": LessonId("E1-2")})
    return Playbook(lessons=(first, gone, newer))


def company() -> CompanyState:
    return CompanyState(
        assets=("a list",), identities=(Identity(era="E1", name="Relay", line="bridges"),), last_outcome="sold well"
    )


def step(
    kind: StepKind, era: Era = ERA, role: Role = Role.PLAYER, wanted: Wanted | None = None, **given: Any
) -> StepInput:
    """A step with its layers and roster, and whatever else is given."""
    return StepInput(
        key=StepKey(f"{era.id}/{kind}"),
        kind=kind,
        role=role,
        era=era,
        layers=reader.layers(),
        roster=reader.roster(),
        wanted=wanted or Wanted(),
        **given,
    )


def review_step(era: Era = ERA, **given: Any) -> StepInput:
    """A judge's step with its rubric."""
    rubric = reader.rubric(RubricId(rubric_of(era.mode)))
    return step(StepKind.REVIEW, era, Role.JUDGE, rubric=rubric, **given)
