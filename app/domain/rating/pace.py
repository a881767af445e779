"""A rater's own pace: the time that remains, and when a break would help."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

FEWEST_TIMES = 3
LONGEST_ITEM_MS = 45 * 60_000
BREAK_AFTER = timedelta(minutes=40)
REST = timedelta(minutes=20)
"""So long between two submissions is a rest and no item."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """Minutes that remain, and whether they are the rater's own pace or an estimate by the length of the texts."""

    minutes: int
    is_own_pace: bool


def remaining_time(times_ms: Sequence[int], remaining: int, expected_minutes: float) -> Remaining:
    """The remaining items at the median time of those done; at the planned time before there are three."""
    usual = [time for time in times_ms if time <= LONGEST_ITEM_MS]
    is_own = len(usual) >= FEWEST_TIMES
    each = median(usual) / 60_000 if is_own else expected_minutes
    return Remaining(max(1, round(each * remaining)) if remaining else 0, is_own)


def needs_break(submitted: Sequence[datetime], now: datetime) -> bool:
    """Whether ratings have followed each other for 40 minutes without a rest."""
    since = now
    for at in sorted(submitted, reverse=True):
        if since - at >= REST:
            break
        since = at
    return now - since >= BREAK_AFTER
