"""Exports of a study: every level as rows, streamed as CSV or JSON lines; what was redacted stays masked."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any
from uuid import UUID

from app.domain.engine.judgings import JudgingPlan, Purpose
from app.domain.ids import StepKey
from app.domain.protocol.rubrics import STANDARD_ANCHORS, RubricId
from app.domain.scoring.gaps import gap_of
from app.domain.scoring.scored_eras import ScoredEra
from app.domain.scoring.totals import controlled_total, mechanical_total
from app.exports.as_csv import csv_lines
from app.exports.as_json import json_lines
from app.exports.levels import DIMENSIONS, SHAPES, Level
from app.services.audit_rows import count_rows, finding_rows
from app.services.deviations import list_deviations
from app.services.interventions_list import author_names
from app.services.judged_runs import StudiedRun, changed_places, is_changed, studied_runs
from app.services.playbooks import run_dissents, run_lessons
from app.services.redacted_rows import RunMasks
from app.services.similarities import similarity_pairs
from app.services.unit_of_work import Reading, reading
from app.storage.archives import Archives
from app.storage.judgements import Judgements, Sat
from app.storage.runs import JUDGING, PLAY, RunRecord
from app.storage.studies import Study

Row = Mapping[str, Any]


class Form(StrEnum):
    """How rows are written."""

    CSV = "csv"
    JSONL = "jsonl"

    @property
    def media_type(self) -> str:
        """What the file is, for a browser."""
        return "text/csv; charset=utf-8" if self is Form.CSV else "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Offered:
    """A level as its page lists it: what a row is, and every column with its meaning."""

    name: Level
    row: str
    columns: tuple[tuple[str, str], ...]


def offered_levels() -> tuple[Offered, ...]:
    """Every level there is."""
    return tuple(
        Offered(
            level,
            shape.row,
            (*shape.columns.items(), *((name, f"{words} (JSON lines only)") for name, words in shape.long.items())),
        )
        for level, shape in SHAPES.items()
    )


def stream_level(study_id: UUID, level: Level, form: Form) -> Iterator[bytes]:
    """One level of a study as it was at one moment, a row at a time; opens a transaction of its own.

    The study must be there: a stream that has begun cannot say that it is not.
    """
    with reading(one_moment=True) as look:
        rows = level_rows(look, look.studies.get(study_id), level)
        yield from written(rows, level, form)


def written(rows: Iterator[Row], level: Level, form: Form) -> Iterator[bytes]:
    """Rows of a level as lines: CSV has the short columns, JSON lines have all."""
    shape = SHAPES[level]
    if form is Form.CSV:
        return csv_lines(tuple(shape.columns), rows)
    names = (*shape.columns, *shape.long)
    return json_lines({name: row.get(name) for name in names} for row in rows)


def level_rows(look: Reading, study: Study, level: Level) -> Iterator[Row]:
    """The rows of a level in the order of runs, then of time."""
    source = _Source(look, study)
    return ({"intervened": source.intervened(row), **row, "rehearsal": study.rehearsal} for row in _ROWS[level](source))


@dataclass(frozen=True)
class _Source:
    """What rows of all levels are made from: labels and keys in memory, the rest by cursors."""

    look: Reading
    study: Study
    _masks: dict[UUID, RunMasks] = field(default_factory=dict)

    @cached_property
    def every(self) -> Mapping[UUID, RunRecord]:
        """Runs and judgings."""
        return {run.id: run for run in self.look.runs.every(self.study.id)}

    @cached_property
    def runs(self) -> Mapping[UUID, RunRecord]:
        return {key: run for key, run in self.every.items() if run.kind == PLAY}

    @cached_property
    def steps(self) -> Mapping[UUID, StepKey]:
        return Archives(self.look.session).step_keys(self.study.id)

    @cached_property
    def touched(self) -> frozenset[tuple[UUID, str | None]]:
        """Run and era, None for the run as a whole, of every intervention that changed something."""
        return changed_places(self.look, self.every)

    def intervened(self, row: Row) -> bool:
        """Whether a row carries the mark: by its era, or its step's, and by its run; else by all that it tells of."""
        step, owners = row.get("step"), [row.get(name) for name in ("run_id", "judging_id")]
        era = row.get("era") or (str(step).partition("/")[0] if step else None)
        runs = [owner for owner in owners if owner]
        if era:
            return any(is_changed(self.touched, run, era) for run in runs)
        return any(not runs or run in runs for run, _ in self.touched)

    @cached_property
    def people(self) -> Mapping[UUID | None, str]:
        return author_names(self.look)

    def label(self, run: RunRecord) -> str:
        several = len(self.study.design.players) > 1 and run.kind == PLAY
        return f"{run.name} · {run.player}" if several else run.name

    def place(self, run_id: UUID) -> dict[str, Any]:
        return {"study": self.study.design.name, "run": self.label(self.every[run_id]), "run_id": run_id}

    def masks(self, run_id: UUID) -> RunMasks:
        if run_id not in self._masks:
            self._masks[run_id] = RunMasks.of(self.look, run_id)
        return self._masks[run_id]

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        return Archives(self.look.session).rows(table, self.study.id)


def _studies(source: _Source) -> Iterator[Row]:
    study, design = source.study, source.study.design
    kept, digest = source.look.studies.exact_design(study.id)
    yield {
        "study": design.name,
        "study_id": study.id,
        "design_sha256": digest,
        "preset": design.preset,
        "mapping": design.mapping,
        "briefings": design.briefings,
        "schedules": [schedule.id for schedule in design.schedules],
        "conditions": list(design.conditions),
        "repetitions": design.repetitions,
        "players": [player.model for player in design.players],
        "judge": design.judge.model,
        "author": design.author.model,
        "seed": design.seed,
        "launched_at": study.launched_at,
        "runs": len(source.runs),
        "design": kept,
    }


def _runs(source: _Source) -> Iterator[Row]:
    for run in source.runs.values():
        named = {name: getattr(run, name) for name in SHAPES[Level.RUNS].columns if hasattr(run, name)}
        yield {**named, **source.place(run.id), "schedule": source.study.design.schedule_of(run.schedule).id}


def _scores(source: _Source) -> Iterator[Row]:
    for record in source.runs.values():
        reviews = Judgements(source.look.session).reviews([record.id])
        pooled = {review.era: review.pooled_layer for review in reviews}
        for run in studied_runs(source.look, source.study.design, [record]):
            yield from (_score(source, run, era, pooled.get(era.era)) for era in run.judged.eras)


def _score(source: _Source, run: StudiedRun, era: ScoredEra, pooled_layer: str | None) -> Row:
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


def _judgements(source: _Source) -> Iterator[Row]:
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


def _sittings(source: _Source, judging: RunRecord, sat: Iterable[Sat], runs: Mapping[int, RunRecord]) -> Iterator[Row]:
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


def _judged(source: _Source, run: RunRecord, era_id: str, scores: Mapping[str, int]) -> Row:
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


def _steps(source: _Source) -> Iterator[Row]:
    for row in source.rows("steps"):
        yield {**row, **source.place(row["run_id"]), "step_id": row["id"], "step": row["key"]}


def _calls(source: _Source) -> Iterator[Row]:
    for row in source.rows("calls"):
        masked = source.masks(row["run_id"]).call(row)
        yield {
            **masked,
            **source.place(row["run_id"]),
            "call_id": row["id"],
            "step": source.steps[row["step_id"]],
            "request_sha256": row["request_hash"],
            "response_sha256": row["response_hash"],
        }


def _artifacts(source: _Source) -> Iterator[Row]:
    for row in source.rows("artifacts"):
        masks = source.masks(row["run_id"])
        writer = "person" if row["written_by"] else "model" if row["call_id"] else "code"
        yield {
            **masks.artifact(row),
            **source.place(row["run_id"]),
            "artifact_id": row["id"],
            "step": row["key"],
            "written_by": writer,
            "person": source.people.get(row["written_by"]) if row["written_by"] else None,
            "sha256": row["body_hash"],
            "redacted": row["id"] in masks.artifacts,
        }


def _lessons(source: _Source) -> Iterator[Row]:
    for run in source.runs.values():
        for lesson in run_lessons(source.look, source.study.design, run):
            yield {**source.place(run.id), **lesson}


def _dissents(source: _Source) -> Iterator[Row]:
    for run in source.runs.values():
        for dissent in run_dissents(source.look, source.study.design, run):
            yield {**source.place(run.id), **dissent}


def _interventions(source: _Source) -> Iterator[Row]:
    for row in source.rows("interventions"):
        yield {
            **source.masks(row["run_id"]).written_about(row),
            **source.place(row["run_id"]),
            "intervention_id": row["id"],
            "step": source.steps.get(row["step_id"]),
            "author": source.people.get(row["author_id"], "unknown"),
        }


def _deviations(source: _Source) -> Iterator[Row]:
    for one in list_deviations(source.look, source.study):
        yield {
            "study": source.study.design.name,
            "kind": one.kind,
            "run": one.label,
            "run_id": one.run,
            "step": one.step,
            "words": one.words,
        }


def _similarity(source: _Source) -> Iterator[Row]:
    for schedule in source.study.design.schedules:
        of_schedule = source.study.design.schedule_of
        runs = {str(key): run for key, run in source.runs.items() if of_schedule(run.schedule) == schedule}
        for pair in similarity_pairs(source.look, tuple(runs.values()), schedule):
            one, other = runs[pair.run], runs[pair.other]
            both = {
                **source.place(one.id),
                "schedule": schedule.id,
                "other_run": source.label(other),
                "other_run_id": other.id,
                "condition": one.condition,
                "other_condition": other.condition,
                "different_eras": pair.different_era.value,
            }
            for era, cosine in pair.same_era.items():
                marked = any(source.intervened({"run_id": run.id, "era": era}) for run in (one, other))
                yield {**both, "era": era, "similarity": cosine, "intervened": marked}


def _probes(source: _Source) -> Iterator[Row]:
    return ({**row, **source.place(row["run_id"])} for row in count_rows(source.look, source.study.id))


def _findings(source: _Source) -> Iterator[Row]:
    return ({**row, **source.place(row["run_id"])} for row in finding_rows(source.look, source.study.id))


def _ledger(source: _Source) -> Iterator[Row]:
    for row in source.rows("ledger"):
        yield {**row, **source.place(row["run_id"])}


_ROWS: Mapping[Level, Callable[[_Source], Iterator[Row]]] = {
    Level.STUDIES: _studies,
    Level.RUNS: _runs,
    Level.SCORES: _scores,
    Level.JUDGEMENTS: _judgements,
    Level.STEPS: _steps,
    Level.CALLS: _calls,
    Level.ARTIFACTS: _artifacts,
    Level.LESSONS: _lessons,
    Level.DISSENTS: _dissents,
    Level.INTERVENTIONS: _interventions,
    Level.DEVIATIONS: _deviations,
    Level.SIMILARITY: _similarity,
    Level.PROBES: _probes,
    Level.FINDINGS: _findings,
    Level.LEDGER: _ledger,
}
