"""Telling open pages that something changed: a name is published, never data."""

from collections.abc import AsyncIterator, Iterable
from functools import lru_cache
from threading import Lock, Timer

import redis
import redis.asyncio
import structlog

from app.settings import get_settings

CHANNEL = "autolab.live"
GATHERED_SECONDS = 0.1

_LOCK = Lock()
_SENDING = Lock()
_WAITING: dict[str, None] = {}

log = structlog.get_logger()


def publish(names: Iterable[str]) -> None:
    """Publish names a moment later, each once with those of other threads: a busy worker changes a study at every call.

    Those of a process that ends meanwhile are lost; pages fetch again on their own.
    """
    client = _client()
    with _LOCK:
        is_first = not _WAITING
        _WAITING.update(dict.fromkeys(names))
    if not is_first:
        return
    later = Timer(GATHERED_SECONDS, send_gathered, [client])
    later.daemon = True
    try:
        later.start()
    except RuntimeError:  # no thread is to be had
        send_gathered(client)


def send_gathered(client: redis.Redis) -> None:
    """Publish now what was gathered, after whoever publishes already."""
    with _SENDING:
        with _LOCK:
            names = tuple(_WAITING)
            _WAITING.clear()
        if names:
            _send(client, names)


def _send(client: redis.Redis, names: Iterable[str]) -> None:
    """A broker that is away is logged and forgotten."""
    try:
        with client.pipeline(transaction=False) as pipeline:
            for name in names:
                pipeline.publish(CHANNEL, name)
            pipeline.execute()
    except redis.RedisError as error:
        log.warning("change not announced", error=type(error).__name__)


async def listen() -> AsyncIterator[str | None]:
    """Names as they are published; None about every second in which there was none. Raises redis.RedisError."""
    client = redis.asyncio.Redis.from_url(get_settings().needed_redis_url())
    try:
        async with client.pubsub(ignore_subscribe_messages=True) as subscription:
            await subscription.subscribe(CHANNEL)
            while True:
                message = await subscription.get_message(timeout=1.0)
                yield message["data"].decode() if message else None
    finally:
        await client.aclose()


@lru_cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(get_settings().needed_redis_url(), socket_timeout=2, socket_connect_timeout=2)
