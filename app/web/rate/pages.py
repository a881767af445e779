"""The rater's renderer: pages of an own layout, never stored, with texts cleaned and stand-ins shown as such."""

import re
from functools import lru_cache
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from app.services.raters import RaterSession
from app.settings import get_settings
from app.templating import prose, render
from app.web.rate.session import AREA

HIDDEN = re.compile(r"\[(?:withheld|score withheld|masked|a model|a setting|this record)\]")
TALL = re.compile(r"^#{1,2}(?= )", re.MULTILINE)


def rate_page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of the rater's area."""
    session: RaterSession | None = getattr(request.state, "rater", None)
    shared = {
        "csrf": session.csrf_token if session else "",
        "area": AREA,
        "entrance": f"{get_settings().address}{AREA}/return",
        "text_of": text_of,
    }
    html = render(f"rate/{template}", {**shared, **values})
    return HTMLResponse(html.encode(errors="replace"), status, headers={"Cache-Control": "no-store"})


def rate_to(path: str) -> RedirectResponse:
    """Go on inside the rater's area."""
    return RedirectResponse(f"{AREA}{path or '/'}", 303, headers={"Cache-Control": "no-store"})


def text_of(text: str, stand_ins: tuple[str, ...]) -> Markup:
    """A packet's Markdown as clean HTML with what is masked marked."""
    return Markup(_html(text, stand_ins))  # noqa: S704 - prose has cleaned it; only our own spans are added


@lru_cache(maxsize=1_024)
def _html(text: str, stand_ins: tuple[str, ...]) -> str:
    html = str(prose(TALL.sub("###", text)))
    either = "|".join([HIDDEN.pattern, *(re.escape(one) for one in stand_ins if not HIDDEN.fullmatch(one))])
    return re.sub(either, lambda found: f'<span class="masked">{found.group()}</span>', html)
