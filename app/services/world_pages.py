"""A fictional world as a page shows it: its years, technologies with drawn curves, firms, and who earned when."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.domain.world.events import Event
from app.domain.world.histories.contradictions import contradictions
from app.domain.world.histories.documents import history_hash
from app.domain.world.histories.facts import Firm, Happening, History, Window
from app.domain.world.histories.views import LayerView, TechnologyView, YearView, view_history
from app.services.worlds import fictional_world

WIDTH, HEIGHT, EDGE = 240, 72, 3
BUMP_WIDTH, MARGIN, RANK_STEP = 360, 14, 20
LEFT, TOP = 20, 14
"""Room for the ranks and the eras at the edges of the chart of ranks."""

LIFE_WIDTH = 120.0
LETTERS = "ABCDEFGHI"
TELLING = ("adoption", "merger", "law", "closure", "withdrawal", "launch")
"""Kinds of events that a chapter's summary would tell, the most telling first."""

SIGN_YEARS = 3
MOST_SIGNS = 6
"""Years before an era in which its scarcity can be read from the record, and how many sentences of them are shown."""

OFFERED = (7, 11, 42, 1990, 2718)
"""Seeds that an empty page offers: one can begin to read at once."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A line over the world's years as an SVG path, with the numbers at its ends."""

    name: str
    path: str
    area: str
    first: int
    last: int
    most: int


Piece = tuple[str, str]
"""Some words of a sentence, and the place on the page that tells of what they name, or nothing."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One dated event as the page tells it, in pieces."""

    event: Event
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class TechnologyCard:
    """One technology with its curves and everything on record about it."""

    view: TechnologyView
    story: tuple[Sentence, ...]
    units: Curve
    price: Curve
    cost: Curve
    capability: Curve
    first_year: int
    last_year: int


@dataclass(frozen=True, slots=True)
class ProfitCell:
    """A layer's profit in one window; ``level`` from 0 to 4 says how much of the window's top it is."""

    era: str
    profit: int
    rank: int
    level: int


@dataclass(frozen=True, slots=True)
class LayerRow:
    """A layer with its profit in every window."""

    view: LayerView
    cells: tuple[ProfitCell, ...]
    makers: tuple[Firm, ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """The years of one window, or those before the first, with what the market knew of them.

    ``signs`` are sentences of the years before that pointed to where its profits would pool.
    """

    era: str | None
    first_year: int
    last_year: int
    years: tuple[tuple[int, tuple[Sentence, ...]], ...]
    events: int
    signs: tuple[Sentence, ...]
    told: tuple[Event, ...]
    window: Window | None
    top: str
    before: str


@dataclass(frozen=True, slots=True)
class Life:
    """A firm with where its life begins and ends on a line of the world's years."""

    firm: Firm
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class BumpLine:
    """One layer's ranks as a line of points, with the letter that names it and the eras in which it led."""

    letter: str
    name: str
    points: tuple[tuple[float, int], ...]
    path: str
    led: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BumpChart:
    """The ranks of every layer that ever led, an era a column, rank 1 on top.

    ``columns`` are the eras, ``rows`` the ranks, each with its place.
    """

    width: int
    height: int
    lines: tuple[BumpLine, ...]
    columns: tuple[tuple[float, str], ...]
    rows: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class WorldPage:
    """A whole world, laid out."""

    history: History
    digest: str
    sound: bool
    chapters: tuple[Chapter, ...]
    technologies: tuple[TechnologyCard, ...]
    layers: tuple[LayerRow, ...]
    firms: tuple[Life, ...]
    layer_names: dict[str, str]
    firm_names: dict[str, str]
    bump: BumpChart


def show_world(seed: int) -> WorldPage:
    """The world of a seed; the same seed shows the same world for ever."""
    history = fictional_world(seed)
    view = view_history(history)
    names = {layer.id: layer.name for layer in history.layers}
    tell = _Telling(history)
    return WorldPage(
        history=history,
        digest=history_hash(history),
        sound=not contradictions(history),
        chapters=_chapters(history, view.years, names, tell),
        technologies=tuple(_card(history, one, tell) for one in view.technologies),
        layers=tuple(_row(history, one) for one in view.layers),
        firms=tuple(_life(history, firm) for firm in sorted(history.firms, key=lambda one: (one.founded_on, one.id))),
        layer_names=names,
        firm_names={firm.id: firm.name for firm in history.firms},
        bump=_bump(history, names),
    )


class _Telling:
    """Turns events into sentences whose names lead to what the page tells of them."""

    def __init__(self, history: History) -> None:
        places = {one.name: f"technology-{one.id}" for one in history.technologies}
        places |= {firm.name: f"firm-{firm.id}" for firm in history.firms}
        self._places: Mapping[str, str] = places
        self._names = re.compile("|".join(re.escape(name) for name in sorted(places, key=len, reverse=True)))

    def sentence(self, event: Event) -> Sentence:
        """One event in pieces."""
        return Sentence(event, tuple(self._pieces(event.text)))

    def _pieces(self, text: str) -> Iterator[Piece]:
        after = 0
        for match in self._names.finditer(text):
            yield text[after : match.start()], ""
            yield match[0], self._places[match[0]]
            after = match.end()
        yield text[after:], ""


def _chapters(
    history: History, years: Sequence[YearView], names: dict[str, str], tell: _Telling
) -> tuple[Chapter, ...]:
    found: list[Chapter] = []
    before = ""
    for era, group in groupby(years, key=lambda year: year.era):
        own = tuple(group)
        window = history.window(era) if era else None
        top = names[window.ranking[0]] if window else ""
        events = [event for year in own for event in year.events]
        told = _headlines(history, events)
        signs = tuple(map(tell.sentence, _signs(history, window))) if window else ()
        year_by_year = tuple((year.year, tuple(map(tell.sentence, year.events))) for year in own)
        found.append(
            Chapter(era, own[0].year, own[-1].year, year_by_year, len(events), signs, told, window, top, before)
        )
        before = top
    return tuple(found)


def _headlines(history: History, events: Sequence[Event]) -> tuple[Event, ...]:
    """What a chapter's summary tells of it: the first of two of the kinds that change a market, in order of time."""
    kind_of = {each.event.id: each.kind for each in history.happenings}
    firsts = {kind_of[event.id]: event for event in reversed(events)}
    chosen = {event.id for event in [firsts[kind] for kind in TELLING if kind in firsts][:2]}
    return tuple(event for event in events if event.id in chosen)


def _signs(history: History, window: Window) -> tuple[Event, ...]:
    """What in the years before a window, or in its first, told of scarcity in the layer that came to lead it."""
    layer = window.ranking[0]
    causes = {one.id for one in history.causes if one.layer == layer}
    words = {word for one in history.technologies if one.layer == layer for word in (one.plural, f"{one.noun}-maker")}
    found = [
        each.event
        for each in history.happenings
        if window.first_year - SIGN_YEARS <= int(each.event.on[:4]) <= window.first_year
        and (_speaks_of(each, words) if each.kind == "sign" else not causes.isdisjoint(each.subjects))
    ]
    return tuple(found[-MOST_SIGNS:])


def _speaks_of(happening: Happening, words: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", happening.event.text) for word in words)


def _card(history: History, view: TechnologyView, tell: _Telling) -> TechnologyCard:
    curve = view.curve
    years = [trade.year for trade in curve]
    prices, costs = [trade.price for trade in curve], [trade.unit_cost for trade in curve]
    top = max(prices)
    own = (each.event for each in history.happenings if view.technology.id in each.subjects)
    return TechnologyCard(
        view=view,
        story=tuple(map(tell.sentence, own)),
        units=_curve(history, "units sold a year", years, [trade.units for trade in curve]),
        price=_curve(history, "price", years, prices, top),
        cost=_curve(history, "cost of one", years, costs, top),
        capability=_curve(history, "what it can do", years, [trade.capability for trade in curve]),
        first_year=years[0],
        last_year=years[-1],
    )


def _curve(history: History, name: str, years: Sequence[int], values: Sequence[int], top: int = 0) -> Curve:
    top = top or max(values) or 1
    span = max(1, history.last_year - history.first_year)
    points = [
        (
            round(EDGE + (WIDTH - 2 * EDGE) * (year - history.first_year) / span, 1),
            round(HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * value / top, 1),
        )
        for year, value in zip(years, values, strict=True)
    ]
    path = "M" + " L".join(f"{x} {y}" for x, y in points)
    bottom = HEIGHT - EDGE
    area = f"{path} L{points[-1][0]} {bottom} L{points[0][0]} {bottom} Z"
    return Curve(name, path, area, values[0], values[-1], max(values))


def _row(history: History, view: LayerView) -> LayerRow:
    tops = [window.profits[0].profit for window in history.windows]
    cells = tuple(
        ProfitCell(window.era, each.profit, rank, min(4, int(4 * each.profit / top + 0.999)) if each.profit > 0 else 0)
        for window, each, rank, top in zip(history.windows, view.profits, view.ranks, tops, strict=True)
    )
    makers = tuple(firm for firm in history.firms if firm.layer == view.id)
    return LayerRow(view, cells, makers)


def _bump(history: History, names: dict[str, str]) -> BumpChart:
    """The rank in every window of every layer that led once."""
    leaders = tuple(dict.fromkeys(window.ranking[0] for window in history.windows))
    windows = len(history.windows)
    step = (BUMP_WIDTH - LEFT - 2 * MARGIN) / max(1, windows - 1)
    lines = []
    for letter, leader in zip(LETTERS, leaders, strict=False):
        ranks = [window.ranking.index(leader) for window in history.windows]
        points = tuple(
            (round(LEFT + MARGIN + step * number, 1), TOP + MARGIN + RANK_STEP * rank)
            for number, rank in enumerate(ranks)
        )
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        led = tuple(window.era for window in history.windows if window.ranking[0] == leader)
        lines.append(BumpLine(letter, names[leader], points, path, led))
    deepest = max(y for line in lines for _, y in line.points)
    columns = tuple((round(LEFT + MARGIN + step * number, 1), one.era) for number, one in enumerate(history.windows))
    rows = tuple((y, rank) for rank, y in enumerate(range(TOP + MARGIN, deepest + 1, RANK_STEP), start=1))
    return BumpChart(BUMP_WIDTH, deepest + MARGIN, tuple(lines), columns, rows)


def _life(history: History, firm: Firm) -> Life:
    return Life(firm, _place(history, firm.founded_on), _place(history, firm.ended_on) if firm.ended_on else LIFE_WIDTH)


def _place(history: History, month: str) -> float:
    """Where a month lies in the world's years, on a line of the width of a life."""
    years = int(month[:4]) + (int(month[5:7]) - 1) / 12 - history.first_year
    share = years / (history.last_year + 1 - history.first_year)
    return round(LIFE_WIDTH * min(1.0, max(0.0, share)), 1)
