"""The world record as people browse it; fates are for auditors' eyes and never reach a prompt."""

from dataclasses import dataclass
from datetime import date

from app.domain.world.events import Event
from app.library.reader import events
from app.services.listing import Listing, page_of

SIZE = 40


@dataclass(frozen=True, slots=True)
class RecordView:
    """One page of events that fit the filters, and the filters there are."""

    listing: Listing[Event]
    domains: tuple[str, ...]
    first: str
    last: str


def show_record(
    *, domain: str = "", since: date | None = None, before: date | None = None, page: int = 1
) -> RecordView:
    """Events in order of date; ``since`` and ``before`` bound their last possible day."""
    everything = sorted(events(), key=lambda event: (event.last_day, event.id))
    fitting = [
        event
        for event in everything
        if (not domain or event.domain == domain)
        and (since is None or event.last_day >= since)
        and (before is None or event.last_day < before)
    ]
    return RecordView(
        listing=page_of(fitting, page=page, size=SIZE),
        domains=tuple(sorted({event.domain for event in everything})),
        first=everything[0].on,
        last=everything[-1].on,
    )
