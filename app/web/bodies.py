"""Bounds on what a request may send, counted before and while it is read: nobody fills the disk or the memory."""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive

from app.web.dependencies import find_viewer

LARGEST_FORM = 4 * 2**20
"""Bytes of a form without files, and of anything sent by somebody who is not signed in."""

LARGEST_UPLOAD = 2**30
"""Bytes of a file that a signed-in person sends; each importer has a smaller bound of its own."""

FRAMING = 2**20


async def bounded(request: Request) -> Request:
    """The same request, whose body raises HTTPException 413 as soon as it is known to be too long."""
    most = await run_in_threadpool(_most, request)
    said = request.headers.get("Content-Length", "")
    if said.isascii() and said.isdecimal() and int(said) > most:
        raise _too_long(most)
    return Request(request.scope, _counted(request.receive, most))


def _most(request: Request) -> int:
    carries_file = request.headers.get("Content-Type", "").startswith("multipart/form-data")
    return LARGEST_UPLOAD + FRAMING if carries_file and find_viewer(request) else LARGEST_FORM


def _counted(receive: Receive, most: int) -> Receive:
    left = most

    async def counting() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise _too_long(most)
        return message

    return counting


def _too_long(most: int) -> HTTPException:
    words = f"What was sent is longer than {most >> 20:,} MB, the most that is taken here. Nothing was kept. Send less."
    return HTTPException(413, words)
