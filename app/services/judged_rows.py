"""Judged eras as rows for exports: the first judge's scores, and every judgement beside them."""

from collections.abc import Iterable, Iterator, Mapping

from app.domain.engine.judgings import JudgingPlan, Purpose
from app.domain.protocol.rubrics import STANDARD_ANCHORS, RubricId
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import controlled_total, mechanical_total
from app.exports.levels import DIMENSIONS
from app.services.export_sources import ExportSource, Row
from app.services.judged_runs import StudiedRun, studied_runs
from app.storage.judgements import Judgements, Sat
from app.storage.runs import JUDGING, RunRecord


def score_rows(source: ExportSource) -> Iterator[Row]:
    """A row for each judged era of each run."""
    for record in source.runs.values():
        reviews = Judgements(source.look.session).reviews([record.id])
        pooled = {review.era: review.pooled_layer for review in reviews}
        for run in studied_runs(source.look, source.study.design, [record]):
            yield from (_score(source, run, era, pooled.get(era.era)) for era in run.judged.eras)


def _score(source: ExportSource, run: StudiedRun, era: ScoredEra, pooled_layer: str | None) -> Row:
    record = era.rubric is RubricId.RECORD
    decided = run.decided.get(era.era)
    return {
        **source.place(run.record.id),
        "era": era.era,
        "mode": era.mode,
        "company": era.company,
        "total": era.typed_total,
        "subscore_sum_x2": round(mechanical_total(era)),
        "controlled_total": controlled_total(era).value if record else None,
        "gap": gap_of(era) if record else None,
        **{name: era.subscores.get(name) for name in DIMENSIONS},
        "intervened": era.intervened or run.judged.intervened,
        "layer": decided.layer if decided else None,
        "pooled_layer": pooled_layer,
        "layer_distance": run.judged.distances.get(era.era),
        "schedule": run.judged.schedule,
        "condition": run.record.condition,
        "replicate": run.record.replicate,
        "player": run.record.player,
    }


def judgement_rows(source: ExportSource) -> Iterator[Row]:
    """A row for each judgement of each decision, the first judge's before those of judgings."""
    store = Judgements(source.look.session)
    runs = {run.number: run for run in source.runs.values()}
    for run in runs.values():
        leaks = store.leak_counts([run.id])
        first = {"purpose": "first", "judge": source.study.design.judge.model, "anchors": STANDARD_ANCHORS}
        for one in store.reviews([run.id]):
            own = {
                "variant": "plain",
                "repetition": 0,
                "pooled_layer": one.pooled_layer,
                "leaks": leaks[run.id, one.era],
            }
            yield {**_judged(source, run, one.era, one.scores), **first, **own}
    for judging in source.every.values():
        if judging.kind == JUDGING:
            yield from _sittings(source, judging, store.sittings(judging.id), runs)


def _sittings(
    source: ExportSource, judging: RunRecord, sat: Iterable[Sat], runs: Mapping[int, RunRecord]
) -> Iterator[Row]:
    plan = JudgingPlan.model_validate(judging.plan)
    asked = {"purpose": plan.purpose, "judge": plan.judge.model, "anchors": plan.anchors}
    for one in sat:
        sitting = plan.sittings.get(one.key)
        if sitting is None or plan.purpose is Purpose.RECALL:  # a recall question is about no run
            continue
        is_guess = plan.purpose is Purpose.BLINDNESS
        yield {
            **_judged(source, runs[sitting.run], one.era, one.scores),
            **asked,
            "variant": sitting.variant,
            "repetition": sitting.repetition,
            "pooled_layer": one.pooled_layer,
            "leaks": None if is_guess else one.leaks,
            "guessed_condition": one.condition,
            "guessed_model": one.model,
            "guessed_run": one.run,
            "judging": judging.name,
            "judging_id": judging.id,
        }


def _judged(source: ExportSource, run: RunRecord, era_id: str, scores: Mapping[str, int]) -> Row:
    """What every judgement of a decision has; a guess has no scores."""
    schedule = source.study.design.schedule_of(run.schedule)
    mode = schedule.era(era_id).mode
    era = ScoredEra(run.name, era_id, 1, mode, "", scores, None) if scores else None
    return {
        **source.place(run.id),
        "era": era_id,
        "mode": mode,
        **scores,
        "subscore_sum_x2": round(mechanical_total(era)) if era else None,
        "controlled_total": controlled_total(era).value if era else None,
        "schedule": schedule.id,
        "condition": run.condition,
        "replicate": run.replicate,
        "player": run.player,
    }
