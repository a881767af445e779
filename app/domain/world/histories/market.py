"""The market model: yearly units, prices and costs of every technology, from which layer profits follow.

Costs fall by learning, fast at first. Price is cost with a margin, and the margin depends on the layer: high where
scarcity sits, low once an adopted standard lets others in, held by a price cap. A price never rises unless a cause
(shortage, levy) covers that layer and year. Adoption is logistic; a successor takes the demand of what it follows.
Only sums, products and roundings are used, so that equal seeds give equal numbers on every machine.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.domain.world.histories.facts import LayerProfit, Trade, Window
from app.domain.world.histories.months import year_of
from app.domain.world.histories.plans import Plan, PlannedTechnology

GROWTH = 1.04
"""Yearly growth of all demand."""

FADING = 0.8
"""What is left of a technology's demand each year once its successor is sold, or once it is flawed and known to be."""

OPENED = 0.3
"""Part of the margin left once a standard is adopted."""

CAPPED = 0.7
"""Part of the margin left under a price cap."""


@dataclass(frozen=True, slots=True)
class _Terms:
    """What is particular to one technology: first cost, yearly demand at the start, learning and adoption speed."""

    cost: float
    demand: float
    learning: float
    speed: float
    capability: float
    gain: float


def run_market(plan: Plan, chance: random.Random) -> tuple[Trade, ...]:
    """Every technology's years in order of technology, then year."""
    margins = {layer.id: 0.2 + 0.25 * chance.random() for layer in plan.layers}
    rents = {layer.id: 2.2 + 1.6 * chance.random() for layer in plan.layers}
    trades: list[Trade] = []
    for one in plan.technologies:
        terms = _terms(one, chance)
        trades.extend(_years(one, terms, plan, margins[one.layer.id], rents[one.layer.id]))
    return tuple(trades)


def _terms(one: PlannedTechnology, chance: random.Random) -> _Terms:
    cost = float(chance.randint(90, 700))
    spent = chance.randint(500, 1100) * 1000.0 * (0.12 if one.flaw else 1.0 + 0.35 * one.generation)
    return _Terms(
        cost=cost,
        demand=spent / cost,
        learning=0.07 + 0.09 * chance.random(),
        speed=0.25 if one.flaw else 0.5 + 0.4 * chance.random(),
        capability=float(chance.randint(4, 30)) * (1 + 2 * one.generation),
        gain=1.05 + 0.12 * chance.random(),
    )


def _years(one: PlannedTechnology, terms: _Terms, plan: Plan, margin: float, rent: float) -> list[Trade]:
    first = year_of(one.launched)
    last = year_of(one.ended) if one.ended is not None else plan.horizon.last_year
    successor = _successor_year(one, plan)
    share, fading, cost, capability = 0.06, 1.0, terms.cost, terms.capability
    trades: list[Trade] = []
    for year in range(first, last + 1):
        age = year - first
        if age:
            share += terms.speed * share * (1 - share)
            cost *= 1 - terms.learning * _power(0.94, age)
            capability *= 1 + (terms.gain - 1) * _power(0.97, age)
        fading *= FADING if successor is not None and year > successor else 1.0
        unit_cost = max(1, round(cost * _levied(plan, one.layer.id, year)))
        price = _price(plan, one.layer.id, year, cost, margin, rent, trades)
        demand = terms.demand * share * fading * _power(GROWTH, year - plan.horizon.first_year)
        bought = demand * (1 + 0.6 * (1 - cost / terms.cost)) * _mandated(plan, one.layer.id, year)
        units = max(1, _rounded(bought))
        trades.append(Trade(one.id, year, units, max(price, unit_cost), unit_cost, round(capability)))
    return trades


def _successor_year(one: PlannedTechnology, plan: Plan) -> int | None:
    for other in plan.technologies:
        if other.follows == one.id:
            return year_of(other.launched)
    return year_of(one.launched) if one.flaw else None


def _price(plan: Plan, layer: str, year: int, cost: float, margin: float, rent: float, earlier: Sequence[Trade]) -> int:
    """Cost with the layer's margin of the year; no more than the year before unless a cause covers it."""
    active = [cause for cause in plan.causes if cause.layer == layer and cause.first_year <= year <= cause.last_year]
    raised = 1 + sum(cause.percent for cause in active) / 100
    wanted = round(cost * (1 + margin * _tightness(plan, layer, year, rent)) * raised)
    if active or not earlier:
        return wanted
    return min(wanted, earlier[-1].price)


def _tightness(plan: Plan, layer: str, year: int, rent: float) -> float:
    factor = rent if plan.scarce_in(year) == layer else 1.0
    if any(one.layer == layer and one.adopted_on and int(one.adopted_on[:4]) <= year for one in plan.standards):
        factor *= OPENED
    return factor * (CAPPED if _in_force(plan, layer, year, "cap") else 1.0)


def _levied(plan: Plan, layer: str, year: int) -> float:
    return 1.12 if _in_force(plan, layer, year, "levy") else 1.0


def _mandated(plan: Plan, layer: str, year: int) -> float:
    return 1.25 if _in_force(plan, layer, year, "mandate") else 1.0


def _in_force(plan: Plan, layer: str, year: int, kind: str) -> bool:
    """Whether a law of that kind holds for the whole year."""
    return any(
        law.layer == layer
        and law.kind == kind
        and int(law.passed_on[:4]) < year
        and (law.repealed_on is None or year < int(law.repealed_on[:4]))
        for law in plan.regulations
    )


def _power(base: float, times: int) -> float:
    """``base`` to a whole power by plain products: the same on every machine."""
    result = 1.0
    for _ in range(times):
        result *= base
    return result


def _rounded(value: float) -> int:
    """To two digits, as counts in print are."""
    step = 1
    while value / step >= 100:
        step *= 10
    return round(value / step) * step


def layer_profits(trades: Iterable[Trade], layer_of: dict[str, str], first: int, years: int) -> tuple[LayerProfit, ...]:
    """Profit by layer over ``years`` from ``first``, the sum of units × (price − unit cost); highest first, then id."""
    totals = dict.fromkeys(sorted(set(layer_of.values())), 0)
    for trade in trades:
        if first <= trade.year < first + years:
            totals[layer_of[trade.technology]] += trade.units * (trade.price - trade.unit_cost)
    ranked = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return tuple(LayerProfit(layer, profit) for layer, profit in ranked)


def windows_of(plan: Plan, trades: Sequence[Trade]) -> tuple[Window, ...]:
    """The outcome window of every era with its true ranking; era ids are F1, F2 and so on."""
    layer_of = {one.id: one.layer.id for one in plan.technologies}
    years = plan.horizon.years_per_era
    return tuple(
        Window(
            era=f"F{era + 1}",
            first_year=plan.horizon.era_year(era),
            years=years,
            profits=layer_profits(trades, layer_of, plan.horizon.era_year(era), years),
        )
        for era in range(plan.horizon.eras)
    )
