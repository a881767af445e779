"""How long work will still take, from its own pace so far."""

from datetime import datetime

FEWEST_DONE = 3


def seconds_left(started_at: datetime, now: datetime, done: int, owed: int) -> float | None:
    """Seconds to go at the pace since the start; None before there is a pace to speak of, 0 when nothing is owed."""
    if done >= owed:
        return 0.0
    passed = (now - started_at).total_seconds()
    return None if done < FEWEST_DONE or passed <= 0 else passed / done * (owed - done)
