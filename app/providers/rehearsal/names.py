"""Invented company names that sound plausible in any decade."""

from collections.abc import Collection

from app.providers.rehearsal.draws import Draws
from app.providers.rehearsal.phrases import sentences

TRIES = 20


def company_name(noun: str, used: Collection[str], draws: Draws) -> str:
    """A name that the company has not borne; ``noun`` says the trade, such as Metering."""
    name = noun
    for _ in range(TRIES):
        first, second = draws.one(sentences("names.first")), draws.one(sentences("names.second"))
        if first[-1] != second[0]:
            name = draws.one(sentences("names.forms")).format(root=first + second, noun=noun)
        if name not in used and name != noun:
            return name
    return f"New {name}"
