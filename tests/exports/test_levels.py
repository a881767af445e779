import csv
import io
import json
from pathlib import Path
from uuid import UUID

import pytest

from app.domain.engine.quotations import REDACTED
from app.domain.protocol.rubrics import AUDITOR_DIMENSIONS
from app.exports.as_csv import cell, csv_lines, safe_text
from app.exports.as_json import json_line
from app.exports.levels import SHAPES, Level, dictionary
from app.imports.scores import read_scores
from app.services.exports import Form, stream_level
from app.services.interventions import annotate_exposure
from app.services.judged_runs import studied_runs
from app.services.marks import Wish
from app.services.redactions import redact_artifact
from app.services.unit_of_work import reading, unit_of_work
from tests.services.stage import Stage

DOCS = Path(__file__).parents[2] / "docs" / "exports.md"


def rows(study: UUID, level: Level) -> list[dict[str, str]]:
    text = b"".join(stream_level(study, level, Form.CSV)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def objects(study: UUID, level: Level) -> list[dict]:
    return [json.loads(line) for line in b"".join(stream_level(study, level, Form.JSONL)).splitlines()]


@pytest.mark.services
def test_every_level_has_its_columns_and_rows(stage: Stage) -> None:
    run = stage.launch()
    author = stage.user()
    with unit_of_work() as work:
        annotate_exposure(work, run, Wish(author, "it may have seen another run"), seen=[str(run)])
    stage.play(run)
    record = stage.run(run)
    study = record.study_id
    for level, shape in SHAPES.items():
        found, whole = rows(study, level), objects(study, level)
        assert len(found) == len(whole), level
        assert all(tuple(row) == tuple(shape.columns) for row in found), level
        assert all(tuple(row) == (*shape.columns, *shape.long) for row in whole), level
        assert all(row["rehearsal"] == "yes" for row in found), level
        assert all(row["intervened"] == "yes" for row in found), level  # exposure marks the run as a whole
        unfilled = [name for name in (*shape.columns, *shape.long) if all(row[name] is None for row in whole)]
        assert set(unfilled) <= UNFILLED.get(level, set()), level
    assert len(rows(study, Level.CALLS)) == record.calls_made
    assert len(rows(study, Level.STEPS)) == record.steps_done
    assert len(rows(study, Level.LEDGER)) == record.ledger_length
    assert objects(study, Level.LEDGER)[-1]["hash"] == record.ledger_head


UNFILLED = {
    Level.SCORES: {"total", *AUDITOR_DIMENSIONS} - {"layer_choice"},
    Level.JUDGEMENTS: {
        "guessed_condition",
        "guessed_model",
        "guessed_run",
        "judging",
        "judging_id",
        *AUDITOR_DIMENSIONS,
    }
    - {"layer_choice"},
    Level.STEPS: {"problem"},
    Level.CALLS: {"error", "tokens_cached", "tokens_cache_written", "tokens_reasoning", "searches"},
    Level.ARTIFACTS: {"person"},
    Level.INTERVENTIONS: {"era", "step", "judge_words", "before"},
    Level.DEVIATIONS: set(SHAPES[Level.DEVIATIONS].columns),  # a run as designed has no row here
    Level.SIMILARITY: set(SHAPES[Level.SIMILARITY].columns),  # nor has a single run
    Level.PROBES: {"numbers", *SHAPES[Level.PROBES].columns},  # nor one that was not audited yet
    Level.FINDINGS: {"decisions", *SHAPES[Level.FINDINGS].columns},
    Level.LESSONS: {"revises", "retires", "replaced_by", "retired_by"},
}


@pytest.mark.services
def test_the_scores_are_read_back_to_the_same_eras(stage: Stage, tmp_path: Path) -> None:
    run = stage.launch(name="=SUM(A1)")
    stage.play(run)
    study = stage.run(run).study_id
    file = tmp_path / "scores.csv"
    file.write_bytes(b"".join(stream_level(study, Level.SCORES, Form.CSV)))
    with reading() as look:
        (judged,) = studied_runs(look, look.studies.get(study).design, [look.runs.get(run)])
    assert read_scores(file).eras == judged.judged.eras
    assert rows(study, Level.SCORES)[0]["study"] == "'=SUM(A1)"
    assert objects(study, Level.SCORES)[0]["study"] == "=SUM(A1)"


@pytest.mark.services
def test_what_was_redacted_leaves_in_no_export(stage: Stage) -> None:
    run = stage.launch()
    stage.play(run)
    study = stage.run(run).study_id
    decision = next(row for row in objects(study, Level.ARTIFACTS) if row["step"] == "E1/decision")
    secret = decision["body"]["rationale"]
    texts = [json.dumps(objects(study, level), ensure_ascii=False) for level in (Level.CALLS, Level.ARTIFACTS)]
    assert all(secret in text for text in texts)
    author = stage.user()
    with unit_of_work() as work:
        redact_artifact(work, stage.step(run, "E1/decision").id, Wish(author, "a person's name stood in it"))
    for level in Level:
        assert secret not in json.dumps(objects(study, level), ensure_ascii=False)
    blank = next(row for row in objects(study, Level.ARTIFACTS) if row["step"] == "E1/decision")
    assert blank["body"]["rationale"] == REDACTED
    assert blank["redacted"] is True
    answer = next(row for row in objects(study, Level.CALLS) if row["step"] == "E1/decision")
    assert answer["response"] == REDACTED


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_no_text_begins_like_a_formula(start: str) -> None:
    assert safe_text(f"{start}1+1") == f"'{start}1+1"
    assert safe_text(f"1{start}") == f"1{start}"


def test_cells_are_plain() -> None:
    assert [cell(value) for value in (None, True, False, 3, -1.5)] == ["", "yes", "no", 3, -1.5]
    assert cell({"b": 1, "a": ("x",)}) == '{"a": ["x"], "b": 1}'
    assert cell(["=x"]) == '["=x"]'


def test_commas_quotes_and_line_ends_survive() -> None:
    values = {"a": 'x, "y"\nz', "b": None, "c": "left out"}
    text = b"".join(csv_lines(("a", "b"), [values])).decode()
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["a", "b"], ['x, "y"\nz', ""]]


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_line({"x": float("nan")})
    with pytest.raises(TypeError, match="object cannot be written"):
        json_line({"x": object()})


def test_the_documented_dictionary_is_that_of_the_code() -> None:
    assert dictionary() in DOCS.read_text(encoding="utf-8"), "write docs/exports.md anew from levels.dictionary()"
