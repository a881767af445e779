"""The two renderers: a page (or, for htmx, the one fragment of it that changes), and going on to another page."""

from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from app.domain.auth import Right
from app.services.users import SignedIn
from app.templating import render


def page(
    request: Request, template: str, *, fragment: str | None = None, status: int = 200, **values: Any
) -> HTMLResponse:
    """The template as a page; only its fragment where htmx asks for a part."""
    partial = fragment is not None and wants_part(request)
    viewer: SignedIn | None = getattr(request.state, "viewer", None)
    shared = {
        "viewer": viewer.user if viewer else None,
        "csrf": viewer.csrf_token if viewer else "",
        "may_operate": bool(viewer and viewer.user.role.may(Right.OPERATE)),
        "may_administer": bool(viewer and viewer.user.role.may(Right.ADMINISTER)),
        "path": request.url.path,
        "sending": uuid4(),
        "url": lambda route, query=None, **path: url(request, route, query, **path),
    }
    html = render(fragment if partial and fragment else template, {**shared, **values})
    headers = {"Vary": "HX-Request-Type", "Cache-Control": "no-store"}
    if wants_part(request) and fragment is None and status >= 400:
        headers["HX-Reswap"] = "none"  # an error's page must not take the place of the part that was asked for
    return HTMLResponse(html.encode(errors="replace"), status, headers=headers)  # half a character must not fail it


def go_to(
    request: Request, route: str, query: dict[str, Any] | None = None, *, place: str = "", **path: Any
) -> RedirectResponse:
    """Go on to another page with a GET, to the element whose id is ``place`` if one is given."""
    return RedirectResponse(f"{url(request, route, query, **path)}{f'#{place}' if place else ''}", 303)


def url(request: Request, route: str, query: dict[str, Any] | None = None, **path: Any) -> str:
    """The path of a route with its parameters; parameters of the query that are None or empty are left out."""
    form = _address_form(request.app, route, tuple(path))
    address = form.format(**{name: quote(str(value), safe="/") for name, value in path.items()})
    asked = {name: value for name, value in (query or {}).items() if value not in {None, ""}}
    return f"{address}?{urlencode(asked)}" if asked else address


@lru_cache(maxsize=1_024)
def _address_form(app: Starlette, route: str, names: tuple[str, ...]) -> str:
    """A route's path with its parameters in braces; looked up once, because a page asks for hundreds."""
    return str(app.url_path_for(route, **{name: f"{{{name}}}" for name in names}))


def wants_part(request: Request) -> bool:
    """Whether htmx asks for a fragment of a page that is open."""
    return request.headers.get("HX-Request-Type") == "partial"


def route_of(request: Request) -> str:
    """The route's pattern: the address itself may hold a one-time link, which no log may keep."""
    return str(getattr(request.scope.get("route"), "path", "none"))
