"""People: adding them, one-time links, disabling; for admins."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Role
from app.services.errors import AlreadyThereError, RefusedError
from app.services.unit_of_work import Reading as Look
from app.services.users import add_user, create_sign_in_link, disable_user, enable_user, forget_password, user_by_id
from app.settings import get_settings
from app.web.dependencies import Reading, Viewer, Work
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()


class NewPerson(BaseModel):
    """Who is added."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    role: Role


@router.get("/users", name="users.index")
def index(request: Request, reading: Reading) -> Response:
    """Everybody with an account."""
    return _people(request, reading)


@router.post("/users", name="users.add")
def add(request: Request, work: Work, sent: SentForm) -> Response:
    """Add a person and show their first link."""
    form = fill(NewPerson, sent)
    if form.value is None:
        return _people(request, work, sent=form.sent, problems=form.problems, status=422)
    try:
        user = add_user(work, name=form.value.name, role=form.value.role)
    except (AlreadyThereError, RefusedError) as problem:
        problems = {"name": str(problem).removeprefix("name: ")}
        return _people(request, work, sent=form.sent, problems=problems, status=422)
    return _people(request, work, link_for=user.name, link=create_sign_in_link(work, name=user.name))


@router.post("/users/{user_id}/link", name="users.link")
def link(request: Request, work: Work, user_id: str) -> Response:
    """Make a one-time link and show it, this once."""
    name = user_by_id(work, user_id).name
    return _people(request, work, link_for=name, link=create_sign_in_link(work, name=name))


@router.post("/users/{user_id}/forget-password", name="users.forget_password")
def forget(request: Request, work: Work, user_id: str) -> Response:
    """Take away a lost password and show a one-time link, this once."""
    name = user_by_id(work, user_id).name
    path = create_sign_in_link(work, name=name)
    forget_password(work, name=name)
    return _people(request, work, link_for=name, link=path)


@router.post("/users/{user_id}/disable", name="users.disable")
def disable(request: Request, work: Work, viewer: Viewer, user_id: str) -> Response:
    """End a person's rights."""
    user = user_by_id(work, user_id)
    if user.id == viewer.user.id:
        raise RefusedError("You cannot disable yourself. Ask another admin.")
    disable_user(work, name=user.name)
    return go_to(request, "users.index")


@router.post("/users/{user_id}/enable", name="users.enable")
def enable(request: Request, work: Work, user_id: str) -> Response:
    """Give a person their rights back."""
    enable_user(work, name=user_by_id(work, user_id).name)
    return go_to(request, "users.index")


def _people(
    request: Request,
    reading: Look,
    *,
    sent: dict[str, str | list[str]] | None = None,
    problems: dict[str, str] | None = None,
    link_for: str = "",
    link: str = "",
    status: int = 200,
) -> Response:
    return page(
        request,
        "users/index.html",
        status=status,
        people=reading.users.all(),
        roles=tuple(Role),
        sent=sent or {"name": "", "role": "operator"},
        problems=problems or {},
        link_for=link_for,
        link=f"{get_settings().address}{link}" if link else "",
        is_local=get_settings().is_for_this_machine_only,
        minutes=get_settings().sign_in_link_minutes,
    )
