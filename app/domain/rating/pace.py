"""A rater's own pace: the time that remains, and when a break would help."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import median

FEWEST_TIMES = 2
LONGEST_ITEM_MS = 45 * 60_000
BREAK_AFTER = timedelta(minutes=40)
REST = timedelta(minutes=20)
"""So long between two submissions is a rest and no item."""


def remaining_minutes(times_ms: Sequence[int], remaining: int, expected_minutes: float) -> int:
    """Minutes for the remaining items at the median time of those done; at the planned time before there are two."""
    usual = [time for time in times_ms if time <= LONGEST_ITEM_MS]
    each = median(usual) / 60_000 if len(usual) >= FEWEST_TIMES else expected_minutes
    return max(1, round(each * remaining)) if remaining else 0


def needs_break(submitted: Sequence[datetime], now: datetime) -> bool:
    """Whether ratings have followed each other for 40 minutes without a rest."""
    since = now
    for at in sorted(submitted, reverse=True):
        if since - at >= REST:
            break
        since = at
    return now - since >= BREAK_AFTER
