"""A step that needs an operator: look, retry, or write it by hand."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.domain.engine.answers import AnswerError
from app.services.hand_forms import read_body
from app.services.interventions import Wish, retry_step, write_by_hand
from app.services.step_pages import StepView, body_problems, show_step
from app.services.unit_of_work import Reading as Look
from app.web.addresses import StepPath
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()
operate = Depends(needs(Right.OPERATE))


class Retry(BaseModel):
    """Why the model is asked again."""

    reason: Annotated[str, Field(min_length=3, max_length=2_000)]


class ByHand(BaseModel):
    """Why a person writes, and what the judge is told."""

    reason: Annotated[str, Field(min_length=3, max_length=2_000)]
    judge_told: bool = False
    judge_words: Annotated[str, Field(max_length=2_000)] = ""


@router.get("/steps/{step_id}", name="steps.show")
def show(request: Request, reading: Reading, step_id: StepPath) -> Response:
    """Why the step waits, and what can be done."""
    return _step_page(request, show_step(reading, step_id))


@router.post("/steps/{step_id}/retry", name="steps.retry", dependencies=[operate])
def retry(request: Request, work: Work, viewer: Viewer, step_id: StepPath, sent: SentForm) -> Response:
    """Ask the model again."""
    form = fill(Retry, sent)
    if form.value is None:
        problems = {f"retry.{name}": words for name, words in form.problems.items()}
        return _step_page(request, show_step(work, step_id), sent=sent, problems=problems, status=422)
    retry_step(work, step_id, Wish(author=viewer.user.id, reason=form.value.reason))
    return go_to(request, "runs.show", run_id=show_run_of(work, step_id))


@router.post("/steps/{step_id}/write", name="steps.write", dependencies=[operate])
def write(request: Request, work: Work, viewer: Viewer, step_id: StepPath, sent: SentForm) -> Response:
    """Take the document a person wrote; with problems, the same page again."""
    view, body = _with_sent(work, step_id, sent)
    if sent.get("more") or sent.get("fewer"):
        return _step_page(request, view, sent=sent)
    form = fill(ByHand, sent)
    problems = {**form.problems, **body_problems(view, body)}
    words = form.value.judge_words.strip() if form.value and form.value.judge_told else ""
    if form.value and form.value.judge_told and not words:
        problems["judge_words"] = "Write the exact words for the judge, or do not tell it."
    if form.value and not problems:
        wish = Wish(author=viewer.user.id, reason=form.value.reason, judge_words=words or None)
        try:
            write_by_hand(work, step_id, wish, body)
        except AnswerError as error:
            problems["form"] = str(error)
        else:
            return go_to(request, "runs.show", {"era": view.stuck.record.era}, run_id=view.run.id)
    return _step_page(request, view, sent=sent, problems=problems, status=422)


def show_run_of(reading: Look, step_id: UUID) -> UUID:
    """The run a step belongs to."""
    return reading.steps.get(step_id).run_id


def _with_sent(reading: Look, step_id: UUID, sent: FormData) -> tuple[StepView, dict[str, Any]]:
    schema = show_step(reading, step_id).stuck.form.schema
    values = {name: str(value) for name, value in sent.multi_items()}
    body = read_body(schema, values, more=values.get("more", ""), fewer=values.get("fewer", ""))
    return show_step(reading, step_id, body=body), body


def _step_page(
    request: Request,
    view: StepView,
    *,
    sent: FormData | None = None,
    problems: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    kept = {name: str(sent.get(name, "")) if sent else "" for name in ("reason", "judge_told", "judge_words")}
    return page(request, "steps/show.html", status=status, view=view, kept=kept, problems=problems or {})
