"""One's own account: a password."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from app.services.errors import RefusedError
from app.services.sign_in_limits import TooManyAttemptsError
from app.services.users import change_password
from app.web.dependencies import Viewer, Work, client_address
from app.web.forms import SentForm, fill
from app.web.pages import page

router = APIRouter()


class NewPassword(BaseModel):
    """The old password, where there is one, and a new one, written twice."""

    old: Annotated[str, Field(max_length=1_000)] = ""
    password: Annotated[str, Field(max_length=1_000)] = ""
    again: str = ""


@router.get("/account", name="account.show")
def show(request: Request, viewer: Viewer) -> Response:
    """The account page."""
    return page(request, "account/show.html", problems={}, saved=False, has_password=viewer.user.has_password)


@router.post("/account", name="account.set_password")
def change(request: Request, work: Work, viewer: Viewer, sent: SentForm) -> Response:
    """Set one's own password."""
    form = fill(NewPassword, sent)
    problems = dict(form.problems)
    if form.value and form.value.password != form.value.again:
        problems["again"] = "The two differ. Write the same password twice."
    if form.value and not problems:
        try:
            new = form.value.password
            change_password(work, viewer, old=form.value.old, password=new, address=client_address(request))
        except RefusedError as problem:
            field, _, words = str(problem).partition(": ")
            problems[field] = words
        except TooManyAttemptsError as problem:
            problems["old"] = str(problem)
    has_password = viewer.user.has_password or not problems
    status = 422 if problems else 200
    shown = "account/show.html"
    return page(request, shown, status=status, problems=problems, saved=not problems, has_password=has_password)
