"""The frame of studies: every reviewed era decision of their runs."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from app.domain.protocol.rubrics import RubricId, rubric_of
from app.domain.rating.study_packets import era_packet, score_band, study_terms
from app.services.frame_items import SourceItem
from app.services.run_states import run_state
from app.services.unit_of_work import Reading
from app.services.worlds import library_of
from app.storage.runs import RunRecord

STRATA = ("mode", "era", "condition", "model", "score_band", "study")


def study_items(reading: Reading, study_ids: Sequence[UUID], rubric: RubricId, *, blind: bool) -> Iterator[SourceItem]:
    """Every reviewed era of the studies that this rubric judges. Raises NotFoundError for an unknown study."""
    for study_id in study_ids:
        reading.studies.get(study_id)
        for run in reading.runs.of_study(study_id):
            yield from _run_items(reading, run, rubric, blind=blind)


def _run_items(reading: Reading, run: RunRecord, rubric: RubricId, *, blind: bool) -> Iterator[SourceItem]:
    state = run_state(reading, run.id, run.study_id, run.number, run.steps_done)
    touched = {one.era for one in reading.interventions.of_run(run.id)} if run.interventions else set()
    terms = study_terms(state, run.name)
    for era in state.schedule.eras:
        review = state.review(era.id)
        packet = (
            era_packet(state, era, library_of(state.schedule), blind=blind) if rubric_of(era.mode) is rubric else None
        )
        if packet is None or review is None:
            continue
        scores = {score.dimension: score.value for score in review.scores}
        yield SourceItem(
            key=f"{state.design.name}|{run.study_id}|{run.number:04d}|{era.id}",
            unit=f"{state.design.name}, {run.name}, {run.player}",
            strata={
                "mode": str(era.mode),
                "era": era.id,
                "condition": run.condition,
                "model": run.player,
                "score_band": score_band(scores),
                "study": state.design.name,
            },
            packet=packet,
            terms=terms,
            judge=scores,
            intervened=era.id in touched,
        )
