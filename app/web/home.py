"""Home."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.services.home import show_home
from app.web.dependencies import Reading
from app.web.pages import page

router = APIRouter()


@router.get("/", name="home.show")
def show(request: Request, reading: Reading) -> Response:
    """What runs now and what needs an operator; as a fragment when something changed."""
    return page(request, "home/show.html", fragment="home/_now.html", home=show_home(reading))
