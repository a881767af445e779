"""Tells technologies: found, shown, sold, cheaper, better, ordered, given up."""

import random
from collections.abc import Sequence

from app.domain.world.events import Fate
from app.domain.world.histories import sentences as say
from app.domain.world.histories.chronicle import Chronicle
from app.domain.world.histories.facts import Trade
from app.domain.world.histories.later_sentences import PAID, WAGERED
from app.domain.world.histories.months import month_of, year_of
from app.domain.world.histories.plans import PlannedTechnology
from app.domain.world.histories.scene import Scene, grouped

WAGERS = 0.4
"""How often two people wager on whether a technology that was shown will ever be sold."""

STAKES = ("nine", "twenty", "forty", "ninety", "two hundred")
FEWEST_MONTHS = 6
"""Months from showing to sale in which there is time to wager."""

LATEST_WAGER = 3
LATEST_PAYMENT = 3
"""Months after it was shown within which people wager, and after its first sale within which they settle."""

NOTES = 0.3
"""How often a year of a technology on sale is noted in the record, by price, sale or trial."""


class TechnologyTeller:
    """Tells one world's technologies from their plans and trades."""

    def __init__(
        self, scene: Scene, chronicle: Chronicle, trades: Sequence[Trade], fates: dict[str, Fate], chance: random.Random
    ) -> None:
        self._scene = scene
        self._chronicle = chronicle
        self._trades: dict[str, list[Trade]] = {}
        for trade in trades:
            self._trades.setdefault(trade.technology, []).append(trade)
        self._fates = fates
        self._chance = chance

    def tell(self, one: PlannedTechnology) -> None:
        """Everything on record about one technology."""
        trades = self._trades[one.id]
        self._write("finding", one.found, "science", self._fill(say.FOUND, one, one.found), one)
        self._write(
            "showing", one.shown, self._shown_under(one), self._fill(say.SHOWN, one, one.shown) + self._needs(one), one
        )
        if not self._scene.is_first and self._is_doubted(one) and self._chance.random() < WAGERS:
            self._wager(one)
        first = trades[0]
        text = self._fill(say.LAUNCHED, one, one.launched, price=grouped(first.price))
        self._write("launch", one.launched, one.layer.domain, text, one, price=first.price)
        for index in range(2, len(trades)):
            if self._chance.random() < NOTES:
                self._note(one, trades, index)
        if one.ended is not None:
            template = say.WITHDRAWN if one.flaw else say.GIVEN_UP
            text = self._fill(template, one, one.ended, year=year_of(one.launched))
            self._write("withdrawal", one.ended, one.layer.domain, text, one)

    def _is_doubted(self, one: PlannedTechnology) -> bool:
        """Whether it was shown on record, by a maker still there, with time to wager before it was sold."""
        opened, maker = self._scene.plan.horizon.first_month, self._scene.firm(one.maker)
        return (
            opened <= one.shown <= one.launched - FEWEST_MONTHS
            and all(maker.lives_in(month) for month in (one.shown, one.shown + LATEST_WAGER))
            and (one.ended is None or one.ended > one.launched + LATEST_PAYMENT)
        )

    def _wager(self, one: PlannedTechnology) -> None:
        """A wager soon after it was shown, which its sale settles: whoever doubted pays."""
        made, paid = (
            one.shown + self._chance.randint(1, LATEST_WAGER),
            one.launched + self._chance.randint(1, LATEST_PAYMENT),
        )
        people = [name for name in self._scene.cast.people_in(made) if name in self._scene.cast.people_in(paid)]
        doubter, believer = self._chance.sample(people, k=2)
        names = {"person": doubter, "person2": believer, "stake": self._chance.choice(STAKES)}
        self._write("wager", made, "society", self._fill(WAGERED, one, made, **names), one)
        self._write("payment", paid, "society", self._fill(PAID, one, paid, **names), one)

    def _note(self, one: PlannedTechnology, trades: Sequence[Trade], index: int) -> None:
        """One remark on a year, dated in its second half, when the year's price has been set."""
        trade = trades[index]
        month = month_of(trade.year, self._chance.randint(7, 12))
        if one.ended is not None and month >= one.ended:
            return
        note = self._chance.choice((self._price, self._price, self._sale, self._trial, self._order, self._dispute))
        note(one, trades, index, month)

    def _price(self, one: PlannedTechnology, trades: Sequence[Trade], index: int, month: int) -> None:
        trade, back = trades[index], min(index, self._chance.randint(1, 4))
        before = trades[index - back]
        reason = self._reason(one, trade.year)
        if trade.price == before.price or (trade.price > before.price and reason is None):
            return
        dearer = trade.price > before.price
        words = {"price": grouped(trade.price), "was": grouped(before.price), "year": before.year}
        words |= {"years": _years(trade.year - before.year), "reason": reason}
        text = self._fill(say.DEARER if dearer else say.PRICED, one, month, **words)
        figures = {"price": trade.price, "was": before.price, "was_year": before.year}
        domain = self._chance.choice(("enterprise", one.layer.domain))
        self._write("rise" if dearer else "price", month, domain, text, one, **figures)

    def _sale(self, one: PlannedTechnology, trades: Sequence[Trade], index: int, month: int) -> None:
        trade = trades[index - 1]
        words = {"units": grouped(trade.units), "price": grouped(trade.price), "cost": grouped(trade.unit_cost)}
        text = self._fill(say.SOLD, one, month, year=trade.year, **words)
        figures = {"units": trade.units, "price": trade.price, "cost": trade.unit_cost, "year": trade.year}
        self._write("sale", month, "consumer", text, one, **figures)

    def _trial(self, one: PlannedTechnology, trades: Sequence[Trade], index: int, month: int) -> None:
        trade = trades[index]
        text = self._fill(say.IMPROVED, one, month, capability=grouped(trade.capability))
        self._write("trial", month, one.layer.domain, text, one, capability=trade.capability)

    def _order(self, one: PlannedTechnology, trades: Sequence[Trade], index: int, month: int) -> None:
        self._write("order", month, "enterprise", self._fill(say.ORDERED, one, month), one)

    def _dispute(self, one: PlannedTechnology, trades: Sequence[Trade], index: int, month: int) -> None:
        self._write("dispute", month, "science", self._fill(say.DISPUTED, one, month), one)

    def _write(self, kind: str, month: int, domain: str, text: str, one: PlannedTechnology, **figures: int) -> None:
        if kind == "finding":
            self._chronicle.write(kind, month, domain, text, self._fates[one.id], (one.id,), **figures)
        elif self._scene.firm(one.maker).lives_in(month):
            self._chronicle.write(kind, month, domain, text, self._fates[one.id], (one.id, one.maker), **figures)

    def _fill(self, templates: tuple[str, ...], one: PlannedTechnology, month: int, **words: object) -> str:
        effect = self._scene.line(say.EFFECTS)
        given = self._scene.common(month) | self._scene.of_technology(one) | {"effect": effect} | words
        return self._scene.line(templates).format(**given)

    def _shown_under(self, one: PlannedTechnology) -> str:
        return self._chance.choice((one.layer.domain, "science"))

    def _needs(self, one: PlannedTechnology) -> str:
        if not one.needs:
            return ""
        names = " and ".join(f"the {self._scene.technology(need).words}" for need in one.needs[:2])
        return self._scene.line(say.NEEDED).format(needs=names)

    def _reason(self, one: PlannedTechnology, year: int) -> str | None:
        for cause in self._scene.plan.causes:
            if cause.layer == one.layer.id and cause.first_year <= year <= cause.last_year:
                return "the levy" if cause.kind == "levy" else "the shortage"
        return None


def _years(count: int) -> str:
    return ("a year", "two years", "three years", "four years")[count - 1]
