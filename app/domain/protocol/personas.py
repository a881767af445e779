"""The sixteen personas, their departments, and the external voices."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Group(StrEnum):
    """Where a persona sits (protocol section 4)."""

    EXECUTIVE = "executive"
    FRONTIER_RESEARCH = "frontier_research"
    PRODUCT_ENGINEERING = "product_engineering"
    MARKET_CAPITAL = "market_capital"
    GOVERNANCE = "governance"


DEPARTMENTS = (Group.FRONTIER_RESEARCH, Group.PRODUCT_ENGINEERING, Group.MARKET_CAPITAL)
"""The three departments that write memos, in reading order."""


class Persona(BaseModel):
    """One voice: a name, a title and a lens; ``head`` writes the department's memo."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    title: str
    group: Group
    lens: str
    head: bool = False


class Roster(BaseModel):
    """The personas of a study and the titles of its departments."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    personas: tuple[Persona, ...]
    titles: dict[Group, str]

    def of(self, group: Group) -> tuple[Persona, ...]:
        """The personas of one group in the roster's order."""
        return tuple(persona for persona in self.personas if persona.group is group)

    @property
    def advisers(self) -> tuple[Persona, ...]:
        """The executives who answer before the CEO decides: all but the head."""
        return tuple(persona for persona in self.of(Group.EXECUTIVE) if not persona.head)

    def persona(self, persona_id: str) -> Persona:
        """The persona of that id; KeyError if there is none."""
        for persona in self.personas:
            if persona.id == persona_id:
                return persona
        raise KeyError(persona_id)
