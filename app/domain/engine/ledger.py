"""The ledger of a run: an append-only chain of events over hashes of bodies, so that any later change is found."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

GENESIS = "0" * 64
"""What the first event of a chain names as its predecessor."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


class EventKind(StrEnum):
    """What a ledger can tell."""

    RUN_PLANNED = "run_planned"
    CALL_SENT = "call_sent"
    CALL_ENDED = "call_ended"
    ARTIFACT_WRITTEN = "artifact_written"
    OPERATOR_NEEDED = "operator_needed"
    INTERVENTION = "intervention"
    RUN_FINISHED = "run_finished"


@dataclass(frozen=True, slots=True)
class LedgerEvent:
    """One link: ``body`` holds names, numbers and hashes, never texts; ``hash`` covers everything else."""

    seq: int
    kind: EventKind
    at: datetime
    body: Mapping[str, Any]
    previous: str
    hash: str


def link(seq: int, kind: EventKind, at: datetime, body: Mapping[str, Any], previous: str) -> LedgerEvent:
    """The next event of a chain; ``at`` must carry a time zone."""
    return LedgerEvent(seq, kind, at, body, previous, event_hash(seq, kind, at, body, previous))


def event_hash(seq: int, kind: str, at: datetime, body: Mapping[str, Any], previous: str) -> str:
    """SHA-256 over the canonical JSON of an event's number, kind, UTC time, body and predecessor."""
    parts = [seq, str(kind), at.astimezone(UTC).isoformat(timespec="microseconds"), body, previous]
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def body_hash(body: Any) -> str:
    """SHA-256 of a text as it is, or of any other JSON value in canonical form: what a ledger keeps in its place."""
    text = body if isinstance(body, str) else canonical(body)
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spare white space and no NaN."""
    return _CANONICAL.encode(value)


def first_misfit(events: Iterable[LedgerEvent], head: str | None = None) -> str | None:
    """Why the first event that does not fit its chain does not, or None for a sound chain.

    ``head`` is the hash of the last event as the run keeps it: without it, events cut off the end are not missed.
    """
    previous = GENESIS
    position = 0
    for position, event in enumerate(events, start=1):
        misfit = misfit_of(event, position, previous)
        if misfit:
            return misfit
        previous = event.hash
    if head is not None and head != previous:
        return f"event {position + 1} is missing: the chain ends before the event that the run names as its last"
    return None


def misfit_of(event: LedgerEvent, position: int, previous: str) -> str | None:
    """Why one event does not fit its place in the chain, or None if it does; ``previous`` is the hash before it."""
    if event.seq != position:
        return f"event {position} is missing: found number {event.seq} in its place"
    if event.previous != previous:
        return f"event {event.seq} ({event.kind}) does not follow from the event before it"
    if event.hash != event_hash(event.seq, event.kind, event.at, event.body, event.previous):
        return f"event {event.seq} ({event.kind}) was changed after it was written"
    return None
