"""What became of technologies and firms, read from the market at the end of the record."""

from collections import Counter
from collections.abc import Sequence

from app.domain.world.events import Fate
from app.domain.world.histories.facts import Trade
from app.domain.world.histories.months import MONTHS
from app.domain.world.histories.plans import Plan, PlannedFirm, PlannedTechnology

LATE_YEARS = 4
"""What began so shortly before the end of the record is unresolved."""

MOST = 0.5
"""A technology is dominant above this share of what buyers spent on its layer, a firm of what its layer earned."""

SMALL = 0.15


def technology_fates(plan: Plan, trades: Sequence[Trade]) -> dict[str, Fate]:
    """Fate by technology: dominant if buyers spent more on it than on all else of its layer, else by its end."""
    layer_of = {one.id: one.layer.id for one in plan.technologies}
    spent: Counter[str] = Counter()
    by_layer: Counter[str] = Counter()
    for trade in trades:
        spent[trade.technology] += trade.units * trade.price
        by_layer[layer_of[trade.technology]] += trade.units * trade.price
    return {one.id: _technology_fate(one, plan, spent[one.id] / by_layer[one.layer.id]) for one in plan.technologies}


def _technology_fate(one: PlannedTechnology, plan: Plan, share: float) -> Fate:
    if one.flaw:
        return Fate.ABANDONED if one.ended is not None else Fate.NICHE
    if one.launched > plan.horizon.last_month - LATE_YEARS * MONTHS:
        return Fate.UNRESOLVED
    if share > MOST:
        return Fate.DOMINANT
    if one.ended is not None:
        return Fate.ABSORBED
    return Fate.NICHE if share < SMALL else Fate.SURVIVED


def firm_fates(plan: Plan, trades: Sequence[Trade]) -> dict[str, Fate]:
    """Fate by firm: by its end, else dominant for the firm that earned most in its layer."""
    maker_of = {one.id: one.maker for one in plan.technologies}
    earned: Counter[str] = Counter()
    for trade in trades:
        earned[maker_of[trade.technology]] += trade.units * (trade.price - trade.unit_cost)
    by_layer: Counter[str] = Counter()
    for firm in plan.firms:
        by_layer[firm.layer] += earned[firm.id]
    return {firm.id: _firm_fate(firm, plan, earned[firm.id] / by_layer[firm.layer]) for firm in plan.firms}


def _firm_fate(firm: PlannedFirm, plan: Plan, share: float) -> Fate:
    if firm.ended is not None:
        return Fate.ABSORBED if firm.into else Fate.ABANDONED
    if firm.founded > plan.horizon.last_month - LATE_YEARS * MONTHS:
        return Fate.UNRESOLVED
    if share > MOST:
        return Fate.DOMINANT
    return Fate.SURVIVED if share > 0 else Fate.NICHE
