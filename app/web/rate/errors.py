"""Errors as pages of the rater's area: what happened, that nothing is lost, and what to do."""

from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import quote

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.services.errors import NotFoundError, RefusedError
from app.services.raters import InvitationError
from app.services.sign_in_limits import TooManyAttemptsError
from app.web.answers import allowed_methods
from app.web.csrf import ForeignRequestError
from app.web.pages import route_of
from app.web.rate.pages import rate_page, rate_to
from app.web.rate.session import AREA, NoRaterError

log = structlog.get_logger()
WORDS = {
    403: (
        "This form is out of date",
        "You may have come back in another tab. Open the page again.",
    ),
    404: ("There is no such page", "The address may be mistyped, or the page belongs to somebody else."),
    405: ("This cannot be opened so", "Go back to where you were; what you saved is kept."),
    429: ("Too many attempts", "Wait fifteen minutes and try again."),
    500: ("Something failed", "What you saved is kept. Open the page again; if it fails again, tell who invited you."),
    503: ("Not reachable just now", "What you saved is kept. Try again in a minute."),
}


def add_error_pages(app: FastAPI) -> None:
    """Give every named error its page."""
    app.exception_handler(NoRaterError)(outside)
    app.exception_handler(InvitationError)(uninvited)
    app.exception_handler(RefusedError)(refused)
    for error, status in (
        (ForeignRequestError, 403),
        (NotFoundError, 404),
        (RequestValidationError, 404),
        (TooManyAttemptsError, 429),
        (OperationalError, 503),
        (Exception, 500),
    ):
        app.exception_handler(error)(_plain(status))
    app.exception_handler(HTTPException)(by_status)


def outside(request: Request, error: Exception) -> Response:
    """Ask for the return code; a form that was sent is carried along and saved as a draft afterwards."""
    if wants_json(request):
        return JSONResponse({"problem": "session"}, 401)
    path = request.url.path.removeprefix(AREA)
    if request.method == "GET":
        return rate_to(f"/return?next={quote(path)}")
    fields = error.fields if isinstance(error, NoRaterError) else {}
    return rate_page(request, "return.html", status=401, problem=None, back=_form_of(path), kept=fields, is_over=True)


def uninvited(request: Request, error: Exception) -> Response:
    """An invitation or code that lets nobody in."""
    return _page(request, 422, "You cannot enter with this", str(error))


def refused(request: Request, error: Exception) -> Response:
    """What was asked for cannot be done now."""
    return _page(request, 409, "This cannot be done now", str(error))


def by_status(request: Request, error: Exception) -> Response:
    """What the framework refuses by itself, and what of a form could not be read, in its own words."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    if isinstance(error, HTTPException) and status < 500 and status not in WORDS:
        return _page(request, status, "This cannot be taken", error.detail)
    answer = _plain(status)(request, error)
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        answer.headers["Allow"] = allowed_methods(request)
    return answer


def wants_json(request: Request) -> bool:
    """Whether the page's script asks."""
    return "application/json" in request.headers.get("accept", "")


def _form_of(path: str) -> str:
    """The page with the form that was sent to an address."""
    return "/answers" if path == "/finish" else "/".join(path.split("/")[:3])


def _plain(status: int) -> Callable[[Request, Exception], Response]:
    def handler(request: Request, error: Exception) -> Response:
        if status >= 500:
            log.error("rating page failed", route=route_of(request), error=type(error).__name__)
        heading, words = WORDS.get(status, WORDS[500])
        return _page(request, status, heading, words)

    return handler


def _page(request: Request, status: int, heading: str, words: str) -> Response:
    if wants_json(request):
        return JSONResponse({"problem": words}, status)
    return rate_page(request, "error.html", status=status, heading=heading, words=words)
