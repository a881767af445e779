"""How often the company became another one from an era to the next."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.domain.scoring.measures import Measure, mean_of


@dataclass(frozen=True, slots=True)
class PivotCount:
    """Pivots among the K-1 transitions of a run, and their share."""

    pivots: int
    transitions: int
    rate: Measure


def normalized_name(company: str) -> str:
    """Fold a company name for comparison: compatibility forms, case, accents, punctuation and spacing do not count."""
    decomposed = unicodedata.normalize("NFKD", company).casefold()
    kept = (letter if letter.isalnum() else " " for letter in decomposed if not unicodedata.combining(letter))
    return " ".join("".join(kept).split())


def name_changed(before: str, after: str) -> bool:
    """Whether two company names differ once normalized."""
    return normalized_name(before) != normalized_name(after)


def count_adjoining_pivots(companies: Iterable[tuple[int, str]]) -> PivotCount:
    """Count transitions in which the normalized company name differs (the published rule).

    From (place in the schedule, company); only between adjoining eras: where one is left out there is no transition.
    """
    pairs = pairwise(sorted(companies))
    return count_coded_pivots([name_changed(a, b) for (before, a), (after, b) in pairs if after == before + 1])


def count_coded_pivots(changed: Sequence[bool]) -> PivotCount:
    """Count transitions coded blind as "the business changed": the sensitivity check beside the names."""
    return PivotCount(sum(changed), len(changed), mean_of([float(each) for each in changed], "transition"))
