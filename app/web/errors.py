"""Named errors as pages: which status, which words, and what to do next."""

from http import HTTPStatus
from urllib.parse import quote

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from psycopg.errors import DeadlockDetected, LockNotAvailable, QueryCanceled
from sqlalchemy.exc import IntegrityError, OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.services.errors import NotFoundError, RefusedError
from app.services.interventions import InterventionRefusedError
from app.services.worlds import WorldChangedError
from app.web.answers import allowed_methods
from app.web.csrf import ForeignRequestError
from app.web.dependencies import ForbiddenError, NotSignedInError
from app.web.pages import page, route_of, url, wants_part

AWAY = "The database cannot be reached just now."
HELD = "The database took too long: somebody else holds what this needs."
CHANGED = "What this belongs to was deleted or changed meanwhile. Nothing was changed; look at it again."

log = structlog.get_logger()


def add_error_pages(app: FastAPI) -> None:
    """Give every named error its page."""
    app.exception_handler(NotSignedInError)(not_signed_in)
    app.exception_handler(ForbiddenError)(forbidden)
    app.exception_handler(ForeignRequestError)(foreign)
    app.exception_handler(NotFoundError)(missing)
    app.exception_handler(RefusedError)(refused)
    app.exception_handler(InterventionRefusedError)(refused)
    app.exception_handler(WorldChangedError)(refused)
    app.exception_handler(RequestValidationError)(misaddressed)
    app.exception_handler(HTTPException)(by_status)
    app.exception_handler(OperationalError)(database_away)
    app.exception_handler(IntegrityError)(changed_meanwhile)
    app.exception_handler(Exception)(failed)


def not_signed_in(request: Request, error: Exception) -> Response:
    """Ask for a sign-in, and come back afterwards."""
    back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    address = url(request, "sign_in.show") + (f"?next={quote(back)}" if request.method == "GET" else "")
    if wants_part(request) or "HX-Request" in request.headers:
        return Response(status_code=401, headers={"HX-Redirect": url(request, "sign_in.show")})
    return RedirectResponse(address, 303)


def forbidden(request: Request, error: Exception) -> Response:
    """The role does not allow it."""
    return page(request, "errors/forbidden.html", status=403)


def foreign(request: Request, error: Exception) -> Response:
    """The form is out of date, or not ours."""
    return page(request, "errors/out_of_date.html", status=403)


def missing(request: Request, error: Exception) -> Response:
    """There is no such thing."""
    return page(request, "errors/missing.html", status=404)


def refused(request: Request, error: Exception) -> Response:
    """What was asked for cannot be done now."""
    return page(request, "errors/refused.html", status=409, words=str(error))


def misaddressed(request: Request, error: Exception) -> Response:
    """An address whose parts cannot be read names nothing."""
    return page(request, "errors/missing.html", status=404)


def by_status(request: Request, error: Exception) -> Response:
    """What the framework refuses by itself."""
    if isinstance(error, HTTPException) and error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        words = f"{request.method} is not for this address."
        answer = page(request, "errors/refused.html", status=error.status_code, words=words)
        answer.headers["Allow"] = allowed_methods(request)
        return answer
    status = error.status_code if isinstance(error, HTTPException) else 500
    template = {403: "errors/forbidden.html", 404: "errors/missing.html"}.get(status)
    if template:
        return page(request, template, status=status)
    words = str(error.detail) if isinstance(error, HTTPException) else "It failed."
    return page(request, "errors/refused.html", status=status, words=words)


def database_away(request: Request, error: Exception) -> Response:
    """The database cannot be reached, or what is asked for is held by somebody else for too long."""
    cause = error.orig if isinstance(error, OperationalError) else error
    log.error("database away", route=route_of(request), error=type(cause).__name__)
    is_held = isinstance(cause, QueryCanceled | LockNotAvailable | DeadlockDetected)
    return page(request, "errors/failed.html", status=503, words=HELD if is_held else AWAY)


def changed_meanwhile(request: Request, error: Exception) -> Response:
    """What was to be written refers to something that is gone, or is there already, since it was looked at."""
    log.error("changed meanwhile", route=route_of(request), error=type(error).__name__)
    return page(request, "errors/refused.html", status=409, words=CHANGED)


def failed(request: Request, error: Exception) -> Response:
    """A fault of the software; the log has its trace."""
    log.error("page failed", route=route_of(request), error=type(error).__name__)
    return page(request, "errors/failed.html", status=500, words="This page could not be made.")
