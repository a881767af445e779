"""What a rater reads about one decision: sections of text, some of them kept back until the first scores are locked."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """One document of a packet, in Markdown.

    ``world`` marks facts of the world record, whose names are never masked; ``outcome`` what happened afterwards.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    title: Annotated[str, Field(min_length=1, max_length=120)]
    text: str
    world: bool = False
    outcome: bool = False


class Packet(BaseModel):
    """All sections of one item in reading order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sections: Annotated[tuple[Section, ...], Field(min_length=1)]

    @property
    def words(self) -> int:
        """Words of all sections."""
        return sum(len(section.text.split()) for section in self.sections)

    @property
    def before(self) -> tuple[Section, ...]:
        """What may be read before the first scores are locked."""
        return tuple(section for section in self.sections if not section.outcome)
