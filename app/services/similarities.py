"""How alike the decisions of a study's runs are: by condition for its results, pair by pair for its export."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from app.domain.engine.quotations import REDACTED
from app.domain.engine.redaction import masked_json
from app.domain.ids import RunId
from app.domain.protocol.artifacts import Decision
from app.domain.protocol.eras import Schedule
from app.domain.protocol.imported import ImportedDecision
from app.domain.scoring.similarity import (
    DecisionText,
    RunPair,
    SimilaritySummary,
    decision_text,
    pairs_of_runs,
    similarity_of_decisions,
    weights_of,
)
from app.services.judged_runs import StudiedRun
from app.services.unit_of_work import Reading
from app.storage.judgements import Judgements
from app.storage.runs import RunRecord

AnyDecision = Annotated[Decision | ImportedDecision, Field(discriminator="kind")]
_DECISION: TypeAdapter[Decision | ImportedDecision] = TypeAdapter(AnyDecision)
_TAKEN_OUT = REDACTED.strip("[]")
ALL = "all runs"


@dataclass(frozen=True, slots=True)
class SimilarityLine:
    """How alike decisions are among the runs of one condition, or of all."""

    name: str
    runs: int
    found: SimilaritySummary


def similarity_lines(look: Reading, studied: Sequence[StudiedRun], schedule: Schedule) -> tuple[SimilarityLine, ...]:
    """All runs of one schedule, then each condition where there are several; none for fewer than two runs.

    Decisions of the eras that these runs hold are compared: those that are left out for an intervention are not.
    """
    runs = [one.record for one in studied]
    if len(runs) < 2:
        return ()
    held = {(str(one.record.id), era) for one in studied for era in one.decided}
    decisions = [one for one in _texts(look, runs, schedule) if (one.run, one.era) in held]
    weights = weights_of(decisions)
    conditions: dict[str, set[str]] = {}
    for run in runs:
        conditions.setdefault(run.condition, set()).add(str(run.id))
    groups = {ALL: {str(run.id) for run in runs}, **(conditions if len(conditions) > 1 else {})}
    return tuple(
        SimilarityLine(name, len(among), similarity_of_decisions(decisions, weights, among))
        for name, among in groups.items()
    )


def similarity_pairs(look: Reading, runs: Sequence[RunRecord], schedule: Schedule) -> Iterator[RunPair]:
    """Every two runs of one schedule, named by their ids."""
    decisions = _texts(look, runs, schedule)
    return pairs_of_runs(decisions, weights_of(decisions))


def _texts(look: Reading, runs: Sequence[RunRecord], schedule: Schedule) -> list[DecisionText]:
    """The decisions in the order of runs and eras; one whose text was taken out is left out.

    Quotations of what was taken out are left out as well, as in an archive: the numbers are the same wherever it goes.
    """
    prints = {run.id: look.redactions.prints(run.id) for run in runs}
    bodies: Mapping[tuple[RunId, str], Any] = {
        (run, era): masked_json(body, prints[run]) if prints[run] else body
        for run, era, body in Judgements(look.session).decision_bodies([run.id for run in runs])
    }
    found = [
        DecisionText(str(run.id), era.id, _text(bodies[run.id, era.id]))
        for run in runs
        for era in schedule.eras
        if (run.id, era.id) in bodies
    ]
    return [decision for decision in found if decision.text]


def _text(body: Any) -> str:
    words = decision_text(_DECISION.validate_python(body)).split()
    return " ".join(word for word in words if word != _TAKEN_OUT)
