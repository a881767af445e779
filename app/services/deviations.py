"""A study's deviations page: what went otherwise than designed, found from its rows and not from anybody's word."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from json import dumps
from uuid import UUID

from app.domain.engine.deviations import Deviation, DeviationKind, Facts, JudgingFact, RunFact, find_deviations
from app.domain.engine.judgings import JudgingPlan
from app.services.remembered import Remembered
from app.services.unit_of_work import Reading
from app.storage.facts import StudyFacts
from app.storage.overviews import StudySums
from app.storage.runs import RunRecord
from app.storage.studies import Study

FRESH = timedelta(minutes=1)
"""How long a running study's number is shown while nothing but progress is made."""

_COUNTED: Remembered[int] = Remembered(64)

HEADINGS = {
    DeviationKind.DESIGN: "Design changed",
    DeviationKind.RUN_MISSING: "Runs missing",
    DeviationKind.RUN_ADDED: "Runs added",
    DeviationKind.JUDGING_MISSING: "Judgings missing",
    DeviationKind.BY_HAND: "Steps written by hand",
    DeviationKind.SKIPPED: "Steps skipped",
    DeviationKind.REDACTED: "Documents taken out",
    DeviationKind.SETTING: "Settings changed",
    DeviationKind.TEMPLATE: "Prompts changed",
    DeviationKind.VERSION: "Models reporting another version",
    DeviationKind.RETRIED: "Steps retried by an operator",
    DeviationKind.CALL: "Calls repeated or lost",
}


@dataclass(frozen=True, slots=True)
class DeviationLine:
    """One deviation with the step it leads to, where it has one."""

    deviation: Deviation
    step_id: UUID | None


@dataclass(frozen=True, slots=True)
class DeviationGroup:
    """Deviations of one kind under their heading."""

    kind: DeviationKind
    heading: str
    lines: tuple[DeviationLine, ...]


def list_deviations(reading: Reading, study: Study) -> tuple[Deviation, ...]:
    """Every deviation of a study from its design."""
    store = StudyFacts(reading.session)
    runs = reading.runs.of_study(study.id)
    several = len({run.player for run in runs}) > 1
    facts = Facts(
        design_holds=_design_holds(reading, study),
        runs=[_fact(run, several=several) for run in runs],
        calls=store.calls(study.id),
        interventions=store.interventions(study.id),
        judgings=[_judging(run) for run in reading.runs.judgings(study.id)],
    )
    return find_deviations(study.design, facts)


def count_deviations(reading: Reading, study: Study, sums: StudySums) -> int:
    """How many there are; remembered while the study stands as it did."""
    state = _state(sums, reading.now), reading.studies.fingerprint(study.id)
    return _COUNTED.get(study.id, state, lambda: len(list_deviations(reading, study)))


def _state(sums: StudySums, now: datetime) -> object:
    """What the number follows from: all sums of a study that stands still.

    While it runs every step changes some, and all its calls would be read at every step: then what people do, calls
    that are lost and runs that end are seen at once, whatever else there is within ``FRESH``.
    """
    if not sums.running:
        return sums
    seen = (sums.runs, sums.paused, sums.finished, sums.interventions, sums.calls_lost, sums.stuck)
    return seen, now.timestamp() // FRESH.total_seconds()


def group_deviations(reading: Reading, study: Study) -> tuple[DeviationGroup, ...]:
    """The same by kind, with the steps they lead to."""
    found = list_deviations(reading, study)
    places = frozenset((one.run, one.step) for one in found if one.run and one.step)
    steps = StudyFacts(reading.session).step_ids(study.id, places) if places else {}
    return tuple(
        DeviationGroup(
            kind,
            HEADINGS[kind],
            tuple(
                DeviationLine(one, steps.get((one.run, one.step)) if one.run and one.step else None)
                for one in found
                if one.kind is kind
            ),
        )
        for kind in DeviationKind
        if any(one.kind is kind for one in found)
    )


def _design_holds(reading: Reading, study: Study) -> bool:
    stored, kept = reading.studies.exact_design(study.id)
    text = dumps(stored, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest() == kept


def _judging(run: RunRecord) -> JudgingFact:
    return JudgingFact(run.id, run.number, run.state, run.name, JudgingPlan.model_validate(run.plan))


def _fact(run: RunRecord, *, several: bool) -> RunFact:
    label = f"{run.name} · {run.player}" if several else run.name
    return RunFact(run.id, run.number, run.condition, run.replicate, run.player, run.state, label, run.schedule)
