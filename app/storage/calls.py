"""Calls: the journal of attempts, written before each is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlmodel import col, select

from app.domain.ids import CallId, RunId, StepId
from app.storage.errors import NotFoundError
from app.storage.session import Session
from app.storage.statements import insert_into, update_by
from app.storage.tables import CallRow


@dataclass(frozen=True, slots=True)
class NewCall:
    """What is known of a call before it is sent."""

    id: CallId
    run_id: RunId
    step_id: StepId
    attempt: int
    provider: str
    model_asked: str
    settings: Mapping[str, Any]
    template_hashes: Mapping[str, str]
    sources: tuple[str, ...]
    request: str
    request_hash: str
    tokens_estimated: int
    started_at: datetime


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call as lists show it: everything but its long texts."""

    id: CallId
    run_id: RunId
    step_id: StepId
    attempt: int
    state: str
    provider: str
    model_asked: str
    model_reported: str | None
    settings: Mapping[str, Any]
    error: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    tokens_reasoning: int | None
    tokens_estimated: int
    cost_usd: float | None
    started_at: datetime
    ended_at: datetime | None
    request_hash: str
    response_hash: str | None
    template_hashes: Mapping[str, str]
    sources: tuple[str, ...]


class Calls:
    """The calls on one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, call: NewCall) -> None:
        """Journal a call that is about to be sent."""
        values = {name: getattr(call, name) for name in NewCall.__dataclass_fields__}
        self._session.write_later(insert_into(CallRow), values | {"sources": list(call.sources)})

    def end(self, call_id: CallId, state: str, at: datetime, **values: object) -> None:
        """Say how a call ended."""
        values |= {"state": state, "ended_at": at}
        self._session.write_later(update_by(CallRow, ("id",), tuple(values)), values | {"is_id": call_id})

    def lose(self, step_id: StepId, at: datetime) -> tuple[tuple[CallId, int], ...]:
        """Mark the calls still in flight as lost, their outcome unknown; gives each with its estimated tokens."""
        query = (
            update(CallRow)
            .where(col(CallRow.step_id) == step_id, col(CallRow.state) == "sent")
            .values(state="lost", ended_at=at, error="the worker was lost; whether the provider answered is unknown")
            .returning(col(CallRow.id), col(CallRow.tokens_estimated))
            .execution_options(synchronize_session=False)
        )
        return tuple((CallId(row[0]), row[1]) for row in self._session.execute(query))

    def get(self, call_id: UUID) -> CallRecord:
        """One call; NotFoundError if there is none."""
        row = self._session.get(CallRow, call_id)
        if row is None:
            raise NotFoundError("call", call_id)
        return _record(row)

    def texts(self, call_id: UUID) -> tuple[str, str | None]:
        """The exact request and response of a call."""
        row = self._session.execute(select(CallRow.request, CallRow.response).where(CallRow.id == call_id)).first()
        if row is None:
            raise NotFoundError("call", call_id)
        return row[0], row[1]

    def of_step(self, step_id: UUID) -> tuple[CallRecord, ...]:
        """A step's calls from the first attempt on."""
        return self._records(col(CallRow.step_id) == step_id)

    def of_run(self, run_id: UUID) -> tuple[CallRecord, ...]:
        """A run's calls from the first on."""
        return self._records(col(CallRow.run_id) == run_id)

    def _records(self, condition: Any) -> tuple[CallRecord, ...]:
        columns = [getattr(CallRow, name) for name in CallRecord.__dataclass_fields__]
        query = select(*columns).where(condition).order_by(col(CallRow.started_at), col(CallRow.attempt))
        return tuple(_record(row) for row in self._session.execute(query))


def _record(row: Any) -> CallRecord:
    values = {name: getattr(row, name) for name in CallRecord.__dataclass_fields__}
    return CallRecord(**values | {"sources": tuple(row.sources)})
