"""The line to an endpoint: connect, read and total deadlines, a limit on size, and no header but our own."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any

import httpcore2
import httpx2

MAX_RESPONSE_BYTES = 5 * 1024 * 1024
HEADER_ALLOWANCE = 64 * 1024
_SENT_HEADERS = frozenset({"accept", "connection", "content-length", "content-type", "host", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds: to connect, between two pieces of an answer, and for everything together."""

    connect: float = 10.0
    read: float = 300.0
    total: float = 600.0


def deadlines_of(total: float) -> Deadlines:
    """Deadlines for a call of so many seconds: silence may last half of them."""
    return Deadlines(connect=min(Deadlines().connect, total), read=total / 2, total=total)


class ResponseTooLargeError(Exception):
    """An answer grew beyond the limit and was cut off."""


@dataclass(slots=True)
class Allowance:
    """What one call may still use; counted down by whichever connection serves it."""

    ends_at: float
    bytes_left: int
    clock: Callable[[], float]

    def seconds_left(self) -> float:
        """Seconds until the total deadline, negative after it."""
        return self.ends_at - self.clock()


_ALLOWANCE: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def allowance(seconds: float, clock: Callable[[], float], size: int = MAX_RESPONSE_BYTES) -> Iterator[Allowance]:
    """Bound everything this thread sends and receives inside the block."""
    bound = Allowance(ends_at=clock() + seconds, bytes_left=size + HEADER_ALLOWANCE, clock=clock)
    token = _ALLOWANCE.set(bound)
    try:
        yield bound
    finally:
        _ALLOWANCE.reset(token)


def bounded_client(deadlines: Deadlines, headers: dict[str, str], connections: int) -> httpx2.Client:
    """A client whose every connection obeys :func:`allowance` and sends only ``headers`` beside the necessary ones."""
    timeout = httpx2.Timeout(connect=deadlines.connect, read=deadlines.read, write=deadlines.read, pool=deadlines.total)
    return httpx2.Client(
        transport=_BoundedTransport(headers, connections), timeout=timeout, follow_redirects=False, trust_env=False
    )


class _BoundedTransport(httpx2.HTTPTransport):
    """Sends over bounded connections; the SDK's own and the environment's headers are dropped.

    The SDK reads extra headers and an organization from the environment: an endpoint would get what is not for it.
    """

    def __init__(self, headers: dict[str, str], connections: int) -> None:
        super().__init__()
        self._headers = headers
        self._pool.close()
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=30.0,
            network_backend=_BoundedBackend(),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send with our own headers only; a compressed answer is refused, since its true size is not known."""
        kept = [(name, value) for name, value in request.headers.raw if name.decode().lower() in _SENT_HEADERS]
        own = [(name.encode(), value.encode()) for name, value in self._headers.items()]
        sent = httpx2.Request(
            request.method,
            request.url,
            headers=[*kept, *own, (b"accept-encoding", b"identity")],
            stream=request.stream,
            extensions=request.extensions,
        )
        response = super().handle_request(sent)
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise httpx2.DecodingError("the answer is compressed, which was not asked for", request=request)
        return response


class _BoundedBackend(httpcore2.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        stream = super().connect_tcp(host, port, _bounded(timeout), local_address, socket_options)
        return _BoundedStream(stream)


class _BoundedStream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, _bounded(timeout))
        bound = _ALLOWANCE.get()
        if bound is not None:
            bound.bytes_left -= len(data)
            if bound.bytes_left < 0:
                raise ResponseTooLargeError
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _bounded(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _BoundedStream(self._stream.start_tls(ssl_context, server_hostname, _bounded(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _bounded(timeout: float | None) -> float | None:
    """The shorter of a timeout and what is left of the call."""
    bound = _ALLOWANCE.get()
    if bound is None:
        return timeout
    left = bound.seconds_left()
    if left <= 0:
        raise httpcore2.ReadTimeout("the total deadline has passed")
    return left if timeout is None else min(timeout, left)
