"""Ids in addresses: one that cannot be read names nothing, and answers like one that is not there."""

from typing import Annotated
from urllib.parse import unquote_plus
from uuid import UUID

from fastapi import Depends, Path, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request

from app.domain.ids import PanelId

StudyPath = Annotated[UUID, Path(alias="study_id")]
RunPath = Annotated[UUID, Path(alias="run_id")]
CallPath = Annotated[UUID, Path(alias="call_id")]
StepPath = Annotated[UUID, Path(alias="step_id")]
PanelPath = Annotated[PanelId, Path(alias="panel_id")]
PageNumber = Annotated[int, Query(alias="page", ge=1, le=100_000)]


async def _check_address(request: Request) -> None:
    """Refuse NUL, which nothing is named by and no statement may hold. Async, as it waits for nothing."""
    if "\0" in request.scope["path"] or "\0" in unquote_plus(request.url.query):
        raise HTTPException(404)


AddressGuard = Depends(_check_address)
"""On every route."""
