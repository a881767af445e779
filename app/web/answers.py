"""How an address answers by method: HEAD like GET without its body, and which methods there are."""

from starlette.requests import Request
from starlette.routing import Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")


class _AnsweredError(Exception):
    """The head of an answer was sent: nobody waits for the rest."""


class HeadAnswers:
    """Asks for GET where HEAD was asked for, and sends the head of that answer only."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; a body that would come in parts is not made."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] != "http.response.body":
                await send(message)
                return
            await send({"type": "http.response.body", "body": b""})
            if message.get("more_body"):
                raise _AnsweredError

        try:
            await self._app({**scope, "method": "GET"}, receive, send_head)
        except _AnsweredError:
            return


def allowed_methods(request: Request) -> str:
    """The methods that the address of a request takes, as an Allow header has them; of a file they are GET and HEAD."""
    pages = [route for route in request.app.routes if not isinstance(route, Mount)]
    found = {
        method
        for method in METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in pages)
    }
    return ", ".join(sorted(found | {"HEAD"} if "GET" in found else found or {"GET", "HEAD"}))
