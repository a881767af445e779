"""What an SDK sends by: its text as it is and no header but our own, over connections within a call's bounds."""

from functools import lru_cache
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import Any

import httpx2

from app.providers.connections import Connection, Connections, request_over, whole_body
from app.providers.wire import Deadlines

JSON = "application/json"


class BoundedClient(httpx2.Client):
    """A client whose every request obeys :func:`~app.providers.wire.allowance`, and goes to ``base_url``'s host.

    The SDK reads extra headers and an organization from the environment: an endpoint would get what is not for it, so
    what an SDK adds is left out. Nothing is redirected, and no cookie kept.
    """

    def __init__(self, base_url: str, deadlines: Deadlines, headers: dict[str, str], connections: int) -> None:
        self._line = _Line(httpx2.URL(base_url), deadlines, headers, connections)
        super().__init__(transport=self._line, follow_redirects=False, trust_env=False)

    def build_request(self, method: str, url: httpx2.URL | str, *, content: Any = None, **added: Any) -> httpx2.Request:
        """The request without what an SDK adds."""
        return httpx2.Request(method, _address(str(url)), stream=httpx2.ByteStream(content))

    def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
        """Post a request once. Raises httpx2.HTTPError, ResponseTooLargeError, and RuntimeError once closed."""
        if self.is_closed:
            raise RuntimeError("the voice was closed")
        return self._line.handle_request(request)


class _Line(httpx2.BaseTransport):
    def __init__(self, base: httpx2.URL, deadlines: Deadlines, headers: dict[str, str], connections: int) -> None:
        tls = httpx2.create_ssl_context() if base.scheme == "https" else None
        if tls:
            tls.set_alpn_protocols(["http/1.1"])
        port = base.port or (443 if tls else 80)
        self._connections = Connections(base.raw_host.decode("ascii"), port, tls, deadlines, connections)
        needed = {"host": base.netloc.decode("ascii"), "accept": JSON, "accept-encoding": "identity"}
        self._headers = {**needed, "content-type": JSON, **headers}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, read to its end; a compressed one is refused, since its true size is not known."""
        connection = self._taken(request)
        is_usable = False
        try:
            response = request_over(connection, request.url.raw_path.decode("ascii"), self._headers, request.read())
            if response.getheader("content-encoding", "identity") != "identity":
                raise httpx2.DecodingError("the answer is compressed, which was not asked for", request=request)
            if response.status < HTTPStatus.OK:  # http.client skips no hint but 100: what was paid for comes after it
                raise httpx2.RemoteProtocolError(f"an answer was announced only ({response.status})", request=request)
            read = _read(response, request)
            is_usable = not response.will_close
        except ValueError:  # its words hold the key
            raise httpx2.LocalProtocolError("the key has characters that cannot be sent", request=request) from None
        except TimeoutError as error:
            raise httpx2.ReadTimeout(str(error), request=request) from error
        except HTTPException as error:
            raise httpx2.RemoteProtocolError(str(error), request=request) from error
        except OSError as error:
            raise httpx2.ReadError(str(error), request=request) from error
        finally:
            self._connections.put_back(connection, is_usable=is_usable)
        return read

    def close(self) -> None:
        """Close every connection; calls in flight fail."""
        self._connections.close()

    def _taken(self, request: httpx2.Request) -> Connection:
        try:
            connection = self._connections.take()
        except TimeoutError as error:
            raise httpx2.ConnectTimeout(str(error), request=request) from error
        except OSError as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        if connection is None:
            raise httpx2.PoolTimeout("no connection came free", request=request)
        return connection


def _read(response: HTTPResponse, request: httpx2.Request) -> httpx2.Response:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.getheaders()]
    said = {"reason_phrase": response.reason.encode("latin-1")}
    body = whole_body(response)
    return httpx2.Response(response.status, headers=headers, content=body, request=request, extensions=said)


@lru_cache(maxsize=256)
def _address(url: str) -> httpx2.URL:
    """An address is the same for each call to an endpoint, and slow to take apart."""
    return httpx2.URL(url)
