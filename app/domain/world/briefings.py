"""A seeded, stratified draw of dated facts from what was known before an era."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from app.domain.world.events import Event, NumberedEvent, events_before, numbered

DAYS_A_YEAR = 365.25


class Recency(StrEnum):
    """How long before an era an event lies, at the latest."""

    RECENT = "recent"
    MIDDLE = "middle"
    OLD = "old"


RECENT_YEARS = 2
MIDDLE_YEARS = 6
SHARES = {Recency.RECENT: 0.5, Recency.MIDDLE: 0.35, Recency.OLD: 0.15}
"""The share of drawn facts from each band of recency, where the record has enough of them."""

Stratum = tuple[str, Recency]
"""A domain and a band of recency."""


class NoKnownEventsError(ValueError):
    """There is nothing to draw from."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What facts of an era are drawn from: ``I_k`` in order of time, the same numbered, and each stratum.s places."""

    start: date
    known: tuple[Event, ...]
    facts: tuple[NumberedEvent, ...]
    strata: Mapping[Stratum, tuple[int, ...]]

    @property
    def domains(self) -> list[str]:
        """The domains on record, sorted."""
        return sorted({domain for domain, _ in self.strata})


@dataclass(frozen=True, slots=True)
class DrawnFacts:
    """Facts drawn for one era in order of time, and the ids of their events, which are for audits only."""

    facts: tuple[NumberedEvent, ...]
    used: tuple[str, ...]


def recency(event: Event, start: date) -> Recency:
    """The band of an event: recent up to 2 years before ``start``, middle up to 6, else old."""
    return _band(event.last_day, start)


@lru_cache(maxsize=65_536)
def _band(day: date, start: date) -> Recency:
    years = (start - day).days / DAYS_A_YEAR
    if years <= RECENT_YEARS:
        return Recency.RECENT
    return Recency.MIDDLE if years <= MIDDLE_YEARS else Recency.OLD


def stratum(event: Event, start: date) -> Stratum:
    """The stratum an event is drawn from, and compared within by the selection probe."""
    return event.domain, recency(event, start)


def pool_of(events: Iterable[Event], start: date) -> Pool:
    """The pool of an era that starts at ``start``. Raises NoKnownEventsError if nothing lies before it."""
    known = events_before(events, start)
    if not known:
        raise NoKnownEventsError(
            f"briefing: no event on record lies before {start}; let a model write it, or add events"
        )
    strata: dict[Stratum, list[int]] = defaultdict(list)
    for index, event in enumerate(known):
        strata[stratum(event, start)].append(index)
    return Pool(start, known, numbered(known), {key: tuple(strata[key]) for key in sorted(strata)})


def draw_facts(pool: Pool, *, facts: int, seed: str | int) -> DrawnFacts:
    """Draw ``facts`` events of a pool, stratified over domains and recency (protocol section 10).

    Every domain on record gets the same number of places, give or take one; of all places 50 % go to the last two
    years, 35 % to the two to six years before, 15 % to older events (largest remainders). Domains and bands are paired
    at random with these margins, then each stratum is drawn from without replacement. A stratum that is too small
    passes its places to the domain's other bands, most recent first, then to whatever is left. Fewer events than
    ``facts`` are all taken. The same pool, number and seed give the same facts. The numbers are those of
    ``numbered(pool.known)``.
    """
    draw = random.Random(str(seed))
    strata = _shuffled(pool.strata, draw)
    chosen = _take(strata, _places(pool.domains, facts, draw))
    if missing := min(facts, len(pool.known)) - len(chosen):
        rest = sorted(index for left in strata.values() for index in left)
        chosen.extend(draw.sample(rest, missing))
    order = sorted(chosen)
    return DrawnFacts(facts=tuple(pool.facts[i] for i in order), used=tuple(pool.known[i].id for i in order))


def _shuffled(strata: Mapping[Stratum, tuple[int, ...]], draw: random.Random) -> dict[Stratum, list[int]]:
    """Each stratum in random order."""
    shuffled = {key: list(positions) for key, positions in strata.items()}
    for positions in shuffled.values():
        _shuffle(positions, draw)
    return shuffled


def _shuffle(positions: list[int], draw: random.Random) -> None:
    """``random.shuffle`` to the number, without a call for each place: most of a draw is this."""
    drawn = draw.getrandbits
    for last in range(len(positions) - 1, 0, -1):
        bits = (last + 1).bit_length()
        place = drawn(bits)
        while place > last:
            place = drawn(bits)
        positions[last], positions[place] = positions[place], positions[last]


def _places(domains: Sequence[str], facts: int, draw: random.Random) -> Counter[Stratum]:
    """How many facts each stratum should give."""
    favoured = draw.sample(domains, facts % len(domains))
    by_domain = [*(list(domains) * (facts // len(domains))), *favoured]
    bands = list(_bands(facts))
    draw.shuffle(bands)
    return Counter(zip(by_domain, bands, strict=True))


@lru_cache(maxsize=64)
def _bands(facts: int) -> tuple[Recency, ...]:
    """The band of each of so many facts, by their shares."""
    return tuple(band for band, count in _largest_remainders(SHARES, facts).items() for _ in range(count))


def _largest_remainders(shares: Mapping[Recency, float], total: int) -> dict[Recency, int]:
    """Whole numbers that add up to ``total`` and follow ``shares``."""
    exact = {band: share * total for band, share in shares.items()}
    counts = {band: int(value) for band, value in exact.items()}
    by_remainder = sorted(exact, key=lambda band: counts[band] - exact[band])
    for band in by_remainder[: total - sum(counts.values())]:
        counts[band] += 1
    return counts


def _take(strata: dict[Stratum, list[int]], places: Counter[Stratum]) -> list[int]:
    """Fill the places from their own strata, then what is short from the same domain's other bands."""
    chosen: list[int] = []
    short: Counter[str] = Counter()
    for key in sorted(places):
        own = strata.get(key, [])
        given = min(places[key], len(own))
        chosen.extend(own.pop() for _ in range(given))
        short[key[0]] += places[key] - given
    for domain in sorted(domain for domain, places_left in short.items() if places_left):
        for band in SHARES:
            others = strata.get((domain, band), [])
            given = min(short[domain], len(others))
            chosen.extend(others.pop() for _ in range(given))
            short[domain] -= given
    return chosen
