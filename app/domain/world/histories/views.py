"""A world as a person would read it: its years, its technologies with their curves, its layers by profit."""

from collections import defaultdict
from dataclasses import dataclass

from app.domain.world.events import Event
from app.domain.world.histories.facts import Cause, Firm, History, LayerProfit, Regulation, Standard, Technology, Trade


@dataclass(frozen=True, slots=True)
class YearView:
    """One year of the timeline; ``era`` is the id of the window it lies in, None before the first."""

    year: int
    era: str | None
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class TechnologyView:
    """One technology with its maker, what it needed, and its yearly units, prices, costs and capability."""

    technology: Technology
    layer_name: str
    maker: Firm
    needs: tuple[Technology, ...]
    curve: tuple[Trade, ...]

    @property
    def lowest_price(self) -> int:
        """The lowest yearly price."""
        return min(trade.price for trade in self.curve)


@dataclass(frozen=True, slots=True)
class LayerView:
    """One layer with its neighbours' names, what bears on it, and its profit and rank in every window."""

    id: str
    name: str
    about: str
    neighbours: tuple[str, ...]
    standards: tuple[Standard, ...]
    regulations: tuple[Regulation, ...]
    causes: tuple[Cause, ...]
    profits: tuple[LayerProfit, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HistoryView:
    """A whole world laid out for reading; layers in order of all they earned, technologies in order of launch."""

    history: History
    years: tuple[YearView, ...]
    technologies: tuple[TechnologyView, ...]
    layers: tuple[LayerView, ...]


def view_history(history: History) -> HistoryView:
    """Lay a world out for reading."""
    return HistoryView(history, _years(history), _technologies(history), _layers(history))


def _years(history: History) -> tuple[YearView, ...]:
    by_year: dict[int, list[Event]] = defaultdict(list)
    for event in history.events:
        by_year[int(event.on[:4])].append(event)
    era_of = {
        year: window.era
        for window in history.windows
        for year in range(window.first_year, window.first_year + window.years)
    }
    return tuple(YearView(year, era_of.get(year), tuple(events)) for year, events in sorted(by_year.items()))


def _technologies(history: History) -> tuple[TechnologyView, ...]:
    by_id = {one.id: one for one in history.technologies}
    firms = {firm.id: firm for firm in history.firms}
    names = {layer.id: layer.name for layer in history.layers}
    curves: dict[str, list[Trade]] = defaultdict(list)
    for trade in history.trades:
        curves[trade.technology].append(trade)
    ordered = sorted(history.technologies, key=lambda one: (one.launched_on, one.id))
    return tuple(
        TechnologyView(
            technology=one,
            layer_name=names[one.layer],
            maker=firms[one.maker],
            needs=tuple(by_id[need] for need in one.needs),
            curve=tuple(curves[one.id]),
        )
        for one in ordered
    )


def _layers(history: History) -> tuple[LayerView, ...]:
    names = {layer.id: layer.name for layer in history.layers}
    views = [
        LayerView(
            id=layer.id,
            name=layer.name,
            about=layer.about,
            neighbours=tuple(names[other] for other in layer.neighbours),
            standards=tuple(one for one in history.standards if one.layer == layer.id),
            regulations=tuple(one for one in history.regulations if one.layer == layer.id),
            causes=tuple(one for one in history.causes if one.layer == layer.id),
            profits=tuple(each for window in history.windows for each in window.profits if each.layer == layer.id),
            ranks=tuple(window.ranking.index(layer.id) + 1 for window in history.windows),
        )
        for layer in history.layers
    ]
    return tuple(sorted(views, key=lambda view: (-sum(each.profit for each in view.profits), view.id)))
