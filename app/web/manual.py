"""Help: the glossary and the methods as pages, rendered from the same files that come with the software."""

import re
from functools import lru_cache

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from app.services.errors import NotFoundError
from app.settings import ROOT
from app.templating import own_markdown
from app.web.pages import page, url

TOPICS = {
    "glossary": "Glossary",
    "methods": "Methods",
    "audit": "Leakage audit",
    "rating": "Human raters",
    "agreement": "Agreement",
}
"""Files of `docs/` that explain what pages show, and how pages name them."""

_LINK = re.compile(r"\[([^]]+)\]\((\w+)\.md\)")

router = APIRouter()


@router.get("/help", name="help.index")
def index(request: Request) -> Response:
    """The words: what most people look for."""
    return show(request, "glossary")


@router.get("/help/{topic}", name="help.show")
def show(request: Request, topic: str) -> Response:
    """One file of the documentation. Raises NotFoundError for any other name."""
    if topic not in TOPICS:
        raise NotFoundError("help page", topic)
    base = url(request, "help.index")
    return page(request, "help/show.html", topics=TOPICS, topic=topic, text=_text(topic, base))


@lru_cache(maxsize=len(TOPICS))
def _text(topic: str, base: str) -> Markup:
    source = (ROOT / "docs" / f"{topic}.md").read_text(encoding="utf-8")
    return own_markdown(_LINK.sub(lambda found: _linked(found[1], found[2], base), source))


def _linked(words: str, topic: str, base: str) -> str:
    return f"[{TOPICS[topic]}]({base}/{topic})" if topic in TOPICS else words
