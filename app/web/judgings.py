"""Stored decisions judged again: judges side by side, one judging, and the page that plans checks of a judge."""

from uuid import UUID

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.services.check_plans import CHECKS, CheckForm, first_check_form, start_checks, weigh_checks
from app.services.judging_pages import show_judging, show_judgings
from app.services.unit_of_work import Reading as Look
from app.web.addresses import PageNumber, RunPath, StudyPath
from app.web.dependencies import Reading, Work, needs
from app.web.forms import Filled, SentForm, fill, filled_only, sending_of
from app.web.pages import go_to, page

router = APIRouter()
operate = Depends(needs(Right.OPERATE))


@router.get("/studies/{study_id}/judges", name="judgings.index")
def index(request: Request, reading: Reading, study_id: StudyPath, interventions: str = "") -> Response:
    """Judges and anchors side by side, and every judging."""
    view = show_judgings(reading, study_id, interventions)
    return page(
        request, "judgings/index.html", fragment="judgings/_now.html", judges=view, view=view.page, tab="judges"
    )


@router.get("/studies/{study_id}/checks", name="judgings.plan", dependencies=[operate])
def plan(request: Request, reading: Reading, study_id: StudyPath) -> Response:
    """The page that plans checks of a judge."""
    form = first_check_form(reading.studies.get(study_id))
    return _plan_page(request, reading, study_id, Filled(form, _as_sent(form)))


@router.post("/studies/{study_id}/checks/estimate", name="judgings.estimate", dependencies=[operate])
def estimate(request: Request, reading: Reading, study_id: StudyPath, sent: SentForm) -> Response:
    """What the checks of a form will take; the whole page again for browsers without scripts."""
    return _plan_page(request, reading, study_id, fill(CheckForm, filled_only(sent)))


@router.post("/studies/{study_id}/checks", name="judgings.start", dependencies=[operate])
def start(request: Request, work: Work, study_id: StudyPath, sent: SentForm) -> Response:
    """Start the checks of a form."""
    form = fill(CheckForm, filled_only(sent))
    if form.value is None or weigh_checks(work, study_id, form.value).problems:
        return _plan_page(request, work, study_id, form, status=422)
    started = start_checks(work, study_id, form.value, sending=sending_of(sent))
    if len(started) == 1:
        return go_to(request, "judgings.show", run_id=started[0])
    return go_to(request, "judgings.index", study_id=study_id)


@router.get("/judgings/{run_id}", name="judgings.show")
def show(
    request: Request, reading: Reading, run_id: RunPath, number: PageNumber = 1, interventions: str = ""
) -> Response:
    """One judging with its results and sittings; as a fragment when something changed."""
    view = show_judging(reading, run_id, page=number, interventions=interventions)
    return page(request, "judgings/show.html", fragment="judgings/_judging.html", view=view, problems={})


def _plan_page(request: Request, look: Look, study_id: UUID, form: Filled[CheckForm], status: int = 200) -> Response:
    planned = weigh_checks(look, study_id, form.value or CheckForm())
    missing = planned.problems if form.value is not None else form.problems
    return page(
        request,
        "judgings/new.html",
        fragment="judgings/_estimate.html",
        status=status,
        view=planned.page,
        planned=planned,
        offered=CHECKS,
        sent={**_as_sent(CheckForm()), **dict.fromkeys(("sample", *_BOUNDS), ""), **form.sent},
        problems=missing if request.method == "POST" else {},
        missing=missing,
        tab="audit",
    )


_BOUNDS = ("calls", "tokens", "cost_usd")


def _as_sent(form: CheckForm) -> dict[str, str | list[str]]:
    """A form's values as a browser would send them."""
    values = form.model_dump(mode="json")
    return {
        name: [str(item) for item in value] if isinstance(value, list) else "" if value is None else str(value)
        for name, value in values.items()
    }
