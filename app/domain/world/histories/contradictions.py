"""Looks for contradictions in a world from its facts and events alone, knowing nothing of how it was made."""

from collections.abc import Iterator
from itertools import pairwise

from app.domain.world.events import Event
from app.domain.world.histories.facts import Firm, Happening, History, Technology, Trade
from app.domain.world.histories.months import month_from, year_of

_FIGURES = {
    "launch": ("price",),
    "price": ("price",),
    "rise": ("price",),
    "sale": ("units", "price", "cost"),
    "trial": ("capability",),
}
"""The kinds of happenings whose figures are those of a trade."""

_OPENS = {"finding": "found_on", "showing": "shown_on", "wager": "shown_on"}
"""What must lie before happenings of a kind about a technology; before all others, its launch."""


def contradictions(history: History) -> tuple[str, ...]:
    """What cannot be true together, in words; empty for a sound world."""
    return (
        *_of_record(history),
        *_of_technologies(history),
        *_of_wagers(history),
        *_of_firms(history),
        *_of_rules(history),
        *_of_prices(history),
        *_of_figures(history),
        *_of_rankings(history),
    )


def recomputed_ranking(history: History, era: str) -> tuple[tuple[str, int], ...]:
    """Layers with their profit in an era's window, summed up again year by year from the trades; highest first."""
    window = history.window(era)
    profits = {layer.id: 0 for layer in history.layers}
    technologies = {one.id: one for one in history.technologies}
    for year in range(window.first_year, window.first_year + window.years):
        for trade in history.trades:
            if trade.year == year:
                earned = trade.price * trade.units - trade.unit_cost * trade.units
                profits[technologies[trade.technology].layer] += earned
    return tuple(sorted(profits.items(), key=lambda item: (-item[1], item[0])))


def _of_record(history: History) -> Iterator[str]:
    events = history.events
    if len({event.id for event in events}) != len(events):
        yield "two events have one id"
    if len({event.text for event in events}) != len(events):
        yield "one sentence stands twice on record"
    if len({name.lower() for name in history.names}) != len(history.names):
        yield "one name was given twice"
    days = [event.last_day for event in events]
    if days != sorted(days):
        yield "events are not in order of time"


def _of_technologies(history: History) -> Iterator[str]:
    by_id = {one.id: one for one in history.technologies}
    for one in history.technologies:
        dates = [date for date in (one.found_on, one.shown_on, one.launched_on, one.ended_on) if date]
        if any(a >= b for a, b in pairwise(dates)):
            yield f"{one.name}: found, shown, sold and given up are not in this order"
        for need in one.needs:
            if by_id[need].launched_on >= (one.shown_on or one.launched_on):
                yield f"{one.name}: needs {by_id[need].name}, which is younger"
    for happening in history.happenings:
        named = [by_id[subject] for subject in happening.subjects if subject in by_id]
        yield from (
            f"{one.name}: {happening.event.id} is too early or too late" for one in named if _is_off(happening, one)
        )


def _is_off(happening: Happening, one: Technology) -> bool:
    """Whether an event about a technology lies before what it presupposes, or after the technology's end."""
    month = happening.event.on[:7]
    opens = _OPENS.get(happening.kind, "launched_on")
    begins, ends = getattr(one, opens), one.launched_on if happening.kind == "wager" else one.ended_on
    return begins is None or month < begins or (ends is not None and month > ends)


def _of_wagers(history: History) -> Iterator[str]:
    made: set[str] = set()
    for happening in history.happenings:
        if happening.kind == "wager":
            made.update(happening.subjects)
        if happening.kind == "payment" and made.isdisjoint(happening.subjects):
            yield f"{happening.event.id} settles a wager that nobody made"


def _of_firms(history: History) -> Iterator[str]:
    events = history.events
    for firm in history.firms:
        if firm.ended_on is not None and firm.ended_on <= firm.founded_on:
            yield f"{firm.name}: ended before it was founded"
        for event in events:
            if firm.name in event.text and not _stands(firm, event):
                yield f"{firm.name}: {event.id} lies before its founding or after its end"


def _stands(firm: Firm, event: Event) -> bool:
    month = event.on[:7]
    return firm.founded_on <= month and (firm.ended_on is None or month <= firm.ended_on)


def _of_rules(history: History) -> Iterator[str]:
    for standard in history.standards:
        settled = standard.adopted_on or standard.withdrawn_on
        if settled is None or settled <= standard.proposed_on:
            yield f"{standard.name}: settled before it was proposed"
    for law in history.regulations:
        if not law.proposed_on < law.passed_on < (law.repealed_on or "9999"):
            yield f"{law.name}: proposed, passed and repealed are not in this order"


def _of_prices(history: History) -> Iterator[str]:
    layer_of = {one.id: one.layer for one in history.technologies}
    announced = {subject: each.event.on[:4] for each in history.happenings for subject in each.subjects}
    covered = {
        (cause.layer, year)
        for cause in history.causes
        if cause.id in announced and int(announced[cause.id]) <= cause.first_year
        for year in range(cause.first_year, cause.last_year + 1)
    }
    for before, after in pairwise(history.trades):
        if before.technology != after.technology:
            continue
        if after.year != before.year + 1:
            yield f"{after.technology}: {before.year} is followed by {after.year}"
        if after.price > before.price and (layer_of[after.technology], after.year) not in covered:
            yield f"{after.technology}: its price rises in {after.year} without a cause on record"
    yield from _of_trade_years(history)


def _of_trade_years(history: History) -> Iterator[str]:
    by_id = {one.id: one for one in history.technologies}
    for trade in history.trades:
        one = by_id[trade.technology]
        last = year_of(month_from(one.ended_on)) if one.ended_on else history.last_year
        if not year_of(month_from(one.launched_on)) <= trade.year <= last:
            yield f"{one.name}: sold in {trade.year}, outside its life"
        if trade.price < trade.unit_cost or trade.units < 0:
            yield f"{one.name}: sold below cost in {trade.year}"


def _of_figures(history: History) -> Iterator[str]:
    """Figures in events must be those of the market."""
    trades = {(trade.technology, trade.year): trade for trade in history.trades}
    for happening in history.happenings:
        names = _FIGURES.get(happening.kind, ())
        figures = dict(happening.figures)
        year = figures.get("year", int(happening.event.on[:4]))
        for name in names:
            trade = trades.get((happening.subjects[0], year))
            if trade is None or figures[name] != _market_figure(trade, name):
                yield f"{happening.event.id}: its {name} is not the market's"


def _market_figure(trade: Trade, name: str) -> int:
    return {
        "price": trade.price,
        "units": trade.units,
        "cost": trade.unit_cost,
        "capability": trade.capability,
    }[name]


def _of_rankings(history: History) -> Iterator[str]:
    for window in history.windows:
        if tuple((each.layer, each.profit) for each in window.profits) != recomputed_ranking(history, window.era):
            yield f"{window.era}: its layer ranking is not that of its trades"
