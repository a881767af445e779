"""One item: reading, locking the first scores, drafts, submitting, skipping and undoing."""

import json
from typing import Any
from uuid import UUID, uuid4

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.domain.ids import RaterId
from app.domain.rating.answers import Confidence, SkipReason
from app.domain.rating.sessions import Stage
from app.services.rating_desks import Desk, desk_of
from app.services.rating_items import Answered, Outcome, Sent, lock_first, save_draft, skip, submit, undo_skip
from app.services.rating_items import note_activity as keep_activity
from app.services.rating_pages import show_item
from app.web.dependencies import Work
from app.web.forms import SentForm, id_in
from app.web.rate.errors import wants_json
from app.web.rate.pages import rate_page, rate_to
from app.web.rate.session import AREA, RaterHere

router = APIRouter(prefix="/item/{assignment_id}")
LATEST_MS = 1e15
RATES = {Stage.TRAINING, Stage.RATING, Stage.REVIEW, Stage.QUESTIONS}


@router.get("")
def show(request: Request, work: Work, session: RaterHere, assignment_id: UUID) -> Response:
    """The rating page; opening it for the first time starts its wall clock, so this GET writes."""
    desk = desk_of(work, session.rater_id)
    if desk.stage not in RATES:
        work.ratings.mine(assignment_id, session.rater_id)
        return rate_to("")
    return _item_page(request, work, session.rater_id, assignment_id, desk=desk)


@router.post("/draft")
def draft(request: Request, work: Work, session: RaterHere, assignment_id: UUID, form: SentForm) -> Response:
    """Keep a draft: for the script an answer in JSON, for a plain form the page again."""
    sent = _sent(form)
    kept = save_draft(work, session.rater_id, assignment_id, sent)
    if wants_json(request):
        if kept.outcome is Outcome.CONFLICT:
            return JSONResponse({"problem": "conflict"}, 409)
        saved = {"version": kept.assignment.version, "at": work.now.isoformat(timespec="seconds")}
        return JSONResponse({**saved, "problems": kept.problems})
    if kept.outcome is Outcome.CONFLICT:
        return _conflict(request, work, session.rater_id, kept)
    if kept.problems:
        return _item_page(request, work, session.rater_id, assignment_id, kept)
    return rate_to(f"/item/{assignment_id}?saved=1")


@router.post("/compare")
def compare(request: Request, work: Work, session: RaterHere, assignment_id: UUID, form: SentForm) -> Response:
    """Both versions of an item that was edited in two places."""
    kept = save_draft(work, session.rater_id, assignment_id, _sent(form))
    if kept.outcome is Outcome.CONFLICT:
        return _conflict(request, work, session.rater_id, kept)
    return rate_to(f"/item/{assignment_id}?saved=1")


@router.post("/activity")
def activity(work: Work, session: RaterHere, assignment_id: UUID, form: SentForm) -> Response:
    """Keep a batch of activity events."""
    keep_activity(work, session.rater_id, assignment_id, _sent(form))
    return Response(status_code=204)


@router.post("/lock")
def lock(request: Request, work: Work, session: RaterHere, assignment_id: UUID, form: SentForm) -> Response:
    """Fix the first scores and open the outcome."""
    done = lock_first(work, session.rater_id, assignment_id, _sent(form))
    if done.outcome is Outcome.CONFLICT:
        return _conflict(request, work, session.rater_id, done)
    if done.outcome is Outcome.INCOMPLETE:
        return _item_page(request, work, session.rater_id, assignment_id, done)
    return _go_on(request, f"/item/{assignment_id}#opened")


@router.post("/submit")
def send(request: Request, work: Work, session: RaterHere, assignment_id: UUID, form: SentForm) -> Response:
    """Submit, and go on to the next item or to the feedback of a training item."""
    done = submit(work, session.rater_id, assignment_id, _sent(form))
    if done.outcome is Outcome.CONFLICT:
        return _conflict(request, work, session.rater_id, done)
    if done.outcome is Outcome.INCOMPLETE:
        return _item_page(request, work, session.rater_id, assignment_id, done)
    return _go_on(request, f"/feedback/{assignment_id}" if done.assignment.kind == "training" else "/")


@router.post("/skip")
def leave_out(request: Request, work: Work, session: RaterHere, assignment_id: UUID, form: SentForm) -> Response:
    """Skip with a reason."""
    sent = _sent(form)
    reason, note = str(form.get("reason", "")), str(form.get("skip_note", ""))
    done = skip(work, session.rater_id, assignment_id, sent, reason=reason, note=note)
    if done.outcome is Outcome.CONFLICT:
        return _conflict(request, work, session.rater_id, done)
    if done.outcome is Outcome.INCOMPLETE:
        return _item_page(request, work, session.rater_id, assignment_id, done)
    return _go_on(request, "/")


@router.post("/undo")
def take_back(work: Work, session: RaterHere, assignment_id: UUID) -> Response:
    """Take a skip back and open the item."""
    undo_skip(work, session.rater_id, assignment_id)
    return rate_to(f"/item/{assignment_id}")


def _go_on(request: Request, path: str) -> Response:
    """Where to go next: in JSON for the script, which would else fetch the next page twice."""
    return JSONResponse({"next": f"{AREA}{path}"}) if wants_json(request) else rate_to(path)


def _sent(form: FormData) -> Sent:
    fields = {name: str(value) for name, value in form.items()}
    version = fields.get("version", "0")
    return Sent(
        fields=fields,
        version=int(version) if version.isdecimal() and len(version) < 10 else 0,
        tab=fields.get("tab", "")[:64],
        key=id_in(fields.get("key", "")),
        overrules=fields.get("overrules") == "yes",
        visit=fields.get("visit", ""),
        events=_events(fields.get("events", "")),
    )


def _events(text: str) -> list[Any]:
    try:
        events = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    return [one for one in events if _is_event(one)] if isinstance(events, list) else []


def _is_event(one: Any) -> bool:
    """Whether it is a time in milliseconds, as far as a calendar reaches, with the name of what happened."""
    if not (isinstance(one, list) and len(one) == 2 and isinstance(one[1], str)):
        return False
    return isinstance(one[0], int | float) and abs(one[0]) < LATEST_MS


def _item_page(
    request: Request,
    work: Work,
    rater_id: RaterId,
    assignment_id: UUID,
    sent: Answered | None = None,
    *,
    desk: Desk | None = None,
) -> Response:
    item = show_item(work, rater_id, assignment_id, answer=sent.sent if sent else None, desk=desk)
    return rate_page(
        request,
        "item.html",
        status=422 if sent else 200,
        item=item,
        problems=sent.problems if sent else {},
        tab=uuid4().hex,
        reasons=tuple(SkipReason),
        confidences=tuple(Confidence),
        was_saved=request.query_params.get("saved") == "1",
    )


def _conflict(request: Request, work: Work, rater_id: RaterId, sent: Answered) -> Response:
    mine = show_item(work, rater_id, sent.assignment.id, answer=sent.sent)
    other = show_item(work, rater_id, sent.assignment.id)
    return rate_page(request, "conflict.html", status=409, mine=mine, other=other, tab=uuid4().hex)
