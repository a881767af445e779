"""The record as it is being written: happenings with their dates, ids and invented sources."""

import random
import re

from app.domain.world.events import Event, Fate
from app.domain.world.histories.facts import Happening
from app.domain.world.histories.months import MONTHS, year_of
from app.domain.world.histories.plans import Horizon
from app.domain.world.histories.scene import Cast

ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou](?!ne\b|s[eu]))")
"""An article before a vowel, but not before one, use or usual."""

WITH_A_DAY = 0.5
MONTH_NAMES = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
SOURCES = (
    "{place} Gazette, {when}",
    "Proceedings of the {society}, {year}",
    "Register of {place}, {when}",
    "{place} Shipping and Trade List, {when}",
    "Minutes of the {body}, {when}",
    "Letter of {person}, {when}",
)


class Chronicle:
    """Collects happenings inside the horizon; those outside it were never recorded."""

    def __init__(self, horizon: Horizon, cast: Cast, chance: random.Random) -> None:
        self._horizon = horizon
        self._cast = cast
        self._chance = chance
        self._kept: list[Happening] = []
        self._texts: set[str] = set()

    def write(
        self,
        kind: str,
        month: int,
        domain: str,
        text: str,
        fate: Fate,
        subjects: tuple[str, ...] = (),
        **figures: int,
    ) -> bool:
        """Record it, unless it lies outside the years on record or the very sentence stands there already."""
        text = ARTICLE.sub(r"\1n ", text)
        if not self._horizon.first_month <= month <= self._horizon.last_month or text in self._texts:
            return False
        self._texts.add(text)
        on = f"{year_of(month):04d}-{month % MONTHS + 1:02d}"
        if self._chance.random() < WITH_A_DAY:
            on += f"-{self._chance.randint(1, 28):02d}"
        event = Event(
            id=f"{kind}-{len(self._kept) + 1:04d}",
            on=on,
            domain=domain,
            text=text,
            source=self._source(month),
            fate=fate,
            confidence="high",
        )
        self._kept.append(Happening(event, kind, subjects, tuple(sorted(figures.items()))))
        return True

    def told(self) -> tuple[Happening, ...]:
        """Everything in order of time, as the record orders events."""
        return tuple(sorted(self._kept, key=lambda one: (one.event.last_day, one.event.id)))

    def years_with(self, domain: str) -> set[int]:
        """The years in which a domain has something on record."""
        return {int(one.event.on[:4]) for one in self._kept if one.event.domain == domain}

    def _source(self, month: int) -> str:
        pick = self._chance.choice
        when = f"{MONTH_NAMES[month % MONTHS]} {year_of(month)}"
        return pick(SOURCES).format(
            place=pick(self._cast.places),
            society=pick(self._cast.societies),
            body=pick(self._cast.bodies),
            person=pick(self._cast.people_in(month)),
            when=when,
            year=year_of(month),
        )
