"""Signing in by one-time link or password, and signing out."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.services.sign_in_limits import TooManyAttemptsError
from app.services.users import SignInFailedError, sign_in_by_link, sign_in_by_password, sign_out
from app.settings import get_settings
from app.web.dependencies import COOKIE, Viewer, Work, client_address, find_viewer, secure_cookies
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()


class Credentials(BaseModel):
    """What the sign-in page asks for."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    password: Annotated[str, Field(min_length=1, max_length=1_000)]
    next: str = ""


@router.get("/sign-in", name="sign_in.show")
def show(request: Request, back: Annotated[str, Query(alias="next")] = "") -> Response:
    """The sign-in page."""
    if find_viewer(request):
        return go_to(request, "home.show")
    return page(request, "sign_in/show.html", name="", back=back, problem=None)


@router.post("/sign-in", name="sign_in.by_password")
def by_password(request: Request, work: Work, sent: SentForm) -> Response:
    """Sign in by name and password."""
    given = fill(Credentials, sent).value
    if given is None:
        return _again(request, sent, "Write your name and your password.", 422)
    address = client_address(request)
    try:
        cookie = sign_in_by_password(work, name=given.name, password=given.password, address=address)
    except SignInFailedError as problem:
        return _again(request, sent, str(problem), 422)
    except TooManyAttemptsError as problem:
        return _again(request, sent, str(problem), 429)
    return _welcome(request, cookie, given.next)


@router.get("/sign-in/{token}", name="sign_in.link")
def link(request: Request, token: str) -> Response:
    """A button that spends the link: a preview that only opens the address does not."""
    return page(request, "sign_in/link.html", token=token, problem=None)


@router.post("/sign-in/{token}", name="sign_in.by_link")
def by_link(request: Request, work: Work, token: str) -> Response:
    """Sign in by a one-time link."""
    try:
        cookie = sign_in_by_link(work, token=token, address=client_address(request))
    except (SignInFailedError, TooManyAttemptsError) as problem:
        status = 429 if isinstance(problem, TooManyAttemptsError) else 422
        return page(request, "sign_in/link.html", status=status, token=token, problem=str(problem))
    return _welcome(request, cookie, "")


@router.post("/sign-out", name="sign_in.out")
def out(request: Request, work: Work, viewer: Viewer) -> Response:
    """End this browser's session."""
    sign_out(work, viewer)
    answer = go_to(request, "sign_in.show")
    answer.delete_cookie(COOKIE, path="/")
    return answer


def _again(request: Request, sent: FormData, problem: str, status: int) -> Response:
    name, back = str(sent.get("name", "")), str(sent.get("next", ""))
    return page(request, "sign_in/show.html", status=status, name=name, back=back, problem=problem)


def _welcome(request: Request, cookie: str, back: str) -> Response:
    is_ours = back.startswith("/") and not back.startswith(("//", "/\\"))
    answer = RedirectResponse(back, 303) if is_ours else go_to(request, "home.show")
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=get_settings().session_hours * 3_600,
        httponly=True,
        samesite="lax",
        secure=secure_cookies(),
        path="/",
    )
    return answer
