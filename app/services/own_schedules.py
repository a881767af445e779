"""A schedule of post-cutoff eras as a user writes it: eras in lines, events as CSV, checked against the record."""

from datetime import date
from hashlib import sha256

from app.domain.protocol.eras import Schedule
from app.imports.own_events import LARGEST_EVENTS, OwnEventsError, read_own_eras, read_own_events
from app.library.reader import events

TITLE = "Post-cutoff eras"


def own_schedule(title: str, eras: str, own_events: str, today: date) -> Schedule:
    """The schedule of these eras with these events; the same words give the same id. Raises OwnEventsError."""
    on_record = events()
    added = read_own_events(
        own_events.encode(),
        domains={event.domain for event in on_record},
        known={(event.on, event.text) for event in on_record},
        today=today,
    )
    digest = sha256("\n".join(title.split() + eras.split() + own_events.split()).encode()).hexdigest()
    return Schedule(
        id=f"post-cutoff-{digest[:8]}", title=title.strip() or TITLE, eras=read_own_eras(eras), events=added
    )


__all__ = ["LARGEST_EVENTS", "OwnEventsError", "own_schedule"]
