"""Going on with an account that its provider's quota paused."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.services.errors import RefusedError
from app.services.pauses import resume_model
from app.web.dependencies import Viewer, Work, needs
from app.web.forms import SentForm, fill
from app.web.pages import go_to

router = APIRouter()


class PausedModel(BaseModel):
    """One of the models behind the account; ``back`` is home or health."""

    model: Annotated[str, Field(min_length=1, max_length=200)]
    back: str = "home"


@router.post("/pauses/resume", name="pauses.resume", dependencies=[Depends(needs(Right.OPERATE))])
def resume(request: Request, work: Work, viewer: Viewer, sent: SentForm) -> Response:
    """Let every study ask the account's models again."""
    form = fill(PausedModel, sent)
    if form.value is None:
        raise RefusedError("Choose an account that is paused.")
    resume_model(work, form.value.model, viewer.user.id)
    return go_to(request, "health.show" if form.value.back == "health" else "home.show")
