"""What handlers ask for: a transaction that reads or writes, the signed-in person, and the rights they must have."""

from collections.abc import Callable, Iterator
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from app.domain.auth import Right
from app.services import unit_of_work as units
from app.services.users import SignedIn, session_of
from app.settings import get_settings

COOKIE = "autolab_session"


class NotSignedInError(Exception):
    """Nobody is signed in."""


class ForbiddenError(Exception):
    """The person's role does not allow this."""


def _reading() -> Iterator[units.Reading]:
    with units.reading() as reading:
        yield reading


def _work() -> Iterator[units.Work]:
    with units.unit_of_work() as work:
        yield work


Reading = Annotated[units.Reading, Depends(_reading, scope="function")]
"""The repositories in a transaction that cannot write, for a GET."""

Work = Annotated[units.Work, Depends(_work, scope="function")]
"""The repositories in a transaction that is committed before the response leaves."""


def find_viewer(request: Request) -> SignedIn | None:
    """Who is signed in in this browser, looked up once a request in a short transaction of its own."""
    if not hasattr(request.state, "viewer"):
        cookie = request.cookies.get(COOKIE)
        request.state.viewer = None
        if cookie:
            with units.reading() as reading:
                request.state.viewer = session_of(reading, cookie)
    viewer: SignedIn | None = request.state.viewer
    return viewer


def forget_viewer(request: Request) -> None:
    """Look the person up again when next asked: what was seen before a long upload is not true for ever."""
    if hasattr(request.state, "viewer"):
        del request.state.viewer


def _signed_in(request: Request) -> SignedIn:
    viewer = find_viewer(request)
    if viewer is None:
        raise NotSignedInError
    return viewer


Viewer = Annotated[SignedIn, Depends(_signed_in)]
"""The signed-in person with their session."""


def needs(right: Right) -> Callable[[SignedIn], None]:
    """A dependency that lets only people with a right pass."""

    def check(viewer: Viewer) -> None:
        if not viewer.user.role.may(right):
            raise ForbiddenError

    return check


def client_address(request: Request) -> str:
    """Where the request comes from, as the server (or the proxy it trusts) knows it."""
    return request.client.host if request.client else "unknown"


def secure_cookies() -> bool:
    """Whether cookies are only sent over https."""
    return get_settings().secure_cookies
