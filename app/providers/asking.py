"""One bounded question through an SDK: the exact bytes that came back, or a failure that says what happened."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from app.providers.chat import ChatError
from app.providers.refusals import refused_status
from app.providers.wire import MAX_RESPONSE_BYTES, Allowance, Deadlines, ResponseTooLargeError, allowance

USER_AGENT = "frontier-autolab"
NO_KEY = "none"
"""What an SDK is told in place of a key: the line sends the key, and nothing that the SDK adds."""
BLOT = b"[key]"


def own_headers(key: str | None) -> dict[str, str]:
    """What is sent beside the necessary headers: who asks, and the endpoint's own key."""
    return {"user-agent": USER_AGENT} | ({"authorization": f"Bearer {key}"} if key else {})


@dataclass(frozen=True, slots=True)
class SdkErrors:
    """An SDK's exceptions: for a status that refuses (with a ``response``), for lateness, for a lost connection."""

    status: type[Exception]
    late: type[Exception]
    lost: type[Exception]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one question may take: deadlines, and the size of its answer in bytes.

    ``key`` is blotted out of whatever comes back, since some servers repeat it.
    """

    deadlines: Deadlines
    max_response_bytes: int = MAX_RESPONSE_BYTES
    clock: Callable[[], float] = time.monotonic
    key: str | None = None


def asked_once(post: Callable[[], httpx2.Response], bounds: Bounds, errors: SdkErrors) -> bytes:
    """The body of the response that ``post`` gets. Raises ChatError, whatever went wrong."""
    with allowance(bounds.deadlines.total, bounds.clock, bounds.max_response_bytes) as bound:
        try:
            return _whole(post(), bounds)
        except errors.status as error:
            raise refused_status(_blotted(_response_of(error), bounds.key)) from error
        except ResponseTooLargeError as error:
            words = f"the answer is larger than {bounds.max_response_bytes:,} bytes"
            raise ChatError(words, may_be_billed=True) from error
        except (errors.late, httpx2.TimeoutException) as error:
            raise ChatError(_late(bound, bounds.deadlines), may_be_billed=_was_sent(error)) from error
        except (errors.lost, httpx2.HTTPError) as error:
            words = f"the connection failed: {error.__cause__ or error}"
            raise ChatError(words, may_be_billed=_was_sent(error)) from error


def _was_sent(error: BaseException) -> bool:
    """Whether the request may have reached the endpoint: not without a connection, or if it could not be written."""
    never = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.LocalProtocolError)
    return not isinstance(error, never) and not isinstance(error.__cause__, never)


def _whole(response: httpx2.Response, bounds: Bounds) -> bytes:
    if len(response.content) > bounds.max_response_bytes:
        raise ResponseTooLargeError
    return _without(response.content, bounds.key)


def _without(content: bytes, key: str | None) -> bytes:
    return content.replace(key.encode(), BLOT) if key and key.encode() in content else content


def _blotted(response: httpx2.Response, key: str | None) -> httpx2.Response:
    """The response as it is, or, where it repeats the key, one like it that does not."""
    content = _without(response.content, key)
    if content == response.content:
        return response
    return httpx2.Response(response.status_code, headers={"retry-after": _header(response)}, content=content)


def _header(response: httpx2.Response) -> str:
    return response.headers.get("retry-after") or ""


def _response_of(error: Exception) -> httpx2.Response:
    response = getattr(error, "response", None)
    assert isinstance(response, httpx2.Response)
    return response


def _late(bound: Allowance, deadlines: Deadlines) -> str:
    if bound.seconds_left() <= 0:
        return f"no complete answer within {deadlines.total:g} s, the total deadline"
    return f"silence: nothing came for {deadlines.read:g} s, or no connection in {deadlines.connect:g} s"
