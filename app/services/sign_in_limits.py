"""How often one may try to sign in: counted per account and per address, in Redis, for all web servers together."""

from functools import lru_cache
from hashlib import sha256

import structlog
from limits import RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import FixedWindowRateLimiter
from redis.exceptions import RedisError

from app.settings import get_settings

PER_ACCOUNT = RateLimitItemPerMinute(10, 15, namespace="sign-in-account")
PER_ADDRESS = RateLimitItemPerMinute(30, 15, namespace="sign-in-address")

log = structlog.get_logger()


class TooManyAttemptsError(Exception):
    """Signing in was tried too often."""

    def __init__(self) -> None:
        super().__init__("Too many attempts to sign in. Wait 15 minutes, or ask for a one-time link.")


def allow_attempt(*, address: str, account: str | None = None) -> None:
    """Count an attempt. Raises TooManyAttemptsError beyond the limits."""
    allowed = _hit(PER_ADDRESS, address)
    if account is not None:
        allowed = _hit(PER_ACCOUNT, _key(account)) and allowed
    if not allowed:
        raise TooManyAttemptsError


def forget_attempts(*, account: str) -> None:
    """Begin counting anew after a success."""
    try:
        _limiter(get_settings().needed_redis_url()).clear(PER_ACCOUNT, _key(account))
    except (RedisError, StorageError):
        log.warning("sign-in limits away")


def _hit(item: RateLimitItemPerMinute, key: str) -> bool:
    try:
        return _limiter(get_settings().needed_redis_url()).hit(item, key)
    except (RedisError, StorageError):
        log.warning("sign-in limits away")
        return _fallback().hit(item, key)


def _key(account: str) -> str:
    return sha256(account.casefold().encode()).hexdigest()


@lru_cache(maxsize=4)
def _limiter(url: str) -> FixedWindowRateLimiter:
    address = f"redis+{url}" if url.startswith("unix://") else url
    storage = storage_from_string(address, socket_timeout=2, socket_connect_timeout=2)
    assert isinstance(storage, Storage)
    return FixedWindowRateLimiter(storage)


@lru_cache(maxsize=1)
def _fallback() -> FixedWindowRateLimiter:
    """Counts in this process while Redis is away."""
    return FixedWindowRateLimiter(MemoryStorage())
