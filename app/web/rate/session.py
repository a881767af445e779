"""Whose browser it is: the rater's cookie, which is no user's, and the token that guards the rater's forms."""

import hmac
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from app.services import unit_of_work as units
from app.services.raters import SESSION_HOURS, RaterSession, rater_session
from app.web.csrf import FIELD, HEADER, SAFE, ForeignRequestError, check_origin
from app.web.dependencies import secure_cookies
from app.web.forms import SentForm

COOKIE, CODE_COOKIE = "rating_session", "rating_code"
AREA = "/rate"
CODE_SECONDS = 900


class NoRaterError(Exception):
    """The browser has no rater's session, or it is over; ``fields`` is what was sent, to be kept."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__()
        self.fields = fields


def find_rater(request: Request) -> RaterSession | None:
    """The rater's session, looked up once a request in a short transaction of its own."""
    if not hasattr(request.state, "rater"):
        cookie = request.cookies.get(COOKIE)
        request.state.rater = None
        if cookie:
            with units.reading() as reading:
                request.state.rater = rater_session(reading, cookie)
    found: RaterSession | None = request.state.rater
    return found


def check_request(request: Request, sent: SentForm) -> None:
    """Refuse an unsafe request from another site, or of a rater's browser without its token.

    Raises ForeignRequestError. One guard, and so one change of threads, for every request.
    """
    check_origin(request)
    session = find_rater(request)
    if request.method in SAFE or session is None:
        return
    given = request.headers.get(HEADER) or sent.get(FIELD)
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), session.csrf_token.encode()):
        raise ForeignRequestError


async def _rater(request: Request, sent: SentForm) -> RaterSession:
    """Async, for it waits for nothing: the guard has looked the session up."""
    session: RaterSession | None = request.state.rater
    if session is None:
        raise NoRaterError({name: str(value) for name, value in sent.items() if name != FIELD})
    return session


RaterHere = Annotated[RaterSession, Depends(_rater)]
"""The rater's session; without one, the page that asks for the return code."""


def let_in(answer: Response, cookie: str) -> None:
    """Give the browser the rater's cookie, good for this area only."""
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=SESSION_HOURS * 3_600,
        httponly=True,
        samesite="lax",
        secure=secure_cookies(),
        path=AREA,
    )


def show_code_once(answer: Response, code: str) -> None:
    """Carry the return code to the page that shows it."""
    answer.set_cookie(
        CODE_COOKIE,
        code,
        max_age=CODE_SECONDS,
        httponly=True,
        samesite="strict",
        secure=secure_cookies(),
        path=f"{AREA}/code",
    )
