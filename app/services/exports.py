"""Exports of a study: every level as rows, streamed as CSV or JSON lines; what was redacted stays masked."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from app.exports.as_csv import csv_lines
from app.exports.as_json import json_lines
from app.exports.levels import SHAPES, Level
from app.services.audit_rows import count_rows, finding_rows
from app.services.deviations import list_deviations
from app.services.export_sources import ExportSource, Row
from app.services.judged_rows import judgement_rows, score_rows
from app.services.playbooks import run_dissents, run_lessons
from app.services.similarities import similarity_pairs
from app.services.unit_of_work import Reading, reading
from app.storage.studies import Study


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
        rows = level_rows(look, look.studies.get(study_id), level, long=form is not Form.CSV)
        yield from written(rows, level, form)


def written(rows: Iterator[Row], level: Level, form: Form) -> Iterator[bytes]:
    """Rows of a level as lines: CSV has the short columns, JSON lines have all."""
    shape = SHAPES[level]
    if form is Form.CSV:
        return csv_lines(tuple(shape.columns), rows)
    names = (*shape.columns, *shape.long)
    return json_lines({name: row.get(name) for name in names} for row in rows)


def level_rows(look: Reading, study: Study, level: Level, *, long: bool = True) -> Iterator[Row]:
    """The rows of a level in the order of runs, then of time; without ``long``, texts that no CSV has are left out."""
    source = ExportSource(look, study, long)
    return ({"intervened": source.intervened(row), **row, "rehearsal": study.rehearsal} for row in _ROWS[level](source))


def _studies(source: ExportSource) -> Iterator[Row]:
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


def _runs(source: ExportSource) -> Iterator[Row]:
    for run in source.runs.values():
        named = {name: getattr(run, name) for name in SHAPES[Level.RUNS].columns if hasattr(run, name)}
        yield {**named, **source.place(run.id), "schedule": source.study.design.schedule_of(run.schedule).id}


def _steps(source: ExportSource) -> Iterator[Row]:
    for row in source.rows("steps"):
        yield {**row, **source.place(row["run_id"]), "step_id": row["id"], "step": row["key"]}


def _calls(source: ExportSource) -> Iterator[Row]:
    for row in source.rows("calls"):
        shown = row if source.long else {**row, "request": "", "response": None}
        masked = source.masks(row["run_id"]).call(shown)
        yield {
            **masked,
            **source.place(row["run_id"]),
            "call_id": row["id"],
            "step": source.steps[row["step_id"]],
            "request_sha256": row["request_hash"],
            "response_sha256": row["response_hash"],
        }


def _artifacts(source: ExportSource) -> Iterator[Row]:
    for row in source.rows("artifacts"):
        masks = source.masks(row["run_id"])
        shown = masks.artifact(row) if source.long else {**row, "body": None}
        writer = "person" if row["written_by"] else "model" if row["call_id"] else "code"
        yield {
            **shown,
            **source.place(row["run_id"]),
            "artifact_id": row["id"],
            "step": row["key"],
            "written_by": writer,
            "person": source.people.get(row["written_by"]) if row["written_by"] else None,
            "sha256": row["body_hash"],
            "redacted": row["id"] in masks.artifacts,
        }


def _lessons(source: ExportSource) -> Iterator[Row]:
    for run in source.runs.values():
        for lesson in run_lessons(source.look, source.study.design, run):
            yield {**source.place(run.id), **lesson}


def _dissents(source: ExportSource) -> Iterator[Row]:
    for run in source.runs.values():
        for dissent in run_dissents(source.look, source.study.design, run):
            yield {**source.place(run.id), **dissent}


def _interventions(source: ExportSource) -> Iterator[Row]:
    for row in source.rows("interventions"):
        yield {
            **source.masks(row["run_id"]).written_about(row),
            **source.place(row["run_id"]),
            "intervention_id": row["id"],
            "step": source.steps.get(row["step_id"]),
            "author": source.people.get(row["author_id"], "unknown"),
        }


def _deviations(source: ExportSource) -> Iterator[Row]:
    for one in list_deviations(source.look, source.study):
        yield {
            "study": source.study.design.name,
            "kind": one.kind,
            "run": one.label,
            "run_id": one.run,
            "step": one.step,
            "words": one.words,
        }


def _similarity(source: ExportSource) -> Iterator[Row]:
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


def _probes(source: ExportSource) -> Iterator[Row]:
    return ({**row, **source.place(row["run_id"])} for row in count_rows(source.look, source.study.id))


def _findings(source: ExportSource) -> Iterator[Row]:
    return ({**row, **source.place(row["run_id"])} for row in finding_rows(source.look, source.study.id))


def _ledger(source: ExportSource) -> Iterator[Row]:
    for row in source.rows("ledger"):
        yield {**row, **source.place(row["run_id"])}


_ROWS: Mapping[Level, Callable[[ExportSource], Iterator[Row]]] = {
    Level.STUDIES: _studies,
    Level.RUNS: _runs,
    Level.SCORES: score_rows,
    Level.JUDGEMENTS: judgement_rows,
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
