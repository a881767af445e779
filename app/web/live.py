"""The stream of a tab: names of what changed, gathered so that a fast run does not flood; never data."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Annotated

import redis
from fastapi import APIRouter, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent

from app.live import listen
from app.web.dependencies import Viewer

GATHERED_SECONDS = 0.4
"""News within this time is told once."""

LONGEST_SECONDS = 600
"""After this the browser connects anew, which looks at the session again."""

EVERYTHING = "studies"

router = APIRouter()


@router.get("/live", name="live.stream", response_class=EventSourceResponse)
async def stream(viewer: Viewer, topic: Annotated[list[str], Query(max_length=4)]) -> AsyncIterator[ServerSentEvent]:
    """``news`` at once, since a page may be older than its stream, then whenever a topic changed.

    A topic is ``run:<id>``, ``study:<id>`` or ``studies``. What a lost connection missed needs no replay: every
    connection begins with news, and fragments are fetched whole.
    """
    async for names in gathered(frozenset(topic)):
        yield ServerSentEvent(event="news", raw_data=names, id=str(time.time_ns() // 1_000_000))


async def gathered(wanted: frozenset[str]) -> AsyncIterator[str]:
    """Names that changed, at most one batch every ``GATHERED_SECONDS``; ends when the broker is away."""
    changed: set[str] = set()
    rings = asyncio.Event()
    listener = asyncio.create_task(_gather(wanted, changed, rings))
    ends = time.monotonic() + LONGEST_SECONDS
    try:
        yield "connected"
        while not listener.done():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(rings.wait(), timeout=max(0.0, ends - time.monotonic()))
            if not changed:
                return
            names = " ".join(sorted(changed))
            changed.clear()
            rings.clear()
            yield names
            await asyncio.sleep(GATHERED_SECONDS)
    finally:
        listener.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listener


async def _gather(wanted: frozenset[str], changed: set[str], rings: asyncio.Event) -> None:
    try:
        async for name in listen():
            if name and (name in wanted or (EVERYTHING in wanted and name.startswith("study:"))):
                changed.add(name)
                rings.set()
    except redis.RedisError:
        pass
    finally:
        rings.set()
