"""Fictional worlds to read: one a seed."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.domain.world.histories.documents import history_bytes
from app.services.errors import NotFoundError
from app.services.world_pages import OFFERED, show_world
from app.services.worlds import fictional_world
from app.web.pages import page

router = APIRouter()
MOST = 999_999_999


@router.get("/record/worlds", name="worlds.show")
def show(request: Request, seed: str = "") -> Response:
    """The world of a seed; without one, seeds to begin with."""
    asked = seed.strip()
    if not asked:
        return page(request, "worlds/index.html", offered=OFFERED, seed="", problems={})
    number = _seed(asked)
    if number is None:
        problems = {"seed": f"Write a whole number from 0 to {MOST:,}."}
        return page(request, "worlds/index.html", status=422, offered=OFFERED, seed=asked[:40], problems=problems)
    return page(request, "worlds/show.html", world=show_world(number), seed=number, most=MOST, problems={})


@router.get("/record/worlds/{seed}.json", name="worlds.file")
def file(seed: str) -> Response:
    """The world's exact bytes: the same for ever."""
    number = _seed(seed)
    if number is None:
        raise NotFoundError("world", seed)
    disposition = f'attachment; filename="world-{number}.json"'
    content = history_bytes(fictional_world(number))
    return Response(content, media_type="application/json", headers={"Content-Disposition": disposition})


def _seed(text: str) -> int | None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(MOST)) else -1
    return number if 0 <= number <= MOST else None
