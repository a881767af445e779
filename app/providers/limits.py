"""Requests and tokens a minute, counted in Redis for all workers together; nothing here waits."""

import time
from functools import lru_cache

import structlog
from limits import RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter
from redis.exceptions import RedisError

from app.providers.registry import Limits
from app.settings import get_settings

SHORTEST_WAIT = 1.0
LONGEST_WAIT = 60.0

log = structlog.get_logger()


def seconds_until_turn(model: str, limits: Limits, *, tokens: int, ahead: int) -> float:
    """Take a turn now and give 0, or give the seconds after which asking again is worth while.

    ``tokens`` is what the call may take, ``ahead`` how many calls were waiting before it: they are left their share.
    While Redis is away, this process counts on its own.
    """
    wanted = _wanted(limits, tokens)
    try:
        return _seconds(_limiter(get_settings().needed_redis_url()), model, wanted, ahead)
    except (RedisError, StorageError):
        log.warning("model limits away", model=model)
        return _seconds(_fallback(), model, wanted, ahead)


Wanted = tuple[tuple[RateLimitItemPerMinute, int], ...]


def _wanted(limits: Limits, tokens: int) -> Wanted:
    """What is asked of each limit; a call larger than a minute's tokens goes when the whole minute is free."""
    wanted = []
    if limits.requests_per_minute:
        wanted.append((RateLimitItemPerMinute(limits.requests_per_minute, namespace="model-requests"), 1))
    if limits.tokens_per_minute:
        item = RateLimitItemPerMinute(limits.tokens_per_minute, namespace="model-tokens")
        wanted.append((item, min(max(tokens, 1), limits.tokens_per_minute)))
    return tuple(wanted)


def _seconds(limiter: SlidingWindowCounterRateLimiter, model: str, wanted: Wanted, ahead: int) -> float:
    """Looks at every limit before it takes from any, so that a refusal by one costs nothing of the other."""
    for item, cost in wanted:
        if limiter.get_window_stats(item, model).remaining < cost * (ahead + 1):
            return _wait(limiter, item, model)
    for item, cost in wanted:
        if not limiter.hit(item, model, cost=cost):
            return _wait(limiter, item, model)
    return 0.0


def _wait(limiter: SlidingWindowCounterRateLimiter, item: RateLimitItemPerMinute, model: str) -> float:
    until = limiter.get_window_stats(item, model).reset_time - time.time()
    return min(max(until, SHORTEST_WAIT), LONGEST_WAIT)


@lru_cache(maxsize=4)
def _limiter(url: str) -> SlidingWindowCounterRateLimiter:
    address = f"redis+{url}" if url.startswith("unix://") else url
    storage = storage_from_string(address, socket_timeout=2, socket_connect_timeout=2)
    assert isinstance(storage, Storage)
    return SlidingWindowCounterRateLimiter(storage)


@lru_cache(maxsize=1)
def _fallback() -> SlidingWindowCounterRateLimiter:
    return SlidingWindowCounterRateLimiter(MemoryStorage())
