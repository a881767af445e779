"""The leakage audit of a study: rates, the passages that were marked, and a person's word on those left open."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from app.domain.audit.findings import FindingFilter, Shown
from app.domain.auth import Right
from app.domain.protocol.analysis import Treatment
from app.services.audit_pages import show_audit
from app.services.audits import ask_audit, decide_finding
from app.services.finding_pages import show_finding, show_findings
from app.services.unit_of_work import Reading as Look
from app.web.addresses import PageNumber, StudyPath
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()
operate = Depends(needs(Right.OPERATE))
FindingPath = Annotated[UUID, Path(alias="finding_id")]


def wanted_findings(
    shown: str = "", probe: str = "", era: str = "", schedule: str = "", interventions: str = ""
) -> FindingFilter:
    """What a list of passages is to hold, as its address says; a word that names nothing asks for nothing."""
    return FindingFilter(
        Shown(shown) if shown in set(Shown) else Shown.WAITING,
        probe,
        era,
        schedule,
        Treatment(interventions) if interventions in set(Treatment) else Treatment.KEEP,
    )


Wanted = Annotated[FindingFilter, Depends(wanted_findings)]


class Word(BaseModel):
    """What a person decides about a passage, and why."""

    is_hit: Literal["yes", "no"]
    reason: Annotated[str, Field(min_length=3, max_length=2_000)]
    seen: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


@router.get("/studies/{study_id}/audit", name="audits.show")
def show(
    request: Request,
    reading: Reading,
    study_id: StudyPath,
    asked: bool = False,
    schedule: str = "",
    interventions: str = "",
) -> Response:
    """Rates by probe, condition and era of a schedule; selection; layers against the truth; how good the probes are."""
    audit = show_audit(reading, study_id, schedule, interventions)
    return page(request, "audits/show.html", view=audit.page, audit=audit, asked=asked, tab="audit")


@router.post("/studies/{study_id}/audit", name="audits.ask", dependencies=[operate])
def ask(request: Request, work: Work, study_id: StudyPath) -> Response:
    """Have every run of the study audited as far as it is."""
    ask_audit(work, study_id)
    return go_to(request, "audits.show", {"asked": "yes"}, study_id=study_id)


@router.get("/studies/{study_id}/audit/findings", name="audits.findings")
def findings(
    request: Request,
    reading: Reading,
    study_id: StudyPath,
    wanted: Wanted,
    number: PageNumber = 1,
) -> Response:
    """The passages that wait for a person, those decided, and those that count."""
    found = show_findings(reading, study_id, wanted, page=number)
    return page(request, "audits/findings.html", view=found.page, found=found, tab="audit")


@router.get("/findings/{finding_id}", name="audits.finding")
def finding(request: Request, reading: Reading, finding_id: FindingPath) -> Response:
    """One passage with all that people decided about it."""
    return _finding_page(request, reading, finding_id)


@router.post("/findings/{finding_id}/decision", name="audits.decide", dependencies=[operate])
def decide(request: Request, work: Work, viewer: Viewer, finding_id: FindingPath, sent: SentForm) -> Response:
    """Keep a person's word; with problems, the passage again."""
    form = fill(Word, sent)
    if form.value is None:
        return _finding_page(request, work, finding_id, sent=form.sent, problems=form.problems, status=422)
    is_hit = form.value.is_hit == "yes"
    decide_finding(work, finding_id, viewer.user.id, is_hit=is_hit, reason=form.value.reason, seen=form.value.seen)
    study, _ = show_finding(work, finding_id)
    return go_to(request, "audits.findings", study_id=study.study.id)


def _finding_page(
    request: Request,
    reading: Look,
    finding_id: UUID,
    *,
    sent: dict[str, str | list[str]] | None = None,
    problems: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    study, line = show_finding(reading, finding_id)
    return page(
        request, "audits/finding.html", status=status, view=study, line=line, tab="audit",
        sent=sent or {}, problems=problems or {},
    )  # fmt: skip
