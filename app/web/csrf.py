"""Only our own pages may ask for changes: every unsafe request carries its session's token and comes from this site."""

import hmac

from fastapi import Depends
from starlette.requests import Request

from app.web.addresses import AddressGuard
from app.web.dependencies import find_viewer
from app.web.forms import SentForm

FIELD, HEADER = "csrf_token", "X-CSRF-Token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class ForeignRequestError(Exception):
    """A change was asked for without the session's token, or from another site."""


def check_origin(request: Request) -> None:
    """Refuse an unsafe request that the browser says another site made. Raises ForeignRequestError."""
    if request.method in SAFE:
        return
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if site not in {"same-origin", "none"}:
        raise ForeignRequestError


def check_token(request: Request, sent: SentForm) -> None:
    """Refuse an unsafe request of a signed-in browser without its token. Raises ForeignRequestError."""
    viewer = find_viewer(request)
    if request.method in SAFE or viewer is None:
        return
    given = request.headers.get(HEADER) or sent.get(FIELD)
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), viewer.csrf_token.encode()):
        raise ForeignRequestError


GUARDS = (AddressGuard, Depends(check_origin), Depends(check_token))
"""On every route."""
