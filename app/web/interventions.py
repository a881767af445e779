"""The list of every intervention."""

import re
from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.domain.engine.interventions import InterventionKind
from app.services.interventions_list import intervened_runs, show_interventions
from app.web.addresses import PageNumber
from app.web.dependencies import Reading
from app.web.pages import page

router = APIRouter()
WHOLE_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@router.get("/interventions", name="interventions.index")
def index(
    request: Request,
    reading: Reading,
    kind: str = "",
    run: str = "",
    number: PageNumber = 1,
) -> Response:
    """Everything people did to runs after launch, from the last on."""
    chosen = kind if kind in set(InterventionKind) else ""
    runs = intervened_runs(reading)
    wanted = UUID(run) if WHOLE_ID.fullmatch(run) else None
    made = show_interventions(reading, kind=chosen, run_id=wanted, page=number)
    return page(
        request, "interventions/index.html", made=made, kind=chosen, kinds=tuple(InterventionKind), runs=runs,
        run=str(wanted or ""),
    )  # fmt: skip
