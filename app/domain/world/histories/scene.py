"""Who and what a sentence can name on a given day, and templates in turn so that none is repeated too soon."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.domain.world.histories.later_sentences import sentences_now
from app.domain.world.histories.months import MONTHS
from app.domain.world.histories.plans import Plan, PlannedFirm, PlannedTechnology
from app.domain.world.histories.themes import LayerTheme, Theme

FIRST_VERSION = "1"
GENERATION_YEARS = 20
NEWCOMERS = 7
"""How many people enter public life in each generation."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Invented people, places, learned societies and public bodies; people come and go by generations."""

    first_month: int
    people: tuple[str, ...]
    places: tuple[str, ...]
    societies: tuple[str, ...]
    bodies: tuple[str, ...]

    def people_in(self, month: int) -> tuple[str, ...]:
        """Who is in public life then: each person for two generations, so that nobody is for more than forty years."""
        generation = max(0, month - self.first_month) // (GENERATION_YEARS * MONTHS)
        return self.people[generation * NEWCOMERS : (generation + 2) * NEWCOMERS]


class Deck:
    """Deals templates of one kind in a shuffled order, every one once before any comes again."""

    def __init__(self, templates: Sequence[str], chance: random.Random) -> None:
        self._templates = templates
        self._chance = chance
        self._left: list[str] = []

    def deal(self) -> str:
        """The next template."""
        if not self._left:
            self._left = self._chance.sample(list(self._templates), k=len(self._templates))
        return self._left.pop()


class Scene:
    """Fills a template's places with what is there in a month."""

    def __init__(self, theme: Theme, plan: Plan, cast: Cast, chance: random.Random, version: str) -> None:
        self.version = version
        self.theme = theme
        self.plan = plan
        self.cast = cast
        self._chance = chance
        self._decks: dict[int, Deck] = {}

    @property
    def is_first(self) -> bool:
        """Whether the world is told as the first version of the generator told it."""
        return self.version == FIRST_VERSION

    def line(self, templates: tuple[str, ...]) -> str:
        """A template of these, and of what later versions have beside them, dealt in turn."""
        if id(templates) not in self._decks:
            own = templates if self.is_first else sentences_now(templates)
            self._decks[id(templates)] = Deck(own, self._chance)
        return self._decks[id(templates)].deal()

    def common(self, month: int) -> dict[str, object]:
        """Values that every sentence may use: people of that month, places, bodies, sums."""
        pick = self._chance.sample
        person, person2 = pick(self.cast.people_in(month), k=2)
        place, place2 = pick(self.cast.places, k=2)
        return {
            "person": person,
            "person2": person2,
            "place": place,
            "place2": place2,
            "society": self._chance.choice(self.cast.societies),
            "body": self._chance.choice(self.cast.bodies),
            "coin": self.theme.coin,
            "coin_single": self.theme.coin.removesuffix("s"),
            "material": self.theme.material,
            "hazard": self.theme.hazard,
            "pupil": self.theme.pupil,
            "sum": grouped(self._chance.randint(4, 240) * 500),
            "share": str(self._chance.randint(8, 40)),
            "rate": self._chance.choice(("three", "four", "five", "six", "seven", "nine", "eleven")),
            "lot": self._chance.choice(("twelve", "twenty", "forty", "sixty", "a hundred", "two hundred")),
        }

    def of_layer(self, layer: LayerTheme) -> dict[str, object]:
        """The words of a layer."""
        return {"noun": layer.noun, "plural": layer.plural, "plural_capital": layer.plural.capitalize()}

    def of_technology(self, one: PlannedTechnology) -> dict[str, object]:
        """The words of a technology and its maker."""
        maker = self.firm(one.maker)
        words = {"tech": one.words, "does": one.does, "firm": maker.name, "home": maker.home, "flaw": one.flaw}
        return self.of_layer(one.layer) | words | {"measure": one.layer.measure}

    def firm(self, firm_id: str) -> PlannedFirm:
        """The firm of that id."""
        return next(firm for firm in self.plan.firms if firm.id == firm_id)

    def technology(self, technology_id: str) -> PlannedTechnology:
        """The technology of that id."""
        return next(one for one in self.plan.technologies if one.id == technology_id)

    def standing(self, month: int, layer: str | None = None) -> list[PlannedFirm]:
        """Firms that stand for the whole of a month, of one layer or of all."""
        return [firm for firm in self.plan.firms if firm.lives_in(month) and layer in {None, firm.layer}]

    def on_sale(self, month: int) -> list[PlannedTechnology]:
        """Technologies on sale since before that month."""
        return [one for one in self.plan.technologies if one.launched < month and one.sold_in(month + 1)]

    def layers_of(self, domain: str) -> Iterator[LayerTheme]:
        """Layers whose products are reported under a domain."""
        return (layer for layer in self.plan.layers if layer.domain == domain)


def grouped(number: int) -> str:
    """Digits in groups of three."""
    return f"{number:,}"
