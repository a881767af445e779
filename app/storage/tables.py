"""The tables, one row class per noun; nothing outside storage sees them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy import DateTime as SqlDateTime
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

Moment = SqlDateTime(timezone=True)


def _json(*, nullable: bool = False) -> Column[Any]:
    return Column(JSONB, nullable=nullable)


def _maybe_json() -> Column[Any]:
    """JSON or SQL's own null, never JSON's."""
    return Column(JSONB(none_as_null=True), nullable=True)


def _text(*, nullable: bool = True) -> Column[Any]:
    return Column(Text, nullable=nullable)


class UserRow(SQLModel, table=True):
    """A person with an account; ``disabled_at`` ends every right."""

    __tablename__ = "users"
    id: UUID = Field(primary_key=True)
    name: str = Field(unique=True)
    role: str
    password_hash: str | None = None
    created_at: datetime = Field(sa_type=Moment)
    disabled_at: datetime | None = Field(default=None, sa_type=Moment)


class SignInLinkRow(SQLModel, table=True):
    """A one-time link, stored as the SHA-256 of its token."""

    __tablename__ = "sign_in_links"
    token_hash: str = Field(primary_key=True)
    user_id: UUID = Field(foreign_key="users.id", index=True)
    expires_at: datetime = Field(sa_type=Moment)
    used_at: datetime | None = Field(default=None, sa_type=Moment)


class SessionRow(SQLModel, table=True):
    """A signed-in browser, stored as the SHA-256 of its cookie; ``csrf_token`` guards its forms."""

    __tablename__ = "sessions"
    token_hash: str = Field(primary_key=True)
    user_id: UUID = Field(foreign_key="users.id", index=True)
    csrf_token: str
    created_at: datetime = Field(sa_type=Moment)
    seen_at: datetime = Field(sa_type=Moment)
    expires_at: datetime = Field(sa_type=Moment)


class StudyRow(SQLModel, table=True):
    """A launched study: its frozen design and the hash of its canonical JSON."""

    __tablename__ = "studies"
    id: UUID = Field(primary_key=True)
    name: str
    design: dict[str, Any] = Field(sa_column=_json())
    design_hash: str
    rehearsal: bool
    budget: dict[str, Any] | None = Field(default=None, sa_column=_maybe_json())
    launched_by: UUID | None = Field(default=None, foreign_key="users.id")
    launched_at: datetime = Field(sa_type=Moment, index=True)


class RunRow(SQLModel, table=True):
    """One run with the head of its ledger and its sums; ``state`` says whether its steps may be claimed.

    A judging is a run of a kind of its own: its ``plan`` says which stored decisions are judged again, and how.
    """

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("study_id", "number"),
        CheckConstraint("state in ('running', 'paused', 'cancelled', 'finished')", name="runs_state"),
        CheckConstraint("kind in ('play', 'judging')", name="runs_kind"),
    )
    id: UUID = Field(primary_key=True)
    study_id: UUID = Field(foreign_key="studies.id")
    number: int
    kind: str = "play"
    plan: dict[str, Any] | None = Field(default=None, sa_column=_maybe_json())
    name: str
    condition: str
    replicate: int
    player: str
    schedule: str = ""
    state: str = "running"
    steps_owed: int
    steps_done: int = 0
    calls_owed: int
    calls_made: int = 0
    calls_lost: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cost_unknown: int = 0
    tokens_reserved: int = 0
    cost_reserved: float = 0.0
    cost_presumed: float = 0.0
    budget: dict[str, Any] | None = Field(default=None, sa_column=_maybe_json())
    interventions: int = 0
    ledger_length: int = 0
    ledger_head: str
    started_at: datetime = Field(sa_type=Moment)
    finished_at: datetime | None = Field(default=None, sa_type=Moment)


class StepRow(SQLModel, table=True):
    """One unit of work a run owes; a lease token fences the worker that holds it."""

    __tablename__ = "steps"
    __table_args__ = (
        UniqueConstraint("run_id", "key"),
        CheckConstraint("state in ('ready', 'claimed', 'done', 'needs_operator')", name="steps_state"),
        Index("steps_open", "state", "ready_at", postgresql_where="state <> 'done'"),
    )
    id: UUID = Field(primary_key=True)
    run_id: UUID = Field(foreign_key="runs.id")
    key: str
    kind: str
    era: str
    state: str = "ready"
    attempts: int = 0
    tries: int = 0
    failures: int = 0
    problem: str | None = Field(default=None, sa_column=_text())
    ready_at: datetime = Field(sa_type=Moment)
    sent_at: datetime | None = Field(default=None, sa_type=Moment)
    not_before: datetime | None = Field(default=None, sa_type=Moment)
    claimed_at: datetime | None = Field(default=None, sa_type=Moment)
    done_at: datetime | None = Field(default=None, sa_type=Moment)
    lease_token: UUID | None = None
    lease_expires_at: datetime | None = Field(default=None, sa_type=Moment)
    worker: str | None = None
    choice: dict[str, Any] | None = Field(default=None, sa_column=_maybe_json())
    waits_for: str | None = None
    stopped_by: str | None = None


class CallRow(SQLModel, table=True):
    """One attempt at a model, journaled before it is sent; request and response are kept to the letter."""

    __tablename__ = "calls"
    __table_args__ = (
        UniqueConstraint("step_id", "attempt"),
        CheckConstraint("state in ('sent', 'answered', 'refused', 'failed', 'lost', 'discarded')", name="calls_state"),
        CheckConstraint("stop in ('complete', 'truncated', 'refused')", name="calls_stop"),
        Index("calls_of_run", "run_id", "started_at"),
        Index("calls_stopped", "run_id", postgresql_where="stop <> 'complete'"),
    )
    id: UUID = Field(primary_key=True)
    run_id: UUID = Field(foreign_key="runs.id")
    step_id: UUID = Field(foreign_key="steps.id")
    attempt: int
    state: str = "sent"
    provider: str
    model_asked: str
    model_reported: str | None = None
    settings: dict[str, Any] = Field(sa_column=_json())
    template_hashes: dict[str, Any] = Field(sa_column=_json())
    sources: list[str] = Field(sa_column=_json())
    request: str = Field(sa_column=_text(nullable=False))
    request_hash: str
    response: str | None = Field(default=None, sa_column=_text())
    response_hash: str | None = None
    error: str | None = Field(default=None, sa_column=_text())
    stop: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_cache_written: int | None = None
    tokens_reasoning: int | None = None
    searches: int | None = None
    tokens_estimated: int = 0
    tokens_reserved: int = 0
    cost_reserved: float | None = None
    cost_usd: float | None = None
    started_at: datetime = Field(sa_type=Moment)
    ended_at: datetime | None = Field(default=None, sa_type=Moment)


class ArtifactRow(SQLModel, table=True):
    """What a step wrote; it names the call, the person or neither (code) that wrote it."""

    __tablename__ = "artifacts"
    __table_args__ = (UniqueConstraint("run_id", "key"),)
    id: UUID = Field(primary_key=True)
    run_id: UUID = Field(foreign_key="runs.id")
    step_id: UUID = Field(foreign_key="steps.id", unique=True)
    key: str
    kind: str
    era: str
    body: dict[str, Any] = Field(sa_column=_json())
    body_hash: str
    call_id: UUID | None = Field(default=None, foreign_key="calls.id")
    written_by: UUID | None = Field(default=None, foreign_key="users.id")
    written_at: datetime = Field(sa_type=Moment)


class LedgerRow(SQLModel, table=True):
    """One link of a run's chain; the application's role may only insert."""

    __tablename__ = "ledger"
    run_id: UUID = Field(sa_column=Column(ForeignKey("runs.id"), primary_key=True))
    seq: int = Field(primary_key=True)
    kind: str
    at: datetime = Field(sa_type=Moment)
    body: dict[str, Any] = Field(sa_column=_json())
    previous: str
    hash: str


class InterventionRow(SQLModel, table=True):
    """What a person did to a run after launch; never removed."""

    __tablename__ = "interventions"
    id: UUID = Field(primary_key=True)
    run_id: UUID = Field(foreign_key="runs.id", index=True)
    step_id: UUID | None = Field(default=None, foreign_key="steps.id")
    era: str | None = None
    kind: str
    author_id: UUID | None = Field(default=None, foreign_key="users.id")
    reason: str = Field(sa_column=_text(nullable=False))
    before: dict[str, Any] | None = Field(default=None, sa_column=_json(nullable=True))
    after: dict[str, Any] | None = Field(default=None, sa_column=_json(nullable=True))
    judge_told: bool = False
    judge_words: str | None = Field(default=None, sa_column=_text())
    made_at: datetime = Field(sa_type=Moment, index=True)


class RedactionRow(SQLModel, table=True):
    """A document whose text was taken out; ``prints`` recognize quotations of it, which are masked when read."""

    __tablename__ = "redactions"
    artifact_id: UUID = Field(primary_key=True, foreign_key="artifacts.id")
    run_id: UUID = Field(foreign_key="runs.id", index=True)
    step_id: UUID = Field(foreign_key="steps.id")
    prints: list[str] = Field(sa_column=_json())
    made_at: datetime = Field(sa_type=Moment)


class PauseRow(SQLModel, table=True):
    """An account at a provider that ran out: no model behind it is asked until somebody resumes it."""

    __tablename__ = "pauses"
    __table_args__ = (Index("pauses_open", "account", unique=True, postgresql_where="resumed_at is null"),)
    id: UUID = Field(primary_key=True)
    account: str
    model: str
    reason: str = Field(sa_column=_text(nullable=False))
    paused_at: datetime = Field(sa_type=Moment)
    resumed_at: datetime | None = Field(default=None, sa_type=Moment)
    resumed_by: UUID | None = Field(default=None, foreign_key="users.id")


class WorkerRow(SQLModel, table=True):
    """A worker process as its heartbeat last left it."""

    __tablename__ = "workers"
    name: str = Field(primary_key=True)
    started_at: datetime = Field(sa_type=Moment)
    seen_at: datetime = Field(sa_type=Moment)
    queues: str


class ModelVersionRow(SQLModel, table=True):
    """One state of a registered model, as an admin wrote it; rows are only ever added."""

    __tablename__ = "model_versions"
    __table_args__ = (UniqueConstraint("name", "number"),)
    id: UUID = Field(primary_key=True)
    name: str
    number: int
    entry: dict[str, Any] = Field(sa_column=_json())
    retired: bool
    made_at: datetime = Field(sa_type=Moment)
    made_by: UUID | None = Field(default=None, foreign_key="users.id")
