"""The two renderers: a page (or, for htmx, the one fragment of it that changes), and going on to another page."""

from typing import Any
from urllib.parse import urlencode

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
        "url": lambda route, query=None, **path: url(request, route, query, **path),
    }
    html = render(fragment if partial and fragment else template, {**shared, **values})
    return HTMLResponse(html, status, headers={"Vary": "HX-Request-Type", "Cache-Control": "no-store"})


def go_to(request: Request, route: str, query: dict[str, Any] | None = None, **path: Any) -> RedirectResponse:
    """Go on to another page with a GET."""
    return RedirectResponse(url(request, route, query, **path), 303)


def url(request: Request, route: str, query: dict[str, Any] | None = None, **path: Any) -> str:
    """The path of a route with its parameters; parameters of the query that are None or empty are left out."""
    address = str(request.app.url_path_for(route, **{name: str(value) for name, value in path.items()}))
    asked = {name: value for name, value in (query or {}).items() if value not in {None, ""}}
    return f"{address}?{urlencode(asked)}" if asked else address


def wants_part(request: Request) -> bool:
    """Whether htmx asks for a fragment of a page that is open."""
    return request.headers.get("HX-Request-Type") == "partial"
