"""The way through the session: what comes next, consent, feedback, own answers, closing questions, the end."""

from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.domain.rating.sessions import Stage
from app.services.rating_desks import accept_consent, consent_hash, desk_of, finish
from app.services.rating_pages import list_answers, send_guesses, show_feedback, show_questions
from app.web.dependencies import Reading, Work
from app.web.forms import SentForm
from app.web.rate.pages import rate_page, rate_to
from app.web.rate.session import RaterHere

router = APIRouter()
PAGES = {
    Stage.BLOCKED: "blocked.html",
    Stage.PAUSED: "held.html",
    Stage.CLOSED: "closed.html",
    Stage.DONE: "done.html",
}


@router.get("/")
def start(request: Request, reading: Reading, session: RaterHere) -> Response:
    """Go on where the rater stands."""
    desk = desk_of(reading, session.rater_id)
    if desk.stage is Stage.CONSENT:
        return rate_to("/consent")
    if desk.stage in {Stage.TRAINING, Stage.RATING} and desk.next:
        return rate_to(f"/item/{desk.next.step.id}")
    if desk.stage is Stage.QUESTIONS:
        return rate_to("/questions")
    if desk.stage is Stage.REVIEW:
        return rate_to("/answers")
    return rate_page(request, PAGES[desk.stage])


@router.get("/consent")
def consent(request: Request, reading: Reading, session: RaterHere) -> Response:
    """The text a rater agrees to before anything else."""
    desk = desk_of(reading, session.rater_id)
    if desk.stage is not Stage.CONSENT:
        return rate_to("")
    design = desk.panel.design
    return rate_page(
        request,
        "consent.html",
        text=design.consent,
        text_hash=consent_hash(design),
        items=len(desk.main),
        training=len(design.training.items),
    )


@router.post("/consent")
def agree(work: Work, session: RaterHere, sent: SentForm) -> Response:
    """Accept the text that was shown."""
    accept_consent(work, session.rater_id, str(sent.get("text_hash", "")))
    return rate_to("")


@router.get("/feedback/{assignment_id}")
def feedback(request: Request, reading: Reading, session: RaterHere, assignment_id: UUID) -> Response:
    """What the consensus says about a training item."""
    return rate_page(request, "feedback.html", feedback=show_feedback(reading, session.rater_id, assignment_id))


@router.get("/answers")
def answers(request: Request, reading: Reading, session: RaterHere) -> Response:
    """The rater's own answers; and the end, once everything is answered."""
    desk = desk_of(reading, session.rater_id)
    lines = list_answers(reading, session.rater_id)
    may_finish = desk.stage is Stage.REVIEW
    may_change = desk.stage in {Stage.RATING, Stage.QUESTIONS, Stage.REVIEW}
    return rate_page(
        request,
        "answers.html",
        lines=lines,
        total=len(desk.main),
        may_finish=may_finish,
        may_change=may_change,
        remarks=desk.rater.remarks or "",
    )


@router.get("/questions")
def questions(request: Request, reading: Reading, session: RaterHere) -> Response:
    """The closing questions."""
    if desk_of(reading, session.rater_id).stage is not Stage.QUESTIONS:
        return rate_to("")
    return rate_page(request, "questions.html", questions=show_questions(reading, session.rater_id))


@router.post("/questions")
def answer(work: Work, session: RaterHere, sent: SentForm) -> Response:
    """Keep the guesses."""
    send_guesses(work, session.rater_id, {name: str(value) for name, value in sent.items()})
    return rate_to("")


@router.post("/finish")
def end(work: Work, session: RaterHere, sent: SentForm) -> Response:
    """End the rater's work for good."""
    finish(work, session.rater_id, str(sent.get("remarks", "")))
    return rate_to("")
