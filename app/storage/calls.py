"""Calls: the journal of attempts, written before each is sent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlmodel import col, select

from app.domain.engine.quotations import REDACTED
from app.domain.engine.redaction import masked_body
from app.domain.ids import CallId, RunId, StepId
from app.storage.errors import NotFoundError
from app.storage.redactions import Redactions
from app.storage.session import Session
from app.storage.statements import insert_into, update_by
from app.storage.tables import CallRow, StepRow


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
    tokens_reserved: int
    cost_reserved: float | None
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
    stop: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    tokens_cache_written: int | None
    tokens_reasoning: int | None
    searches: int | None
    tokens_estimated: int
    tokens_reserved: int
    cost_reserved: float | None
    cost_usd: float | None
    started_at: datetime
    ended_at: datetime | None
    request_hash: str
    response_hash: str | None
    template_hashes: Mapping[str, str]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LostCall:
    """A call whose outcome is unknown, with what was reserved for it."""

    id: CallId
    tokens_estimated: int
    tokens_reserved: int
    cost_reserved: float | None


@dataclass(frozen=True, slots=True)
class ExactCall:
    """A call as it is stored, with its long texts."""

    id: CallId
    step_id: StepId
    attempt: int
    state: str
    model_asked: str
    template_hashes: dict[str, str]
    request: str
    request_hash: str
    response: str | None
    response_hash: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_estimated: int
    tokens_reserved: int
    cost_reserved: float | None
    cost_usd: float | None


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

    def lose(self, step_id: StepId, at: datetime) -> tuple[LostCall, ...]:
        """Mark the calls still in flight as lost, their outcome unknown; gives what each may have used."""
        query = (
            update(CallRow)
            .where(col(CallRow.step_id) == step_id, col(CallRow.state) == "sent")
            .values(state="lost", ended_at=at, error="the worker was lost; whether the provider answered is unknown")
            .returning(*(getattr(CallRow, name) for name in LostCall.__dataclass_fields__))
            .execution_options(synchronize_session=False)
        )
        return tuple(LostCall(*row) for row in self._session.execute(query))

    def get(self, call_id: UUID) -> CallRecord:
        """One call; NotFoundError if there is none."""
        row = self._session.get(CallRow, call_id)
        if row is None:
            raise NotFoundError("call", call_id)
        return _record(row)

    def texts(self, call_id: UUID) -> tuple[str, str | None]:
        """The request and response of a call, exact but for what was redacted in its run."""
        query = select(CallRow.run_id, CallRow.step_id, CallRow.request, CallRow.response)
        row = self._session.execute(query.where(CallRow.id == call_id)).first()
        if row is None:
            raise NotFoundError("call", call_id)
        run_id, step_id, request, response = row
        redactions = Redactions(self._session)
        prints = redactions.prints(run_id)
        if not prints and not redactions.of_step(step_id):
            return request, response
        if response is not None:
            response = REDACTED if redactions.of_step(step_id) else masked_body(response, prints)
        return masked_body(request, prints), response

    def exact(self, run_id: UUID) -> Iterator[ExactCall]:
        """Every call of a run exactly as it is stored, from the first on, a few at a time."""
        columns = [getattr(CallRow, name) for name in ExactCall.__dataclass_fields__]
        query = select(*columns).where(CallRow.run_id == run_id).order_by(col(CallRow.started_at))
        rows = self._session.execute(query.execution_options(yield_per=4))
        return (ExactCall(*row) for row in rows)

    def of_step(self, step_id: UUID) -> tuple[CallRecord, ...]:
        """A step's calls from the first attempt on."""
        return self._records(col(CallRow.step_id) == step_id)

    def of_key(self, run_id: UUID, key: str) -> tuple[CallRecord, ...]:
        """The calls of a run's step by its key, from the first attempt on."""
        step = select(StepRow.id).where(StepRow.run_id == run_id, StepRow.key == key).scalar_subquery()
        return self._records(col(CallRow.step_id) == step)

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
