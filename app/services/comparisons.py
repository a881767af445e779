"""Two to four runs beside each other, era by era, and the words in which one document of theirs differs."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.differences import FieldPair, compare_documents
from app.domain.protocol.artifacts import Skipped
from app.domain.protocol.eras import Mode, Schedule
from app.domain.protocol.rubrics import rubric_of
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import EraTotals, totals_of
from app.services.judged_runs import StudiedRun, studied_runs
from app.services.run_pages import layer_name
from app.services.run_states import run_state
from app.services.unit_of_work import Reading
from app.storage.studies import Study

MOST = 4


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run with its study, which may be another than its neighbour's."""

    run: StudiedRun
    study: Study

    @property
    def schedule(self) -> Schedule:
        """The eras that it lives through."""
        return self.study.design.schedule_of(self.run.record.schedule)


@dataclass(frozen=True, slots=True)
class ComparedEra:
    """What one run did in an era; empty where it has no such era or did not come so far."""

    company: str = ""
    identity: str = ""
    layer: str = ""
    distance: str = ""
    mode: Mode | None = None
    scored: ScoredEra | None = None
    totals: EraTotals | None = None


@dataclass(frozen=True, slots=True)
class EraRow:
    """One era of all runs; ``comparable`` is False where their scores come from different rubrics or modes."""

    era: str
    cells: tuple[ComparedEra, ...]
    dimensions: tuple[str, ...]
    comparable: bool


@dataclass(frozen=True, slots=True)
class DocumentPair:
    """A document of the first run beside the same step's document of another."""

    label: str
    fields: tuple[FieldPair, ...]
    same: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything the Compare page says; fewer than two runs ask for a choice."""

    runs: tuple[ComparedRun, ...]
    rows: tuple[EraRow, ...]
    era: str
    steps: tuple[str, ...]
    step: str
    pairs: tuple[DocumentPair, ...]
    left_out: int

    @property
    def rehearsal(self) -> bool:
        """Whether any of the runs is a rehearsal model's."""
        return any(one.study.rehearsal for one in self.runs)


def show_comparison(reading: Reading, run_ids: Sequence[UUID], *, era_id: str = "", step: str = "") -> Comparison:
    """Up to four runs, in the order asked for. Raises NotFoundError for a run there is not."""
    wanted = list(dict.fromkeys(run_ids))
    runs = tuple(_compared(reading, run_id) for run_id in wanted[:MOST])
    eras = list(dict.fromkeys(era.id for one in runs for era in one.schedule.eras))
    era = era_id if era_id in eras else ""
    rows = tuple(_row(runs, each) for each in eras if not era or each == era)
    bodies = [_bodies(reading, one, era) for one in runs] if era and len(runs) > 1 else []
    steps = tuple(key for key in bodies[0] if any(key in other for other in bodies[1:])) if bodies else ()
    chosen = step if step in steps else next((key for key in steps if key.endswith(("decision", "board"))), "")
    pairs = _pairs(runs, bodies, chosen) if chosen else ()
    return Comparison(runs, rows, era, steps, chosen, pairs, max(0, len(wanted) - MOST))


def _compared(reading: Reading, run_id: UUID) -> ComparedRun:
    record = reading.runs.get(run_id)
    study = reading.studies.get(record.study_id)
    return ComparedRun(studied_runs(reading, study.design, [record])[0], study)


def _row(runs: Sequence[ComparedRun], era: str) -> EraRow:
    cells = tuple(_cell(one, era) for one in runs)
    modes = {cell.mode for cell in cells if cell.scored}
    rubrics = {rubric_of(mode) for mode in modes if mode}
    scored = next((cell.scored for cell in cells if cell.scored), None)
    comparable = len(rubrics) <= 1 and (len(modes) <= 1 or not any(mode and mode.has_outcome for mode in modes))
    return EraRow(era, cells, tuple(scored.subscores) if scored and comparable else (), comparable)


def _cell(one: ComparedRun, era: str) -> ComparedEra:
    known = {each.id: each.mode for each in one.schedule.eras}
    decided = one.run.decided.get(era)
    scored = next((each for each in one.run.judged.eras if each.era == era), None)
    distance = one.run.judged.distances.get(era)
    return ComparedEra(
        company=decided.company if decided else "",
        identity=decided.identity if decided else "",
        layer=layer_name(decided.layer, one.schedule) if decided and decided.layer else "",
        distance=str(distance) if distance else "",
        mode=known.get(era),
        scored=scored,
        totals=totals_of(scored) if scored else None,
    )


def _bodies(reading: Reading, one: ComparedRun, era: str) -> dict[str, dict[str, object]]:
    record = one.run.record
    state = run_state(reading, record.id, record.study_id, record.number, record.steps_done)
    return {
        step.key: artifact.model_dump(mode="json")
        for step in state.plan
        if step.era == era and (artifact := state.artifacts.get(step.key)) and not isinstance(artifact, Skipped)
    }


def _pairs(
    runs: Sequence[ComparedRun], bodies: Sequence[dict[str, dict[str, object]]], step: str
) -> tuple[DocumentPair, ...]:
    first = bodies[0][step]
    found = []
    for one, body in zip(runs[1:], bodies[1:], strict=True):
        if step in body:
            fields = compare_documents(first, body[step])
            found.append(DocumentPair(one.run.label, fields, not any(each.differs for each in fields)))
    return tuple(found)
