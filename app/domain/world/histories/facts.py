"""What an invented world consists of: frozen values, whole numbers only, so that equal seeds give equal bytes."""

from dataclasses import dataclass

from app.domain.world.events import Event, Fate


@dataclass(frozen=True, slots=True)
class WorldLayer:
    """One layer of the world's own stack; ``neighbours`` are ids one edge away, symmetric."""

    id: str
    name: str
    about: str
    neighbours: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Technology:
    """One named technology; dates are YYYY-MM, None where the record begins later or the thing never happened.

    ``needs`` are ids of technologies sold before this one was shown; ``follows`` the one it supersedes in its layer;
    ``flaw`` says why a dead end was one.
    """

    id: str
    name: str
    layer: str
    noun: str
    plural: str
    does: str
    needs: tuple[str, ...]
    found_on: str | None
    shown_on: str | None
    launched_on: str
    ended_on: str | None
    maker: str
    follows: str | None
    flaw: str | None
    fate: Fate


@dataclass(frozen=True, slots=True)
class Firm:
    """One firm; ``into`` is the firm that bought it, if its end was a merger."""

    id: str
    name: str
    layer: str
    home: str
    founded_on: str
    ended_on: str | None
    into: str | None
    fate: Fate


@dataclass(frozen=True, slots=True)
class Standard:
    """A common rule of one layer; once adopted, it lets others in and margins fall."""

    id: str
    name: str
    layer: str
    proposed_on: str
    adopted_on: str | None
    withdrawn_on: str | None
    fate: Fate


@dataclass(frozen=True, slots=True)
class Regulation:
    """A law about one layer: ``kind`` is cap, levy, licence or mandate."""

    id: str
    name: str
    layer: str
    kind: str
    proposed_on: str
    passed_on: str
    repealed_on: str | None
    fate: Fate


@dataclass(frozen=True, slots=True)
class Cause:
    """Why prices of a layer could rise from ``first_year`` to ``last_year``, both included: a shortage or a levy."""

    id: str
    kind: str
    layer: str
    first_year: int
    last_year: int
    percent: int
    because: str


@dataclass(frozen=True, slots=True)
class Trade:
    """One technology's year: units sold, price and unit cost in the world's coin, capability in its own measure."""

    technology: str
    year: int
    units: int
    price: int
    unit_cost: int
    capability: int


@dataclass(frozen=True, slots=True)
class Happening:
    """An event with what it is about: ``subjects`` are ids in this world, ``figures`` the numbers its text states."""

    event: Event
    kind: str
    subjects: tuple[str, ...]
    figures: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LayerProfit:
    """What all technologies of a layer earned above their cost in one window, in the world's coin."""

    layer: str
    profit: int


@dataclass(frozen=True, slots=True)
class Window:
    """One era's outcome window with the true layer ranking, highest profit first; hidden from players and judge."""

    era: str
    first_year: int
    years: int
    profits: tuple[LayerProfit, ...]

    @property
    def ranking(self) -> tuple[str, ...]:
        """Layer ids, highest profit first."""
        return tuple(each.layer for each in self.profits)


@dataclass(frozen=True, slots=True)
class History:
    """A whole invented world. ``events`` plug into drawn briefings and a study's library as the record does."""

    seed: int
    version: str
    title: str
    about: str
    coin: str
    first_year: int
    layers: tuple[WorldLayer, ...]
    technologies: tuple[Technology, ...]
    firms: tuple[Firm, ...]
    standards: tuple[Standard, ...]
    regulations: tuple[Regulation, ...]
    causes: tuple[Cause, ...]
    trades: tuple[Trade, ...]
    happenings: tuple[Happening, ...]
    windows: tuple[Window, ...]
    names: tuple[str, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """Every event in order of time, as a record."""
        return tuple(happening.event for happening in self.happenings)

    @property
    def last_year(self) -> int:
        """The last year on record."""
        last = self.windows[-1]
        return last.first_year + last.years - 1

    def window(self, era: str) -> Window:
        """The outcome window of an era; KeyError if the world has no such era."""
        for window in self.windows:
            if window.era == era:
                return window
        raise KeyError(era)
