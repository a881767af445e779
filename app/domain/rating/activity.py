"""Active time from activity: the stretches in which the page was visible and used within 30 seconds."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

LONGEST_PAUSE_MS = 30_000

Event = tuple[int, Literal["used", "shown", "hidden"]]
"""Milliseconds on the rater's clock, and what happened: the page was used, came into view, or went out of it."""


def active_ms(visits: Iterable[Sequence[Event]]) -> int:
    """Milliseconds of activity over all visits (one page open in one tab each), counted once where visits overlap.

    The time between two events counts if it is at most 30 s and the page was in view at its start. A pause longer
    than that counts nothing, so 30 s of work, 10 min away and 20 s of work are 50 s.
    """
    stretches = sorted(stretch for events in visits for stretch in _stretches(events))
    total = 0
    reached = -1
    for start, end in stretches:
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _stretches(events: Sequence[Event]) -> Iterable[tuple[int, int]]:
    ordered = sorted(events)
    visible = True
    for (start, kind), (end, _) in pairwise(ordered):
        visible = kind != "hidden" if kind != "used" else visible
        if visible and end - start <= LONGEST_PAUSE_MS:
            yield start, end
