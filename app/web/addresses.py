"""Ids in addresses: one that cannot be read names nothing, and answers like one that is not there."""

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query

from app.domain.ids import PanelId

StudyPath = Annotated[UUID, Path(alias="study_id")]
RunPath = Annotated[UUID, Path(alias="run_id")]
CallPath = Annotated[UUID, Path(alias="call_id")]
StepPath = Annotated[UUID, Path(alias="step_id")]
PanelPath = Annotated[PanelId, Path(alias="panel_id")]
PageNumber = Annotated[int, Query(alias="page", ge=1, le=100_000)]
