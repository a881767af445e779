"""The frame of studies: every reviewed era decision of their runs, played here or imported."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from app.domain.engine.quotations import REDACTED
from app.domain.engine.state import RunState
from app.domain.protocol.eras import Era
from app.domain.protocol.rubrics import RubricId, rubric_of
from app.domain.rating.mask_terms import MaskKind, company_terms, plain_terms
from app.domain.rating.study_packets import era_packet, score_band, study_terms
from app.imports.published.runs import parse_published_run
from app.services.frame_items import SourceItem
from app.services.published_frames import published_items
from app.services.run_states import settled_state
from app.services.unit_of_work import Reading
from app.services.worlds import library_of
from app.storage.imports import ImportedRun, Imports
from app.storage.runs import RunRecord

STRATA = ("mode", "era", "condition", "family", "model", "score_band", "study")


def study_items(reading: Reading, study_ids: Sequence[UUID], rubric: RubricId, *, blind: bool) -> Iterator[SourceItem]:
    """Every reviewed era of the studies that this rubric judges. Raises NotFoundError for an unknown study."""
    for study_id in study_ids:
        reading.studies.get(study_id)
        kept = {one.run_id: one for one in Imports(reading.session).runs(study_id)}
        for run in reading.runs.of_study(study_id):
            state = settled_state(reading, run)
            touched = {one.era for one in reading.interventions.of_run(run.id)} if run.interventions else set()
            if run.id in kept:
                yield from _imported_items(run, state, kept[run.id], touched, rubric)
            else:
                yield from _played_items(run, state, touched, rubric, blind=blind)


def _played_items(
    run: RunRecord, state: RunState, touched: set[str | None], rubric: RubricId, *, blind: bool
) -> Iterator[SourceItem]:
    terms = study_terms(state, run.name)
    library = library_of(state.schedule)
    for era in state.schedule.eras:
        decision, review = state.decision(era.id), state.review(era.id)
        packet = era_packet(state, era, library, blind=blind) if rubric_of(era.mode) is rubric else None
        if packet is None or review is None or decision is None or decision.company_name == REDACTED:
            continue
        scores = {score.dimension: score.value for score in review.scores}
        yield SourceItem(
            **_named(run, state, era, scores), packet=packet, terms=terms, judge=scores, intervened=era.id in touched
        )


def _imported_items(
    run: RunRecord, state: RunState, kept: ImportedRun, touched: set[str | None], rubric: RubricId
) -> Iterator[SourceItem]:
    """The packets of the texts that came with a run; a run of scores alone has none."""
    if not any(path.startswith("eras/") for path in kept.texts):
        return
    files = {path: text.encode() for path, text in kept.texts.items()}
    eras = {era.id: era for era in state.schedule.eras}
    decisions = {era: found for era in eras if (found := state.imported_decision(era))}
    names = {one.company_name for one in decisions.values()} - {REDACTED}
    terms = (*company_terms(names), *plain_terms(MaskKind.RUN, {state.design.name}))
    for item in published_items(parse_published_run(files, run.name), rubric):
        era = item.strata["era"]
        review = state.imported_review(era)
        if review is None or era not in decisions or decisions[era].company_name == REDACTED:
            continue
        scores = {score.dimension: score.value for score in review.scores}
        yield SourceItem(
            **_named(run, state, eras[era], scores),
            packet=item.packet,
            terms=tuple(dict.fromkeys((*item.terms, *terms))),
            judge=scores,
            intervened=era in touched,
        )


def _named(run: RunRecord, state: RunState, era: Era, scores: dict[str, int]) -> dict[str, Any]:
    """What tells an item from others: its key, the run it belongs to, and its strata."""
    return {
        "key": f"{state.design.name}|{run.study_id}|{run.number:04d}|{era.id}",
        "unit": f"{state.design.name}, {run.name}, {run.player}",
        "strata": {
            "mode": str(era.mode),
            "era": era.id,
            "condition": run.condition,
            "family": state.run.player.family,
            "model": run.player,
            "score_band": score_band(scores),
            "study": state.design.name,
        },
    }
