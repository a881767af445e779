"""The fake provider itself: its routes, what it saw, and how to run it beside a test or alone."""

import asyncio
import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pydantic import ValidationError
from pydantic_core import from_json

from app.providers.fake_server.completions import ChatCompletions
from app.providers.fake_server.dialects import Dialect, Trouble
from app.providers.fake_server.faults import Director, Fault, Script
from app.providers.fake_server.listening import HttpRequest, Line, Reply
from app.providers.fake_server.messages import Messages
from app.providers.fake_server.replies import reply_to, trouble_reply
from app.providers.fake_server.responses import Responses

HOST = "127.0.0.1"
FAULT_HEADER = "x-fake-fault"
KEPT_REQUESTS = 10_000
DIALECTS: Mapping[str, Dialect] = {
    "/v1/chat/completions": ChatCompletions(),
    "/v1/messages": Messages(),
    "/v1/responses": Responses(),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A request the server saw, and what it did with it."""

    number: int
    path: str
    headers: Mapping[str, str]
    raw: bytes
    fault: Fault

    @property
    def body(self) -> dict[str, Any]:
        """The parsed body."""
        parsed: dict[str, Any] = json.loads(self.raw)
        return parsed


class FakeProvider:
    """A provider at ``http://host:port``; ``latency`` is in seconds and comes before every reply.

    Control: ``GET /_seen?limit=N``, ``DELETE /_seen``, ``POST /_script`` and ``GET /_health``.
    """

    def __init__(self, script: Script | None = None, latency: float = 0.0) -> None:
        self._director = Director(script or Script())
        self._latency = latency
        self._seen: deque[Seen] = deque(maxlen=KEPT_REQUESTS)
        self._count = 0
        self._lines: set[Line] = set()
        self.port = 0

    @property
    def root_url(self) -> str:
        """The address without a path, as the Anthropic SDK wants it."""
        return f"http://{HOST}:{self.port}"

    @property
    def base_url(self) -> str:
        """The address of the API's version 1, as the OpenAI SDK wants it."""
        return f"{self.root_url}/v1"

    @property
    def seen(self) -> list[Seen]:
        """The model requests so far, the last 10,000 of them."""
        return list(self._seen)

    def follow(self, script: Script) -> None:
        """Follow another script from now on; requests are counted from 1 again."""
        self._director = Director(script)
        self._count = 0

    async def start(self, port: int = 0) -> asyncio.Server:
        """Listen; port 0 takes a free one."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Line(self.respond, self._lines), HOST, port)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def stop(self, server: asyncio.Server) -> None:
        """Break every connection off and stop listening."""
        server.close()
        for line in list(self._lines):
            line.close()
        await server.wait_closed()

    def respond(self, request: HttpRequest) -> Reply:
        """The reply to any request."""
        path = urlsplit(request.target).path
        dialect = DIALECTS.get(path) if request.method == "POST" else None
        return self._model_reply(dialect, path, request) if dialect else self._control_reply(path, request)

    def _model_reply(self, dialect: Dialect, path: str, request: HttpRequest) -> Reply:
        self._count += 1
        try:
            asked = dialect.read(_parsed(request.body))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return trouble_reply(dialect, Trouble.BAD_REQUEST, f"malformed request: {error!r}")
        asked_for = request.headers.get(FAULT_HEADER)
        rule = self._director.rule_for(self._count, asked.model, asked.schema_name, asked.prompt, asked_for)
        self._seen.append(Seen(self._count, path, request.headers, request.body, rule.fault))
        reply = reply_to(dialect, asked, rule, self._count)
        wanted = self._director.script.latency
        latency = self._latency if wanted is None else wanted
        return _delayed(reply, latency) if latency else reply

    def _control_reply(self, path: str, request: HttpRequest) -> Reply:
        match request.method, path:
            case "GET", "/_seen":
                limit = parse_qs(urlsplit(request.target).query).get("limit", ["100"])[0]
                return _json_reply([_shown(seen) for seen in self.seen[-max(int(limit), 1) :]])
            case "DELETE", "/_seen":
                self._seen.clear()
                return _json_reply({"seen": 0})
            case "POST", "/_script":
                return self._new_script(request.body)
            case "GET", "/_health":
                return _json_reply({"status": "ok"})
            case "GET", "/v1/models":
                return _json_reply({"object": "list", "data": [{"id": "fake", "object": "model"}]})
            case _:
                return _json_reply({"error": {"message": f"no such address: {request.method} {path}"}}, status=404)

    def _new_script(self, body: bytes) -> Reply:
        try:
            self.follow(Script.model_validate_json(body))
        except ValidationError as error:
            return _json_reply({"error": {"message": str(error)}}, status=422)
        return _json_reply({"rules": len(self._director.script.rules)})


@contextmanager
def fake_provider(*, script: Script | None = None, latency: float = 0.0, port: int = 0) -> Iterator[FakeProvider]:
    """A fake provider in a thread of its own for the length of the block."""
    provider = FakeProvider(script, latency)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="fake-provider", daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(provider.start(port), loop).result()
    try:
        yield provider
    finally:
        asyncio.run_coroutine_threadsafe(provider.stop(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _parsed(raw: bytes) -> Any:
    """A request's body, read by the quicker of two readers, or by the one that takes half a surrogate pair."""
    try:
        return from_json(raw)
    except ValueError:
        return json.loads(raw)


def _delayed(reply: Reply, latency: float) -> Reply:
    return Reply(reply.status, reply.body, reply.headers, reply.manner, reply.seconds, latency)


def _shown(seen: Seen) -> dict[str, Any]:
    return {
        "number": seen.number,
        "path": seen.path,
        "headers": dict(seen.headers),
        "body": seen.body,
        "fault": seen.fault,
    }


def _json_reply(value: Any, status: int = 200) -> Reply:
    return Reply(status=status, body=json.dumps(value).encode())
