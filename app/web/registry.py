"""The registry of models, to read."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.services.registry_page import show_registry
from app.web.pages import page

router = APIRouter()


@router.get("/models", name="registry.index")
def index(request: Request) -> Response:
    """Every model there is, the shipped ones first."""
    return page(request, "registry/index.html", registry=show_registry())
