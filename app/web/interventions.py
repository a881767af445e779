"""The list of every intervention."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from app.domain.engine.interventions import InterventionKind
from app.services.interventions_list import show_interventions
from app.web.dependencies import Reading
from app.web.pages import page

router = APIRouter()


@router.get("/interventions", name="interventions.index")
def index(
    request: Request, reading: Reading, kind: str = "", number: Annotated[int, Query(alias="page", ge=1)] = 1
) -> Response:
    """Everything people did to runs after launch, from the last on."""
    chosen = kind if kind in set(InterventionKind) else ""
    made = show_interventions(reading, kind=chosen, page=number)
    return page(request, "interventions/index.html", made=made, kind=chosen, kinds=tuple(InterventionKind))
