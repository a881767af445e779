"""The least HTTP/1.1 that serves JSON quickly: one request at a time on a kept connection, and ways to break off."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

HEAD_END = b"\r\n\r\n"
LONGEST_HEAD = 64 * 1024


class Manner(StrEnum):
    """How a reply is sent."""

    WHOLE = "whole"
    HANG = "hang"
    DRIP = "drip"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request with header names in small letters."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply; ``seconds`` is how long a hang lasts or how far a drip's bytes lie apart, ``delay`` comes before it."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    manner: Manner = Manner.WHOLE
    seconds: float = 0.0
    delay: float = 0.0


class Line(asyncio.Protocol):
    """One connection; ``lines`` is the set it is in while it is open."""

    def __init__(self, respond: Callable[[HttpRequest], Reply], lines: set["Line"]) -> None:
        self._respond = respond
        self._lines = lines
        self._buffer = b""
        self._busy = False
        self._later: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._lines.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what was still to be sent."""
        self._lines.discard(self)
        self._transport = None
        if self._later:
            self._later.cancel()

    def data_received(self, data: bytes) -> None:
        """Serve the request once it is whole."""
        self._buffer = self._buffer + data if self._buffer else data
        self._serve()

    def close(self) -> None:
        """Break the connection off."""
        if self._transport:
            self._transport.abort()

    def _serve(self) -> None:
        request = None if self._busy else self._whole_request()
        if request is None:
            return
        self._busy = True
        reply = self._respond(request)
        if reply.delay > 0:
            self._after(reply.delay, lambda: self._send(reply))
        else:
            self._send(reply)

    def _whole_request(self) -> HttpRequest | None:
        end = self._buffer.find(HEAD_END)
        if end < 0:
            if len(self._buffer) > LONGEST_HEAD:
                self.close()
            return None
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        length = headers.get("content-length", "0")
        total = end + len(HEAD_END) + (int(length) if length.isdigit() else 0)
        if len(self._buffer) < total:
            return None
        body, self._buffer = self._buffer[end + len(HEAD_END) : total], self._buffer[total:]
        method, target, *_ = [*first.split(" "), "", ""]
        return HttpRequest(method=method, target=target, headers=headers, body=body)

    def _send(self, reply: Reply) -> None:
        if self._transport is None:
            return
        head = _head(reply)
        match reply.manner:
            case Manner.WHOLE:
                self._transport.write(head + reply.body)
                self._busy = False
                self._serve()
            case Manner.CUT:
                self._transport.write(head + reply.body[: len(reply.body) // 2])
                self._transport.close()
            case Manner.HANG:
                self._after(reply.seconds, self.close)
            case Manner.DRIP:
                self._transport.write(head)
                self._drip(reply, 0)

    def _drip(self, reply: Reply, sent: int) -> None:
        if self._transport is None:
            return
        self._transport.write(reply.body[sent : sent + 1])
        if sent + 1 < len(reply.body):
            self._after(reply.seconds, lambda: self._drip(reply, sent + 1))
        else:
            self._busy = False
            self._serve()

    def _after(self, seconds: float, then: Callable[[], None]) -> None:
        self._later = asyncio.get_running_loop().call_later(seconds, then)


def _head(reply: Reply) -> bytes:
    lines = [
        f"HTTP/1.1 {reply.status} Fake",
        "content-type: application/json",
        f"content-length: {len(reply.body)}",
        *(f"{name}: {value}" for name, value in reply.headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
