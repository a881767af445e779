"""Runs each probe on the planted texts, as the audit page does."""

from datetime import date
from functools import lru_cache

from app.domain.audit.dates import find_late_dates
from app.domain.audit.entities import LateName, find_late_names, late_names, late_terms
from app.domain.audit.findings import ProbeCount
from app.domain.audit.planted import PlantedText
from app.domain.audit.texts import TextField
from app.domain.audit.vocabulary import find_late_words
from app.domain.world.events import events_before, events_within
from app.library import reader
from app.library.planted import planted_texts


@lru_cache(maxsize=16)
def names_of(start: date) -> tuple[LateName, ...]:
    era = next(era for era in reader.schedule("history-1990-2040").eras if era.start == start)
    terms = late_terms(reader.first_use(), f"{start:%Y-%m}")
    known = events_before(reader.events(), start)
    return late_names(known, events_within(reader.events(), era.start, era.end), terms)


def probe(case: PlantedText) -> ProbeCount:
    start = date.fromisoformat(case.start)
    fields = (TextField(case.path, case.text),)
    briefing = (TextField("sections.0.items.0.text", case.briefing),)
    if case.probe == "vocabulary":
        return find_late_words(fields, reader.first_use(), start=f"{start:%Y-%m}", briefing=briefing)
    if case.probe == "dates":
        return find_late_dates(fields, start=start, briefing=briefing)
    return find_late_names(fields, names_of(start), known=briefing)


def cases_of(name: str) -> list[tuple[ProbeCount, tuple[str, ...]]]:
    return [(probe(case), case.leaks) for case in planted_texts() if case.probe == name]
