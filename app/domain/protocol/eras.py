"""Eras, their modes, and schedules: any list of eras is a schedule."""

from datetime import date
from enum import StrEnum
from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from app.domain.once import once_each
from app.domain.world.events import Event, last_day

MAX_EVENTS = 500
KEPT_SCHEDULES = 512


class Mode(StrEnum):
    """How an era can be judged (protocol section 3)."""

    TRAINING = "training"
    LIVE = "live"
    FORECAST = "forecast"
    FICTIONAL = "fictional"
    POST_CUTOFF = "post_cutoff"

    @property
    def has_outcome(self) -> bool:
        """Whether an outcome window is on record, so that The Record judges instead of The Auditor."""
        return self in {Mode.TRAINING, Mode.FICTIONAL, Mode.POST_CUTOFF}

    @property
    def tags_claims(self) -> bool:
        """Whether every claim carries fact, extrapolation or speculation with a confidence."""
        return not self.has_outcome


class Era(BaseModel):
    """One era: players know what lies before ``start``, the judge what lies in ``start <= date < end``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    start: date
    end: date
    mode: Mode
    title: str = ""

    @model_validator(mode="after")
    def _ends_after_start(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"era {self.id}: end {self.end} must lie after start {self.start}")
        return self


class Schedule(BaseModel):
    """A list of eras in order of time, all real or all fictional."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    eras: tuple[Era, ...]
    events: tuple[Event, ...] = Field(
        default=(), max_length=MAX_EVENTS, description="events added for post-cutoff eras"
    )

    @model_serializer(mode="wrap")
    def _without_nothing(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """No added events are written as nothing: schedules of old keep their hash."""
        written: dict[str, Any] = write(self)
        if not self.events:
            written.pop("events", None)
        return written

    @model_validator(mode="after")
    def _is_a_history(self) -> Self:
        ids = [era.id for era in self.eras]
        if not ids:
            raise ValueError(f"schedule {self.id}: eras must not be empty")
        if len(set(ids)) != len(ids):
            raise ValueError(f"schedule {self.id}: era ids must differ")
        if any(a.start >= b.start for a, b in zip(self.eras, self.eras[1:], strict=False)):
            raise ValueError(f"schedule {self.id}: eras must be in order of their start")
        fictional = {era.mode is Mode.FICTIONAL for era in self.eras}
        if len(fictional) > 1:
            raise ValueError(f"schedule {self.id}: eras must be all real or all fictional")
        if self.events and not any(era.mode is Mode.POST_CUTOFF for era in self.eras):
            raise ValueError(f"schedule {self.id}: events are added for post-cutoff eras, and it has none")
        for event in self.events:
            last_day(event.on)
        if len({event.id for event in self.events}) != len(self.events):
            raise ValueError(f"schedule {self.id}: ids of events must differ")
        return self

    def __hash__(self) -> int:
        """By its id: plans are looked up by their schedule at every step, and hashing every era would be slow."""
        return hash(self.id)

    @property
    def is_fictional(self) -> bool:
        """Whether it lies in an invented world; then all of its eras do."""
        return self.eras[0].mode is Mode.FICTIONAL

    def position(self, era_id: str) -> int:
        """Index of an era from 0; KeyError if the schedule has no such era."""
        return _positions(self)[era_id]

    def era(self, era_id: str) -> Era:
        """The era of that id; KeyError if there is none."""
        return self.eras[self.position(era_id)]

    def ids_before(self, era_id: str) -> frozenset[str]:
        """The ids of the eras that precede; KeyError if the schedule has no such era."""
        return _earlier(self)[era_id]

    def before(self, era_id: str) -> Era | None:
        """The era that precedes, or None for the first."""
        index = self.position(era_id)
        return self.eras[index - 1] if index else None

    def after(self, era_id: str) -> Era | None:
        """The era that follows, or None for the last."""
        index = self.position(era_id) + 1
        return self.eras[index] if index < len(self.eras) else None


@once_each(KEPT_SCHEDULES)
def _positions(schedule: Schedule) -> dict[str, int]:
    """Where each era stands, from 0."""
    return {era.id: index for index, era in enumerate(schedule.eras)}


@once_each(KEPT_SCHEDULES)
def _earlier(schedule: Schedule) -> dict[str, frozenset[str]]:
    """The ids of the eras before each."""
    ids = [era.id for era in schedule.eras]
    return {era_id: frozenset(ids[:index]) for index, era_id in enumerate(ids)}
