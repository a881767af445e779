"""Health: a page for people, and an address for machines that watch."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from app.services.health import show_health
from app.web.dependencies import Reading
from app.web.pages import page

router = APIRouter()
watched = APIRouter()


@router.get("/health", name="health.show")
def show(request: Request, reading: Reading) -> Response:
    """Everything an operator looks at first when nothing moves."""
    return page(request, "health/show.html", fragment="health/_now.html", health=show_health(reading))


@watched.get("/alive", name="health.alive")
def alive() -> Response:
    """This web server answers."""
    return PlainTextResponse("alive\n")
