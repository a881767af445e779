"""Connections to one endpoint, kept and used again; http.client speaks over them within what a call may still use."""

import io
import select
import socket
import time
from collections import deque
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from ssl import SSLContext
from threading import BoundedSemaphore
from typing import Any

from app.providers.wire import Deadlines, seconds_left, take_bytes

KEPT_SECONDS = 30.0
PIECE_BYTES = 64 * 1024


class Connection(HTTPConnection):
    """One connection that never opens by itself: what is to be sent is gathered and goes out at once."""

    auto_open = 0

    def __init__(self, opened: socket.socket, silence: float) -> None:
        super().__init__("")
        self._opened = opened
        self._silence = silence
        self._timeout = opened.gettimeout()
        self._gathered: list[bytes] = []
        self.sock: Any = self
        self.used_at = 0.0

    def send(self, data: Any) -> None:
        """Gather a piece of the request."""
        self._gathered.append(data)

    def send_gathered(self) -> None:
        """Send what was gathered. Raises OSError."""
        left = memoryview(b"".join(self._gathered))
        self._gathered.clear()
        while left:
            self._limit_wait()
            left = left[self._opened.send(left) :]

    def receive_into(self, buffer: Any) -> int:
        """Fill a buffer with what comes next. Raises OSError, and ResponseTooLargeError beyond the limit."""
        self._limit_wait()
        size = self._opened.recv_into(buffer)
        take_bytes(size)
        return size

    def makefile(self, mode: str) -> io.BufferedReader:
        """What http.client reads a response from."""
        return io.BufferedReader(_Incoming(self), PIECE_BYTES)

    def close(self) -> None:
        """Forget the socket for further requests: http.client does so before a last response is read."""
        self.sock = None

    def break_off(self) -> None:
        """Close the socket."""
        self._opened.close()

    def interrupt(self) -> None:
        """Let whoever waits on the socket fail at once."""
        try:
            self._opened.shutdown(socket.SHUT_RDWR)
        except OSError:
            self._opened.close()

    def is_fresh(self) -> bool:
        """Whether it can be used again: used lately, and nothing came since, which could only be its end."""
        if self.is_old():
            return False
        watch = select.poll()
        watch.register(self._opened, select.POLLIN)
        return not watch.poll(0)

    def is_old(self) -> bool:
        """Whether it was idle for longer than servers keep a connection."""
        return time.monotonic() - self.used_at > KEPT_SECONDS

    def _limit_wait(self) -> None:
        timeout = seconds_left(self._silence)
        if timeout != self._timeout:
            self._opened.settimeout(timeout)
            self._timeout = timeout


class _Incoming(io.RawIOBase):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._connection.receive_into(buffer)


class Connections:
    """At most so many connections to a host, used by any number of threads; ``tls`` is None for plain HTTP."""

    def __init__(self, host: str, port: int, tls: SSLContext | None, deadlines: Deadlines, most: int) -> None:
        self._host = host
        self._port = port
        self._tls = tls
        self._deadlines = deadlines
        self._places = BoundedSemaphore(most)
        self._idle: deque[Connection] = deque()
        self._open: set[Connection] = set()
        self._is_closed = False

    def take(self) -> Connection | None:
        """An idle connection that still holds, or a new one; None if no place came free. Raises OSError."""
        if not self._places.acquire(timeout=seconds_left(self._deadlines.total)):
            return None
        try:
            return self._kept() or self._opened()
        except BaseException:
            self._places.release()
            raise

    def put_back(self, connection: Connection, *, is_usable: bool) -> None:
        """The call on a connection is over."""
        connection.used_at = time.monotonic()
        if is_usable and not self._is_closed:
            self._idle.append(connection)
        else:
            self._drop(connection)
        self._drop_old()
        self._places.release()

    def close(self) -> None:
        """Close every connection; calls in flight fail."""
        self._is_closed = True
        for connection in list(self._open):
            connection.interrupt()
        while self._idle:
            self._drop(self._idle.pop())

    def _kept(self) -> Connection | None:
        """The idle connection that was used last, of those that still hold."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread was quicker
                return None
            if connection.is_fresh():
                return connection
            self._drop(connection)
        return None

    def _drop_old(self) -> None:
        """Those used longest ago stand first."""
        while self._idle:
            try:
                oldest = self._idle.popleft()
            except IndexError:  # another thread was quicker
                return
            if not oldest.is_old():
                self._idle.appendleft(oldest)
                return
            self._drop(oldest)

    def _opened(self) -> Connection:
        timeout = seconds_left(self._deadlines.connect)
        opened = socket.create_connection((self._host, self._port), timeout)
        try:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                opened.settimeout(seconds_left(self._deadlines.connect))
                opened = self._tls.wrap_socket(opened, server_hostname=self._host)
        except BaseException:
            opened.close()
            raise
        connection = Connection(opened, self._deadlines.read)
        self._open.add(connection)
        return connection

    def _drop(self, connection: Connection) -> None:
        self._open.discard(connection)
        connection.break_off()


def whole_body(response: HTTPResponse) -> bytes:
    """The body of a response, in pieces: no length it claims is believed. Raises IncompleteRead, OSError."""
    pieces = []
    while piece := response.read(PIECE_BYTES):
        pieces.append(piece)
    if response.length:
        raise IncompleteRead(b"", response.length)
    return b"".join(pieces)


def request_over(connection: Connection, target: str, headers: Mapping[str, str], body: bytes) -> HTTPResponse:
    """Post a body, and give the response once its head is read.

    Raises OSError, HTTPException, and ValueError, before anything is sent, for a header that cannot be.
    """
    connection.request("POST", target, body, headers)
    try:
        connection.send_gathered()
    except TimeoutError:
        raise
    except OSError:
        pass  # a server may answer and hang up before it has read everything
    return connection.getresponse()
