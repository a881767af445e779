"""Presets: the published pilot's way and the controlled way, and what each of them fixes."""

from enum import StrEnum


class Preset(StrEnum):
    """How an era is played (protocol section 5)."""

    PILOT = "pilot"
    CONTROLLED = "controlled"

    @property
    def board_in_one_call(self) -> bool:
        """Attack and decision in one context."""
        return self is Preset.PILOT

    @property
    def judge_writes_next_briefing(self) -> bool:
        """The judge of an era also writes the next era's briefing."""
        return self is Preset.PILOT

    @property
    def judge_types_total(self) -> bool:
        """The judge types a total beside its subscores."""
        return self is Preset.PILOT

    @property
    def judge_is_blind(self) -> bool:
        """The judge gets the fixed packet instead of everything."""
        return self is Preset.CONTROLLED

    @property
    def has_second_reading(self) -> bool:
        """The judge labels dissents and theses after its review."""
        return self is Preset.CONTROLLED


class Briefings(StrEnum):
    """How briefings are made (protocol section 10)."""

    DRAWN = "drawn"
    MODEL = "model"


class Mapping(StrEnum):
    """How personas map to model contexts (protocol section 4)."""

    DEPARTMENT = "department"
    PERSONA = "persona"
