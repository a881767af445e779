"""How good a probe is: precision and recall on texts with leaks planted in them, and on clean ones."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.domain.audit.findings import ProbeCount
from app.domain.scoring.measures import Measure, undefined
from app.domain.world.first_use import DatedTermCase


@dataclass(frozen=True, slots=True)
class PlantedText:
    """One text for one probe: ``leaks`` are the exact quotes it should hit, none for a clean text.

    ``start`` is YYYY-MM-DD, ``path`` where in a document it stands, ``briefing`` what the company had been told.
    """

    probe: str
    start: str
    path: str
    text: str
    briefing: str
    leaks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProbeAccuracy:
    """Hits right, hits wrong and leaks missed; review items are counted beside them.

    ``false_hits`` is per 1,000 words of clean text.
    """

    right: int
    wrong: int
    missed: int
    reviewed: int
    precision: Measure
    recall: Measure
    false_hits: Measure


def probe_accuracy(cases: Iterable[tuple[ProbeCount, tuple[str, ...]]]) -> ProbeAccuracy:
    """Accuracy over pairs of what a probe found and the quotes it should have hit.

    A hit is right if its quote and a leak overlap in words (one holds the other). Two hits on one leak count once.
    """
    right = wrong = missed = reviewed = clean_words = clean_hits = 0
    for count, leaks in cases:
        quotes = [hit.quote for hit in count.hits]
        found = {leak for leak in leaks if any(_same(leak, quote) for quote in quotes)}
        false = sum(not any(_same(leak, quote) for leak in leaks) for quote in quotes)
        right, wrong, missed = right + len(found), wrong + false, missed + len(leaks) - len(found)
        reviewed += len(count.reviews)
        if not leaks:
            clean_words, clean_hits = clean_words + count.words, clean_hits + len(quotes)
    return ProbeAccuracy(
        right,
        wrong,
        missed,
        reviewed,
        _share(right, right + wrong, "there is no hit"),
        _share(right, right + missed, "there is no planted leak"),
        _share(1000 * clean_hits, clean_words, "there is no clean text"),
    )


def vocabulary_accuracy(
    cases: Iterable[DatedTermCase], find: Callable[[DatedTermCase], ProbeCount]
) -> tuple[Measure, Measure]:
    """Precision and recall by term on the dictionary's own cases: each term counts once a sentence."""
    right = found = expected = 0
    for case in cases:
        terms = {hit.about for hit in find(case).hits}
        right += len(terms & set(case.expected_terms))
        found += len(terms)
        expected += len(case.expected_terms)
    return _share(right, found, "there is no hit"), _share(right, expected, "no term is expected")


def _same(leak: str, quote: str) -> bool:
    return leak.lower() in quote.lower() or quote.lower() in leak.lower()


def _share(part: int, whole: int, reason: str) -> Measure:
    return Measure(part / whole, whole) if whole else undefined(reason)
