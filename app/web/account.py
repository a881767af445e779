"""One's own account: a password."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from app.services.errors import RefusedError
from app.services.users import set_password
from app.web.dependencies import Viewer, Work
from app.web.forms import SentForm, fill
from app.web.pages import page

router = APIRouter()


class NewPassword(BaseModel):
    """A password, written twice."""

    password: Annotated[str, Field(max_length=1_000)] = ""
    again: str = ""


@router.get("/account", name="account.show")
def show(request: Request) -> Response:
    """The account page."""
    return page(request, "account/show.html", problems={}, saved=False)


@router.post("/account", name="account.set_password")
def change(request: Request, work: Work, viewer: Viewer, sent: SentForm) -> Response:
    """Set one's own password."""
    form = fill(NewPassword, sent)
    problems = dict(form.problems)
    if form.value and form.value.password != form.value.again:
        problems["again"] = "The two differ. Write the same password twice."
    if form.value and not problems:
        try:
            set_password(work, name=viewer.user.name, password=form.value.password, staying=viewer.token_hash)
        except RefusedError as problem:
            problems["password"] = str(problem).removeprefix("password: ")
    return page(request, "account/show.html", status=422 if problems else 200, problems=problems, saved=not problems)
