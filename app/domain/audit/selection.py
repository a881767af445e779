"""The selection probe: does an author choose what came to dominate more often than a draw from the same strata would?

Given how many facts a briefing took from each stratum (domain and recency), a draw would take them at random within it.
The number of dominant ones is then a sum of independent hypergeometric counts: its distribution is their convolution.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from app.domain.audit.findings import Probe
from app.domain.inference.intervals import Floats
from app.domain.protocol.artifacts import Briefing
from app.domain.scoring.measures import Measure, mean_of, undefined
from app.domain.world.briefings import Stratum, stratum
from app.domain.world.events import Event, Fate, events_before

SELECTION = Probe(
    name="selection",
    version="1",
    false_hits=0.05,
    basis="a level: with drawn briefings the randomized p is uniform, so that p <= .05 in one of twenty",
)
ALPHA = 0.05
TIE = 1e-9


class UnknownEventError(ValueError):
    """A briefing names an event that was not in the list its author was given."""


@dataclass(frozen=True, slots=True)
class SelectionCount:
    """How far a briefing's facts lean to what came to dominate.

    ``share`` is that of dominant among the used events, ``expected`` its mean over draws from the same strata,
    ``excess`` the difference. ``p_value`` is the randomized one-sided p, ``seed`` what broke its ties. ``power`` is the
    chance that an author who takes dominant events wherever there are any is found at level .05. Facts without a
    number are counted.
    """

    used: int
    dominant: int
    unnumbered: int
    share: Measure
    expected: Measure
    excess: Measure
    p_value: float | None
    power: float | None
    seed: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Cell:
    """One stratum: events known, dominant among them, used."""

    known: int
    dominant: int
    used: int


def count_selection(
    known: Iterable[Event], used: Collection[str], *, start: date, seed: str | int, unnumbered: int = 0
) -> SelectionCount:
    """Compare the ids ``used`` with draws from the same strata of what was known before ``start``.

    Raises UnknownEventError for an id that was not known. Undefined without used events, or where the strata leave no
    choice between dominant and other events.
    """
    listed = {event.id: event for event in events_before(known, start)}
    strange = sorted(set(used) - listed.keys())
    if strange:
        raise UnknownEventError(f"used: {strange[0]} is not on record before {start}")
    cells = _cells(listed, set(used), start)
    dominant = sum(listed[name].fate is Fate.DOMINANT for name in set(used))
    return _counted(cells, dominant, unnumbered, str(seed))


def used_events(briefing: Briefing, known: Sequence[Event], start: date) -> tuple[tuple[str, ...], int]:
    """Ids of the events a model's briefing says it used, and how many of its facts carry no number.

    Numbers are those of ``numbered(events_before(known, start))``; a number outside the list raises UnknownEventError.
    """
    listed = events_before(known, start)
    items = [item for section in briefing.sections for item in section.items]
    numbers = [item.event for item in items if item.event is not None]
    for number in numbers:
        if not 1 <= number <= len(listed):
            raise UnknownEventError(f"event {number}: the author was given events 1 to {len(listed)}")
    used = dict.fromkeys(listed[number - 1].id for number in numbers)
    return tuple(used), len(items) - len(numbers)


def mean_excess(counts: Iterable[SelectionCount]) -> Measure:
    """Mean excess over briefings that have one."""
    return mean_of([each.excess.value for each in counts if each.excess.value is not None], "briefing with an excess")


def excess_beyond_prominence(on_real: Measure, on_fictional: Measure) -> Measure:
    """An author's mean excess on history less its own on invented worlds, where no outcome can be known."""
    if on_real.value is None:
        return undefined(f"no excess on history: {on_real.reason}")
    if on_fictional.value is None:
        return undefined(f"no excess on invented worlds: {on_fictional.reason}")
    return Measure(on_real.value - on_fictional.value, on_real.n + on_fictional.n)


def selection_power(
    known: Iterable[Event], used: Collection[str], *, start: date, odds: float = math.inf, alpha: float = ALPHA
) -> float:
    """Chance that p <= ``alpha`` for an author who favours dominant events by ``odds`` in each stratum of ``used``.

    Fisher's noncentral hypergeometric counts; infinite odds take as many dominant events as a stratum holds.
    """
    listed = {event.id: event for event in events_before(known, start)}
    return _power(_cells(listed, set(used), start), odds, alpha)


def _counted(cells: Sequence[_Cell], dominant: int, unnumbered: int, seed: str) -> SelectionCount:
    used = sum(cell.used for cell in cells)
    if not used:
        none = undefined("no fact carries the number of an event")
        return SelectionCount(0, 0, unnumbered, none, none, none, None, None, seed, none.reason)
    share = Measure(dominant / used, used)
    expected = Measure(sum(cell.used * cell.dominant / cell.known for cell in cells) / used, used)
    assert share.value is not None
    assert expected.value is not None
    excess = Measure(share.value - expected.value, used)
    chances = _distribution(cells, 1.0)
    if np.count_nonzero(chances > TIE) < 2:
        reason = "the strata leave no choice between dominant and other events"
        return SelectionCount(used, dominant, unnumbered, share, expected, excess, None, None, seed, reason)
    tie = random.Random(f"selection:{seed}").random()
    p_value = min(1.0, float(chances[dominant + 1 :].sum() + tie * chances[dominant]))
    power = _power(cells, math.inf, ALPHA)
    return SelectionCount(used, dominant, unnumbered, share, expected, excess, p_value, power, seed)


def _cells(listed: Mapping[str, Event], used: set[str], start: date) -> list[_Cell]:
    known: Counter[Stratum] = Counter()
    dominant: Counter[Stratum] = Counter()
    taken: Counter[Stratum] = Counter()
    for name, event in listed.items():
        key = stratum(event, start)
        known[key] += 1
        dominant[key] += event.fate is Fate.DOMINANT
        taken[key] += name in used
    return [_Cell(known[key], dominant[key], taken[key]) for key in sorted(taken) if taken[key]]


def _power(cells: Sequence[_Cell], odds: float, alpha: float) -> float:
    """Sum over counts x of their chance under ``odds`` times the chance that the randomized p of x is <= alpha."""
    null, under = _distribution(cells, 1.0), _distribution(cells, odds)
    above = np.append(np.cumsum(null[::-1])[::-1][1:], 0.0)
    rejected = np.clip((alpha - above) / np.maximum(null, 1e-300), 0.0, 1.0)
    return min(1.0, float(np.sum(under * rejected)))


def _distribution(cells: Sequence[_Cell], odds: float) -> Floats:
    """Chances (0 .. used) of the number of dominant events."""
    total: Floats = np.ones(1)
    for cell in cells:
        total = np.convolve(total, _of_cell(cell, odds))
    return total


@lru_cache(maxsize=4_096)
def _of_cell(cell: _Cell, odds: float) -> Floats:
    """Chances (0 .. used) of one stratum: (noncentral) hypergeometric; few strata differ, so they are kept."""
    counts = np.arange(cell.used + 1, dtype=np.float64)
    low, high = max(0, cell.used - (cell.known - cell.dominant)), min(cell.used, cell.dominant)
    possible = (counts >= low) & (counts <= high)
    if math.isinf(odds):
        return _unchanging(np.where(counts == high, 1.0, 0.0))
    inside = counts[possible]
    logs = _log_choose(cell.dominant, inside) + _log_choose(cell.known - cell.dominant, cell.used - inside)
    logs += inside * math.log(odds)
    weights = np.exp(logs - logs.max())
    chances: Floats = np.zeros(len(counts), dtype=np.float64)
    chances[possible] = weights / weights.sum()
    return _unchanging(chances)


def _unchanging(chances: Floats) -> Floats:
    chances.flags.writeable = False
    return chances


def _log_choose(n: int, k: Floats) -> Floats:
    chosen: Floats = np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1), dtype=np.float64)
    return chosen
