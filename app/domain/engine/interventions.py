"""What people do to a run after launch; an intervention marks the era and the run for ever."""

from enum import StrEnum


class InterventionKind(StrEnum):
    """The kinds an operator can make today (protocol section 11)."""

    WRITE_BY_HAND = "write_by_hand"
    RETRY = "retry"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
