"""Bounds on what a request may send, counted before and while it is read: nobody fills the disk or the memory."""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive

from app.imports import bundles
from app.web.dependencies import find_viewer, forget_viewer

MOST_DIGITS = 18
"""Of a length said beforehand; Python reads no number of thousands of digits."""

LARGEST_FORM = 4 * 2**20
"""Bytes of a form without files, and of anything sent by somebody who is not signed in."""

LARGEST_UPLOAD = 2**30
"""Bytes of an archive that a signed-in person sends."""

FRAMING = 2**20
"""Bytes of what stands around a file in a form, and of the form's other fields."""

FILES = {"archives.read": LARGEST_UPLOAD, "imports.read": bundles.LARGEST_UPLOAD, "panels.create": 20 * 2**20}
"""The largest file of each route that takes one larger than a form, by the route's name."""


async def bounded(request: Request) -> Request:
    """The same request, whose body raises HTTPException 413 as soon as it is known to be too long."""
    largest = await run_in_threadpool(_largest, request)
    most = largest + FRAMING if largest > LARGEST_FORM else largest
    said = request.headers.get("Content-Length", "")
    if said.isascii() and said.isdecimal() and (len(said) > MOST_DIGITS or int(said) > most):
        raise _too_long(largest)
    return Request(request.scope, _counted(request.receive, most, largest))


def _largest(request: Request) -> int:
    """Bytes that this route takes: of a file where it takes one and somebody is signed in, else of a form."""
    carries_file = request.headers.get("Content-Type", "").startswith("multipart/form-data")
    route = getattr(request.scope.get("route"), "name", "")
    if not carries_file or route not in FILES:
        return LARGEST_FORM
    viewer = find_viewer(request)
    forget_viewer(request)  # whoever is disabled while a file comes in must not be known when it is there
    return FILES[route] if viewer else LARGEST_FORM


def _counted(receive: Receive, most: int, largest: int) -> Receive:
    left = most

    async def counting() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise _too_long(largest)
        return message

    return counting


def _too_long(largest: int) -> HTTPException:
    words = (
        f"What was sent is longer than {largest >> 20:,} MB, the most that is taken here. Nothing was kept. Send less."
    )
    return HTTPException(413, words)
