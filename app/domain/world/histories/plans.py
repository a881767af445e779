"""What a world's record will tell, before it is told: spans of time and who is alive when."""

from dataclasses import dataclass
from functools import lru_cache

from app.domain.world.events import Fate
from app.domain.world.histories.facts import Cause, Firm, Regulation, Standard
from app.domain.world.histories.months import month_of
from app.domain.world.histories.themes import LayerTheme

PREHISTORY_YEARS = 8
"""Years on record before the first era."""


@dataclass(frozen=True, slots=True)
class Horizon:
    """The years of a world: ``first_year`` opens the record, eras follow after the prehistory."""

    first_year: int
    eras: int
    years_per_era: int

    @property
    def last_year(self) -> int:
        """The last year on record."""
        return self.first_year + PREHISTORY_YEARS + self.eras * self.years_per_era - 1

    @property
    def first_month(self) -> int:
        """The first month on record."""
        return month_of(self.first_year, 1)

    @property
    def last_month(self) -> int:
        """The last month on record."""
        return month_of(self.last_year, 12)

    def era_year(self, era: int) -> int:
        """The first year of an era, counted from 0."""
        return self.first_year + PREHISTORY_YEARS + era * self.years_per_era


@dataclass(frozen=True, slots=True)
class PlannedTechnology:
    """A technology in months; ``found`` and ``shown`` may lie before the record."""

    name: str
    layer: LayerTheme
    does: str
    generation: int
    found: int
    shown: int
    launched: int
    ended: int | None
    follows: str | None
    flaw: str | None
    maker: str = ""
    needs: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Its name in lower case."""
        return self.name.lower()

    @property
    def words(self) -> str:
        """Its name as a sentence uses it, such as ``velmor reed``."""
        return f"{self.name} {self.layer.noun}"

    def sold_in(self, month: int) -> bool:
        """Whether it can be bought then."""
        return self.launched <= month and (self.ended is None or month < self.ended)


@dataclass(frozen=True, slots=True)
class PlannedFirm:
    """A firm in months."""

    name: str
    layer: str
    home: str
    founded: int
    ended: int | None = None
    into: str | None = None

    @property
    def id(self) -> str:
        """Its name as a slug."""
        return slug(self.name)

    def lives_in(self, month: int) -> bool:
        """Whether it stands for the whole of that month."""
        return self.founded < month and (self.ended is None or month < self.ended)

    def as_fact(self, fate: Fate, founded_on: str, ended_on: str | None) -> Firm:
        """The firm as a frozen fact."""
        return Firm(self.id, self.name, self.layer, self.home, founded_on, ended_on, self.into, fate)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that happens in a world, before it is put into sentences."""

    horizon: Horizon
    layers: tuple[LayerTheme, ...]
    near: dict[str, tuple[str, ...]]
    scarce: tuple[str, ...]
    technologies: tuple[PlannedTechnology, ...]
    firms: tuple[PlannedFirm, ...]
    standards: tuple[Standard, ...]
    regulations: tuple[Regulation, ...]
    causes: tuple[Cause, ...]

    def scarce_in(self, year: int) -> str:
        """The layer that scarcity has reached in a year."""
        era = (year - self.horizon.era_year(0)) // self.horizon.years_per_era
        return self.scarce[max(era, -1) + 1]


@lru_cache(maxsize=4_096)
def slug(name: str) -> str:
    """Lower case with hyphens."""
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name.lower()).split())
