"""Dated events, the world's facts; an event precedes a day only if its last possible day does."""

import calendar
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

_WRITTEN = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-\d{2})?)?")


class Fate(StrEnum):
    """What became of an event's subject: for audits only, never in a prompt."""

    DOMINANT = "dominant"
    SURVIVED = "survived"
    NICHE = "niche"
    ABSORBED = "absorbed"
    ABANDONED = "abandoned"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class Event:
    """One dated, neutral fact; ``on`` is written as YYYY, YYYY-MM or YYYY-MM-DD; ``id`` and ``fate`` are for audits."""

    id: str
    on: str
    domain: str
    text: str
    source: str
    fate: Fate
    confidence: str

    @property
    def first_day(self) -> date:
        """The earliest day it can have happened."""
        return first_day(self.on)

    @property
    def last_day(self) -> date:
        """The latest day it can have happened."""
        return last_day(self.on)


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event as a prompt may show it: a neutral number, its date, domain and text; no id, no fate."""

    number: int
    on: str
    domain: str
    text: str


@lru_cache(maxsize=16_384)
def first_day(on: str) -> date:
    """The earliest day a date written as YYYY, YYYY-MM or YYYY-MM-DD can mean; ValueError if it is none."""
    year, month, day = _parts(on)
    return date(year, month or 1, day or 1)


@lru_cache(maxsize=16_384)
def last_day(on: str) -> date:
    """The latest day a date written as YYYY, YYYY-MM or YYYY-MM-DD can mean; ValueError if it is none."""
    year, month, day = _parts(on)
    last_month = month or 12
    return date(year, last_month, day or calendar.monthrange(year, last_month)[1])


def events_before(events: Iterable[Event], day: date) -> tuple[Event, ...]:
    """``I_k``: events whose last possible day lies before ``day``, in order of date, then id."""
    return tuple(sorted((event for event in events if event.last_day < day), key=_in_time))


def events_within(events: Iterable[Event], start: date, end: date) -> tuple[Event, ...]:
    """``O_k``: events that are not before ``start`` but before ``end``, in order of date, then id."""
    inside = (event for event in events if event.last_day >= start and event.last_day < end)
    return tuple(sorted(inside, key=_in_time))


def numbered(events: Iterable[Event], first: int = 1) -> tuple[NumberedEvent, ...]:
    """Events under neutral numbers from ``first``, stripped of id, source and fate."""
    return tuple(
        NumberedEvent(number=number, on=event.on, domain=event.domain, text=event.text)
        for number, event in enumerate(events, start=first)
    )


def _in_time(event: Event) -> tuple[date, str]:
    return event.last_day, event.id


def _parts(text: str) -> tuple[int, int | None, int | None]:
    if not _WRITTEN.fullmatch(text):
        raise ValueError(f"{text!r} is no date: write YYYY, YYYY-MM or YYYY-MM-DD")
    digits = [int(part) for part in text.split("-")]
    return digits[0], digits[1] if len(digits) > 1 else None, digits[2] if len(digits) > 2 else None
