"""The line to an endpoint against a server that does to it what it is told: kept, stale, cut, lied to and closed."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from app.domain.engine.inputs import StepKind
from app.providers import connections
from app.providers.chat import ChatError, ask
from app.providers.compatible import Compatible
from app.providers.wire import Deadlines
from tests.providers.steps import request, step

BODY = b'{"choices": [{"message": {"content": "well"}, "finish_reason": "stop"}]}'
WHOLE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(BODY), BODY)
LAST = WHOLE.replace(b"200 OK\r\n", b"200 OK\r\nconnection: close\r\n")
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\n%s\r\n%x\r\n%s\r\n0\r\nafter: all\r\n\r\n" % (
    BODY[:5],
    len(BODY) - 5,
    BODY[5:],
)
TO_THE_END = b"HTTP/1.0 200 OK\r\n\r\n" + BODY
AFTER_A_HINT = b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE
QUICK = Deadlines(connect=1.0, read=0.4, total=0.8)
WANTED = request(step(StepKind.MEMO))


@dataclass
class Server:
    """Answers the n-th request with the n-th reply, whichever connection it comes by; ``hang_up`` closes after each."""

    replies: list[bytes]
    hang_up: bool = False
    heard: list[tuple[int, bytes]] = field(default_factory=list)
    """For each request the number of its connection and its bytes."""
    gone: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def serve(self, listening: socket.socket) -> None:
        number = 0
        while True:
            try:
                line, _ = listening.accept()
            except OSError:
                return
            number += 1
            threading.Thread(target=self._one, args=(line, number), daemon=True).start()

    def _one(self, line: socket.socket, number: int) -> None:
        with line:
            while asked := whole_request(line):
                self.heard.append((number, asked))
                reply = self.replies.pop(0)
                line.sendall(reply)
                if self.hang_up or not reply:
                    break
        self.gone.release()


def whole_request(line: socket.socket) -> bytes:
    """The bytes of one request; none once the line is closed."""
    received = b""
    while piece := line.recv(65_536):
        received += piece
        head, _, body = received.partition(b"\r\n\r\n")
        length = next((one for one in head.lower().split(b"\r\n") if one.startswith(b"content-length:")), b":0")
        if body and len(body) == int(length.split(b":")[1]):
            return received
    return b""


@contextmanager
def served(*replies: bytes, hang_up: bool = False) -> Iterator[tuple[Server, Callable[..., Compatible]]]:
    """A server with its replies, and what makes voices that ask it."""
    server, voices = Server(list(replies), hang_up), list[Compatible]()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/v1/"
        thread = threading.Thread(target=server.serve, args=(listening,), daemon=True)
        thread.start()

        def voice(**how: object) -> Compatible:
            voices.append(Compatible(**{"base_url": address, "wire_model": "m", "key": None, **how}))
            return voices[-1]

        try:
            yield server, voice
        finally:
            for one in voices:
                one.close()
            listening.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.parametrize("reply", [WHOLE, CHUNKED, AFTER_A_HINT])
def test_one_connection_serves_call_after_call(reply: bytes):
    with served(reply, reply, reply) as (server, voice):
        one = voice()
        assert [ask(one, WANTED).text for _ in range(3)] == ["well"] * 3
    assert [number for number, _ in server.heard] == [1, 1, 1]


@pytest.mark.parametrize("reply", [LAST, TO_THE_END])
def test_a_connection_that_ends_with_its_answer_is_not_used_again(reply: bytes):
    with served(reply, reply, hang_up=True) as (server, voice):
        one = voice()
        assert [ask(one, WANTED).text for _ in range(2)] == ["well"] * 2
    assert [number for number, _ in server.heard] == [1, 2]


def test_a_connection_that_went_stale_is_replaced_before_anything_is_sent():
    with served(WHOLE, WHOLE, hang_up=True) as (server, voice):
        one = voice()
        ask(one, WANTED)
        server.gone.acquire()
        assert ask(one, WANTED).text == "well"
    assert [number for number, _ in server.heard] == [1, 2]


def test_an_idle_connection_is_given_up_after_a_time(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "KEPT_SECONDS", -1.0)
    with served(WHOLE, WHOLE) as (server, voice):
        one = voice()
        ask(one, WANTED)
        ask(one, WANTED)
    assert [number for number, _ in server.heard] == [1, 2]


def test_what_was_sent_is_not_sent_again_when_the_line_breaks():
    with served(WHOLE, b"", WHOLE) as (server, voice):
        one = voice()
        ask(one, WANTED)
        with pytest.raises(ChatError, match="connection failed") as caught:
            ask(one, WANTED)
        assert caught.value.may_be_billed
        assert [number for number, _ in server.heard] == [1, 1]
        assert ask(one, WANTED).text == "well"


@pytest.mark.parametrize("length", [len(BODY) + 1, 10**15])
def test_a_body_shorter_than_it_claims_is_no_answer(length: int):
    reply = WHOLE.replace(b"content-length: %d" % len(BODY), b"content-length: %d" % length)
    with served(reply, hang_up=True) as (_, voice), pytest.raises(ChatError, match="connection failed") as caught:
        ask(voice(), WANTED)
    assert caught.value.may_be_billed


@pytest.mark.parametrize(
    "reply", [b"no HTTP at all\r\n\r\n", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz"]
)
def test_what_is_no_http_is_no_answer(reply: bytes):
    with served(reply, hang_up=True) as (_, voice), pytest.raises(ChatError, match="connection failed") as caught:
        ask(voice(), WANTED)
    assert caught.value.may_be_billed


def test_a_hint_is_no_answer_and_its_connection_is_not_used_again():
    with served(b"HTTP/1.1 103 Early Hints\r\n\r\n" + WHOLE, WHOLE) as (server, voice):
        one = voice()
        with pytest.raises(ChatError, match=r"announced only \(103\)") as caught:
            ask(one, WANTED)
        assert (caught.value.may_be_billed, caught.value.final) == (True, False)
        assert ask(one, WANTED).text == "well"
    assert [number for number, _ in server.heard] == [1, 2]


def test_an_endless_head_is_no_answer():
    reply = b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 100_000
    with served(reply, hang_up=True) as (_, voice), pytest.raises(ChatError) as caught:
        ask(voice(), WANTED)
    assert caught.value.may_be_billed


def test_a_compressed_answer_is_refused():
    reply = WHOLE.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n")
    with served(reply) as (server, voice), pytest.raises(ChatError, match="is compressed"):
        ask(voice(), WANTED)
    assert b"accept-encoding: identity\r\n" in server.heard[0][1]


def test_only_what_is_needed_and_our_own_is_sent():
    with served(WHOLE) as (server, voice):
        ask(voice(key="its-own-key"), WANTED)
    lines = server.heard[0][1].partition(b"\r\n\r\n")[0].decode().split("\r\n")
    names = sorted(line.partition(":")[0].lower() for line in lines[1:])
    assert lines[0] == "POST /v1/chat/completions HTTP/1.1"
    needed = ["accept", "accept-encoding", "content-length", "content-type", "host"]
    assert names == sorted([*needed, "authorization", "user-agent"])


@pytest.mark.parametrize("key", ["secret\r\nx: y", "s\u20accret"])
def test_a_key_that_no_header_can_hold_is_named_and_not_shown(key: str):
    with served() as (server, voice), pytest.raises(ChatError, match="key has characters") as caught:
        ask(voice(key=key), WANTED)
    assert "cret" not in caught.value.reason
    assert not caught.value.may_be_billed
    assert server.heard == []


def test_a_server_that_speaks_no_tls_gets_nothing():
    with served(WHOLE, hang_up=True) as (server, voice):
        one = voice()
        plain = one._address.removesuffix("chat/completions")
        brief = Deadlines(connect=0.2, read=5.0, total=5.0)
        error = failure_of(voice(base_url=plain.replace("http:", "https:"), deadlines=brief))
    assert "no connection in 0.2 s" in error.reason
    assert not error.may_be_billed
    assert server.heard == []


def test_a_call_waits_for_a_connection_no_longer_than_it_may_take():
    with served(WHOLE[:-1]) as (server, voice):
        one = voice(connections=1, deadlines=Deadlines(connect=1.0, read=60.0, total=60.0))
        failures: list[ChatError] = []
        first = threading.Thread(target=lambda: failures.append(failure_of(one)))
        first.start()
        while not server.heard:
            time.sleep(0.001)
        one._bounds = voice(deadlines=QUICK)._bounds
        assert "total deadline" in failure_of(one).reason
        assert len(server.heard) == 1, "nothing was sent"
        one.close()
        first.join()
    assert "connection failed" in failures[0].reason, "closing lets calls in flight fail"


def failure_of(voice: Compatible) -> ChatError:
    with pytest.raises(ChatError) as caught:
        ask(voice, WANTED)
    return caught.value


def test_many_threads_share_the_connections():
    with served(*[WHOLE] * 200) as (server, voice):
        one = voice(connections=3)
        threads = [threading.Thread(target=lambda: [ask(one, WANTED) for _ in range(25)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(server.heard) == 200
    assert len({number for number, _ in server.heard}) <= 3
