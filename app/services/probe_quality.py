"""How often the probes err: measured on the library's planted texts and the dictionary's own cases, once a process."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from app.domain.audit.findings import ProbeCount
from app.domain.audit.planted import PlantedText, ProbeAccuracy, probe_accuracy, vocabulary_accuracy
from app.domain.audit.texts import TextField, text_fields
from app.domain.audit.vocabulary import VOCABULARY, find_late_words
from app.domain.protocol.eras import Era
from app.domain.scoring.measures import Measure
from app.domain.world.first_use import DatedTermCase
from app.library import reader
from app.library.planted import planted_texts
from app.services.probes import TEXT_PROBES, planted_count


@dataclass(frozen=True, slots=True)
class ProbeQuality:
    """A probe on planted and clean texts; ``cases`` are precision and recall on the dictionary's sentences, if any."""

    planted: ProbeAccuracy
    texts: int
    clean: int
    cases: tuple[Measure, Measure] | None


@lru_cache(maxsize=1)
def probe_qualities() -> Mapping[str, ProbeQuality]:
    """Precision and recall of every probe that marks text, by its name."""
    return {probe.name: _quality(probe.name) for probe in TEXT_PROBES}


def _quality(probe: str) -> ProbeQuality:
    texts = [text for text in planted_texts() if text.probe == probe]
    accuracy = probe_accuracy((_probed(text), text.leaks) for text in texts)
    cases = vocabulary_accuracy(reader.first_use_cases(), _find) if probe == VOCABULARY.name else None
    return ProbeQuality(accuracy, len(texts), sum(not text.leaks for text in texts), cases)


def _probed(text: PlantedText) -> ProbeCount:
    start = date.fromisoformat(text.start)
    told = (TextField("sections.0.items.0.text", text.briefing),)
    era = next((era for era in _eras() if era.start == start), None)
    return planted_count(text.probe, (TextField(text.path, text.text),), start, told, era)


def _eras() -> Iterator[Era]:
    return (era for schedule in reader.schedules() for era in schedule.eras)


def _find(case: DatedTermCase) -> ProbeCount:
    return find_late_words(text_fields(case.text), reader.first_use(), start=str(case.era_start))
