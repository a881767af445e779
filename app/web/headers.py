"""Security headers on every answer, and nothing inline: scripts and styles come from files only."""

from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
ONE_YEAR = "public, max-age=31536000, immutable"


class SecurityHeaders:
    """Adds the headers; ``secure`` adds Strict-Transport-Security for sites served over https."""

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self._app = app
        self._headers = {**HEADERS, **({"Strict-Transport-Security": "max-age=31536000"} if secure else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; the first message of the answer gets the headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                is_static = scope["path"].startswith("/static/")
                if is_static and scope["query_string"].startswith(b"v="):
                    headers["Cache-Control"] = ONE_YEAR
                elif not is_static:
                    headers.setdefault("Cache-Control", "no-store")
                if message["status"] == HTTPStatus.TEMPORARY_REDIRECT:  # of the router, which believes any Host
                    headers["Location"] = urlsplit(headers["Location"])._replace(scheme="", netloc="").geturl()
            await send(message)

        await self._app(scope, receive, send_with_headers)
