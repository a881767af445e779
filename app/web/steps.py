"""A step that needs an operator: look, retry with the same or other settings, skip, raise a budget, write by hand."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field, ValidationError
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.domain.engine.answers import AnswerError
from app.domain.protocol.budgets import Budget
from app.services.hand_forms import read_body
from app.services.interventions import (
    InterventionRefusedError,
    Wish,
    retry_changed,
    retry_step,
    skip_step,
    write_by_hand,
)
from app.services.raising import raise_for_step
from app.services.registry import UnknownModelError
from app.services.step_pages import StepView, body_problems, show_step
from app.services.unit_of_work import Reading as Look
from app.services.unit_of_work import Work as Unit
from app.services.users import SignedIn
from app.web.addresses import StepPath
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import SentForm, fill, filled_only
from app.web.pages import go_to, page
from app.web.wishes import kept_wish, wish_on_step

router = APIRouter()
operate = Depends(needs(Right.OPERATE))


class OtherSettings(BaseModel):
    """The model and temperature a step is asked with instead."""

    model: Annotated[str, Field(min_length=1, max_length=200)]
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


@router.get("/steps/{step_id}", name="steps.show")
def show(request: Request, reading: Reading, step_id: StepPath, alone: str = "") -> Response:
    """Why the step waits, and what can be done; ``alone`` for a board written without a Red Team."""
    return _step_page(request, show_step(reading, step_id, alone=bool(alone)))


@router.post("/steps/{step_id}/retry", name="steps.retry", dependencies=[operate])
def retry(request: Request, work: Work, viewer: Viewer, step_id: StepPath, sent: SentForm) -> Response:
    """Ask the model again."""
    return _mend(request, work, step_id, Mending("retry", sent, viewer), lambda wish: retry_step(work, step_id, wish))


@router.post("/steps/{step_id}/retry-changed", name="steps.retry_changed", dependencies=[operate])
def change(request: Request, work: Work, viewer: Viewer, step_id: StepPath, sent: SentForm) -> Response:
    """Ask another model, or with another temperature."""
    form = fill(OtherSettings, filled_only(sent))
    asked = form.value or OtherSettings(model="none")
    mending = Mending("changed", sent, viewer, form.problems)

    def act(wish: Wish) -> None:
        retry_changed(work, step_id, wish, model=asked.model, temperature=asked.temperature)

    return _mend(request, work, step_id, mending, act)


@router.post("/steps/{step_id}/skip", name="steps.skip", dependencies=[operate])
def skip(request: Request, work: Work, viewer: Viewer, step_id: StepPath, sent: SentForm) -> Response:
    """Go on without the document."""
    return _mend(request, work, step_id, Mending("skip", sent, viewer), lambda wish: skip_step(work, step_id, wish))


@router.post("/steps/{step_id}/budget", name="steps.budget", dependencies=[operate])
def raise_budget(request: Request, work: Work, viewer: Viewer, step_id: StepPath, sent: SentForm) -> Response:
    """Raise the budget that stopped the step."""
    form = fill(Budget, filled_only(sent))
    budget, seen = form.value or Budget(), _seen_budget(sent)
    mending = Mending("budget", sent, viewer, form.problems)
    return _mend(request, work, step_id, mending, lambda wish: raise_for_step(work, step_id, wish, budget, seen))


def _seen_budget(sent: FormData) -> Budget:
    """The budget that the form showed; one that cannot be read is taken for none, and the raise is refused."""
    try:
        return Budget.model_validate_json(str(sent.get("seen_budget", "")))
    except ValidationError:
        return Budget()


@dataclass(frozen=True, slots=True)
class Mending:
    """One sent form of the step's page: ``name`` stands before its fields' problems."""

    name: str
    sent: FormData
    viewer: SignedIn
    problems: dict[str, str] = field(default_factory=dict)


def _mend(request: Request, work: Unit, step_id: UUID, mending: Mending, act: Callable[[Wish], None]) -> Response:
    """Do it and go to the run; with something to mend, the same page; too late, the page that says so."""
    asked = wish_on_step(mending.sent, mending.viewer)
    problems = {**asked.problems, **mending.problems}
    if asked.wish is not None and not problems:
        try:
            act(asked.wish)
        except (InterventionRefusedError, UnknownModelError) as error:
            if not show_step(work, step_id).needs_operator:
                raise
            said = str(error.args[0])
            name, _, words = ("model", "", said) if isinstance(error, UnknownModelError) else said.partition(": ")
            named = name in OtherSettings.model_fields or name in Budget.model_fields
            problems = {name: words} if named else {"form": said}
        else:
            return go_to(request, "runs.show", run_id=show_run_of(work, step_id))
    found = {f"{mending.name}.{name}": words for name, words in problems.items()}
    view = show_step(work, step_id)
    return _step_page(request, view, sent=mending.sent, problems=found, acted=mending.name, status=422)


@router.post("/steps/{step_id}/write", name="steps.write", dependencies=[operate])
def write(request: Request, work: Work, viewer: Viewer, step_id: StepPath, sent: SentForm) -> Response:
    """Take the document a person wrote; with problems, the same page again."""
    view, body = _with_sent(work, step_id, sent)
    if sent.get("more") or sent.get("fewer"):
        return _step_page(request, view, sent=sent)
    asked = wish_on_step(sent, viewer)
    problems = {**asked.problems, **body_problems(view, body)}
    if asked.wish and not problems:
        try:
            write_by_hand(work, step_id, asked.wish, body, alone=view.alone)
        except AnswerError as error:
            problems["form"] = str(error)
        except InterventionRefusedError as error:
            view, _ = _with_sent(work, step_id, sent)
            if not view.needs_operator:
                raise
            problems["form"] = str(error)
        else:
            return go_to(request, "runs.show", {"era": view.stuck.record.era}, run_id=view.run.id)
    return _step_page(request, view, sent=sent, problems=problems, status=422)


def show_run_of(reading: Look, step_id: UUID) -> UUID:
    """The run a step belongs to."""
    return reading.steps.get(step_id).run_id


def _with_sent(reading: Look, step_id: UUID, sent: FormData) -> tuple[StepView, dict[str, Any]]:
    alone = bool(sent.get("alone"))
    schema = show_step(reading, step_id, alone=alone).stuck.form.schema
    values = {name: str(value) for name, value in sent.multi_items()}
    body = read_body(schema, values, more=values.get("more", ""), fewer=values.get("fewer", ""))
    return show_step(reading, step_id, body=body, alone=alone), body


def _step_page(
    request: Request,
    view: StepView,
    *,
    sent: FormData | None = None,
    problems: dict[str, str] | None = None,
    acted: str = "hand",
    status: int = 200,
) -> Response:
    kept = {name: str(value) for name, value in sent.multi_items()} if sent else {}
    return page(
        request, "steps/show.html", status=status, view=view, kept={**kept_wish(None), **kept}, acted=acted,
        problems=problems or {},
    )  # fmt: skip
