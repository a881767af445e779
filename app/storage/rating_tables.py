"""The tables of human rating, one row class per noun; nothing outside storage sees them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Text, UniqueConstraint
from sqlalchemy import DateTime as SqlDateTime
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

Moment = SqlDateTime(timezone=True)


def _json(*, nullable: bool = False) -> Column[Any]:
    return Column(JSONB(none_as_null=True), nullable=nullable)


def _text(*, nullable: bool = True) -> Column[Any]:
    return Column(Text, nullable=nullable)


class PanelRow(SQLModel, table=True):
    """A panel: its design, and once locked the design with all that followed from it, hashed."""

    __tablename__ = "panels"
    __table_args__ = (CheckConstraint("state in ('draft', 'open', 'paused', 'closed')", name="panels_state"),)
    id: UUID = Field(primary_key=True)
    name: str
    state: str = "draft"
    design: dict[str, Any] = Field(sa_column=_json())
    locked: dict[str, Any] | None = Field(default=None, sa_column=_json(nullable=True))
    locked_hash: str | None = None
    made_by: UUID | None = Field(default=None, foreign_key="users.id")
    made_at: datetime = Field(sa_type=Moment, index=True)
    locked_at: datetime | None = Field(default=None, sa_type=Moment)
    closed_at: datetime | None = Field(default=None, sa_type=Moment)


class PanelItemRow(SQLModel, table=True):
    """One item of a panel's frame; ``packet`` is what raters read, masked, from the lock on."""

    __tablename__ = "panel_items"
    __table_args__ = (
        UniqueConstraint("panel_id", "key"),
        CheckConstraint("use in ('frame', 'sample', 'training')", name="panel_items_use"),
    )
    id: UUID = Field(primary_key=True)
    panel_id: UUID = Field(foreign_key="panels.id")
    key: str
    unit: str
    strata: dict[str, Any] = Field(sa_column=_json())
    terms: list[dict[str, Any]] = Field(sa_column=_json())
    source: dict[str, Any] = Field(sa_column=_json())
    judge: dict[str, Any] = Field(sa_column=_json())
    intervened: bool = False
    words: int
    use: str = "frame"
    number: int | None = None
    probability: float | None = None
    packet: dict[str, Any] | None = Field(default=None, sa_column=_json(nullable=True))
    stand_ins: list[str] | None = Field(default=None, sa_column=_json(nullable=True))


class PanelAmendmentRow(SQLModel, table=True):
    """A change after the lock; never changed itself."""

    __tablename__ = "panel_amendments"
    __table_args__ = (UniqueConstraint("panel_id", "number"),)
    id: UUID = Field(primary_key=True)
    panel_id: UUID = Field(foreign_key="panels.id")
    number: int
    field: str
    before: Any = Field(default=None, sa_column=_json(nullable=True))
    after: Any = Field(default=None, sa_column=_json(nullable=True))
    reason: str = Field(sa_column=_text(nullable=False))
    made_by: UUID | None = Field(default=None, foreign_key="users.id")
    made_at: datetime = Field(sa_type=Moment)


class RaterRow(SQLModel, table=True):
    """One slot of a panel; ``name`` joins it to a person and can be erased."""

    __tablename__ = "raters"
    __table_args__ = (UniqueConstraint("panel_id", "slot"),)
    id: UUID = Field(primary_key=True)
    panel_id: UUID = Field(foreign_key="panels.id")
    slot: int
    name: str | None = None
    erased_at: datetime | None = Field(default=None, sa_type=Moment)
    consent_hash: str | None = None
    consented_at: datetime | None = Field(default=None, sa_type=Moment)
    released_at: datetime | None = Field(default=None, sa_type=Moment)
    return_code_hash: str | None = Field(default=None, unique=True)
    questions_at: datetime | None = Field(default=None, sa_type=Moment)
    remarks: str | None = Field(default=None, sa_column=_text())
    finished_at: datetime | None = Field(default=None, sa_type=Moment)


class RaterInvitationRow(SQLModel, table=True):
    """A link to a slot, stored as the SHA-256 of its token."""

    __tablename__ = "rater_invitations"
    token_hash: str = Field(primary_key=True)
    rater_id: UUID = Field(foreign_key="raters.id", index=True)
    made_at: datetime = Field(sa_type=Moment)
    expires_at: datetime = Field(sa_type=Moment)
    revoked_at: datetime | None = Field(default=None, sa_type=Moment)


class RaterClaimRow(SQLModel, table=True):
    """Who holds a slot: the primary key makes a second claim impossible."""

    __tablename__ = "rater_claims"
    rater_id: UUID = Field(primary_key=True, foreign_key="raters.id")
    claimed_at: datetime = Field(sa_type=Moment)


class RaterSessionRow(SQLModel, table=True):
    """A rater's browser, stored as the SHA-256 of its cookie; it has nothing to do with users' sessions."""

    __tablename__ = "rater_sessions"
    token_hash: str = Field(primary_key=True)
    rater_id: UUID = Field(foreign_key="raters.id", index=True)
    csrf_token: str
    expires_at: datetime = Field(sa_type=Moment)


class AssignmentRow(SQLModel, table=True):
    """One place in a rater's queue with its draft; ``version`` counts the draft's changes, ``tab`` made the last."""

    __tablename__ = "assignments"
    __table_args__ = (
        UniqueConstraint("rater_id", "kind", "position"),
        UniqueConstraint("rater_id", "kind", "item_id", "occasion"),
        CheckConstraint("kind in ('training', 'main')", name="assignments_kind"),
        CheckConstraint("status in ('open', 'submitted', 'skipped')", name="assignments_status"),
    )
    id: UUID = Field(primary_key=True)
    rater_id: UUID = Field(foreign_key="raters.id")
    item_id: UUID = Field(foreign_key="panel_items.id", index=True)
    kind: str
    position: int
    occasion: int = 1
    status: str = "open"
    draft: dict[str, Any] = Field(sa_column=_json())
    version: int = 0
    tab: str = ""
    key: UUID
    locked: dict[str, Any] | None = Field(default=None, sa_column=_json(nullable=True))
    locked_at: datetime | None = Field(default=None, sa_type=Moment)
    opened_at: datetime | None = Field(default=None, sa_type=Moment)
    answered_at: datetime | None = Field(default=None, sa_type=Moment)
    wall_ms: int | None = Field(default=None, sa_type=BigInteger)


class RatingRow(SQLModel, table=True):
    """One submission or skip; revisions count from 1, and the application may not change or delete any."""

    __tablename__ = "ratings"
    __table_args__ = (UniqueConstraint("assignment_id", "revision"), UniqueConstraint("assignment_id", "key"))
    id: UUID = Field(primary_key=True)
    assignment_id: UUID = Field(foreign_key="assignments.id")
    revision: int
    key: UUID
    answer: dict[str, Any] | None = Field(default=None, sa_column=_json(nullable=True))
    skip_reason: str | None = None
    skip_note: str = Field(default="", sa_column=_text(nullable=False))
    rubric_version: str
    active_ms: int | None = Field(default=None, sa_type=BigInteger)
    active_reason: str | None = None
    wall_ms: int = Field(sa_type=BigInteger)
    submitted_at: datetime = Field(sa_type=Moment)


class RatingActivityRow(SQLModel, table=True):
    """A batch of activity events of one visit, as the rater's page sent them."""

    __tablename__ = "rating_activity"
    __table_args__ = (Index("rating_activity_of", "assignment_id"),)
    id: UUID = Field(primary_key=True)
    assignment_id: UUID = Field(foreign_key="assignments.id")
    visit: str
    events: list[Any] = Field(sa_column=_json())


class AdjudicationRow(SQLModel, table=True):
    """A value settled after the raw phase; it never enters agreement."""

    __tablename__ = "adjudications"
    __table_args__ = (UniqueConstraint("item_id", "dimension"),)
    id: UUID = Field(primary_key=True)
    item_id: UUID = Field(foreign_key="panel_items.id")
    dimension: str
    value: int
    reason: str = Field(sa_column=_text(nullable=False))
    made_by: UUID | None = Field(default=None, foreign_key="users.id")
    made_at: datetime = Field(sa_type=Moment)


class BlindingGuessRow(SQLModel, table=True):
    """What a rater guessed of an item after the last submission; a missing guess is "don't know"."""

    __tablename__ = "blinding_guesses"
    __table_args__ = (UniqueConstraint("assignment_id", "about"),)
    id: UUID = Field(primary_key=True)
    assignment_id: UUID = Field(foreign_key="assignments.id")
    about: str
    guess: str | None = None
    made_at: datetime = Field(sa_type=Moment)
