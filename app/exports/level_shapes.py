"""What an export level is: its rows, and columns with their meaning; and the columns that most levels share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.protocol.rubrics import AUDITOR_DIMENSIONS, RECORD_DIMENSIONS

DIMENSIONS = tuple(dict.fromkeys((*RECORD_DIMENSIONS, *AUDITOR_DIMENSIONS)))


def subscore_words(name: str) -> str:
    """What a subscore's column holds."""
    if name in RECORD_DIMENSIONS and name in AUDITOR_DIMENSIONS:
        return "subscore 0-10, in both rubrics (never compared across them)"
    judge = "The Record" if name in RECORD_DIMENSIONS else "The Auditor"
    return f"subscore 0-10 of {judge}; empty on the other rubric"


class Level(StrEnum):
    """What a row of an export is."""

    STUDIES = "studies"
    RUNS = "runs"
    SCORES = "scores"
    JUDGEMENTS = "judgements"
    STEPS = "steps"
    CALLS = "calls"
    ARTIFACTS = "artifacts"
    LESSONS = "lessons"
    DISSENTS = "dissents"
    INTERVENTIONS = "interventions"
    DEVIATIONS = "deviations"
    SIMILARITY = "similarity"
    PROBES = "probes"
    FINDINGS = "findings"
    LEDGER = "ledger"


@dataclass(frozen=True, slots=True)
class Shape:
    """One level: what a row is, its columns with their meaning, and those that only JSON lines have."""

    row: str
    columns: Mapping[str, str]
    long: Mapping[str, str] = field(default_factory=dict)


RUN = {
    "study": "name of the study",
    "run": "label of the run, unique in its study",
    "run_id": "id of the run",
}
INTERVENED = (
    "yes where a person changed something in the row's era, or in the run as a whole; where a row has no era, anywhere "
    "in what it tells of"
)
END = {
    "intervened": INTERVENED,
    "rehearsal": "yes where a rehearsal model took part: such rows show the software, not the behaviour of models",
}
UTC = "UTC, ISO 8601"
