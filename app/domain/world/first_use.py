"""Dated terms: words with the year of their first recorded public use in a given sense."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DatedTerm:
    """One row of the first-use dictionary.

    ``pattern`` is a regular expression to be compiled without regard to case; ``first_use`` is YYYY or YYYY-MM;
    ``common_from`` the year from which the term was in common trade use; an ``ambiguous`` term has an older innocent
    sense, so a person decides its matches.
    """

    term: str
    pattern: str
    kind: str
    first_use: str
    sense: str
    common_from: int
    source: str
    ambiguous: bool
    confidence: str


@dataclass(frozen=True, slots=True)
class DatedTermCase:
    """A sentence with the terms that a probe should find late in it for an era that starts in ``era_start``."""

    text: str
    era_start: int
    expected_terms: tuple[str, ...]
