"""Numbers that an archive must not change: those of redacted texts, and those of published runs."""

from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import update
from sqlmodel import col

from app.domain.engine.quotations import REDACTED
from app.domain.protocol.conditions import Condition
from app.services.archives import import_archive
from app.services.check_plans import CheckForm, start_checks
from app.services.exports import Level, level_rows
from app.services.imports_published import confirm_import, preview_upload
from app.services.marks import Wish
from app.services.redactions import redact_artifact
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_runs
from app.storage.tables import CallRow
from tests.exports.conftest import Elsewhere, write
from tests.imports_published.records import a_run, zipped
from tests.services.stage import Stage

pytestmark = pytest.mark.services


def rows(study: UUID, level: Level) -> list[dict]:
    with reading() as look:
        return [dict(row) for row in level_rows(look, look.studies.get(study), level)]


def arrives(study: UUID, path: Path, elsewhere: Elsewhere, *levels: Level) -> None:
    """The archive comes in where nothing is, verifies, and gives the same rows."""
    archive = write(study, path)
    before = [rows(study, level) for level in levels]
    assert all(before)
    with elsewhere():
        with unit_of_work() as work:
            assert import_archive(work, archive).study_id == study
        with reading() as look:
            assert all(verdict.is_sound for verdict in verify_runs(look, str(study)))
        assert [rows(study, level) for level in levels] == before


def test_similarity_without_what_was_taken_out_is_the_same_elsewhere(
    stage: Stage, tmp_path: Path, elsewhere: Elsewhere
):
    first = stage.launch(conditions=(Condition.FULL,), repetitions=2)
    study = stage.run(first).study_id
    with reading() as look:
        runs = [run.id for run in look.runs.of_study(study)]
    for run in runs:
        stage.play(run)
    before = rows(study, Level.SIMILARITY)
    user = stage.user()
    for department in ("frontier_research", "product_engineering", "market_capital"):
        with unit_of_work() as work:
            step = stage.step(runs[0], f"E2/memo/{department}")
            redact_artifact(work, step.id, Wish(user, "it names a person"))
    assert rows(study, Level.SIMILARITY) != before
    arrives(study, tmp_path / "study.zip", elsewhere, Level.SIMILARITY, Level.SCORES)


def test_a_published_run_that_was_imported_goes_on_in_an_archive(stage: Stage, tmp_path: Path, elsewhere: Elsewhere):
    user = stage.user()
    with unit_of_work() as work:
        preview = preview_upload(work, zipped(a_run()), "run-a.zip", user, mend=False)
    with unit_of_work() as work:
        study = confirm_import(work, preview.draft_id, "Pilot", (), user)
    arrives(study, tmp_path / "study.zip", elsewhere, Level.SCORES, Level.ARTIFACTS)


def test_a_judging_begun_after_a_redaction_is_verified_to_the_letter_elsewhere(
    stage: Stage, tmp_path: Path, elsewhere: Elsewhere
):
    run = stage.launch(conditions=(Condition.FULL,))
    study = stage.run(run).study_id
    stage.play(run)
    user = stage.user()
    for key in ("E1/briefing", "E2/decision"):
        with unit_of_work() as work:
            redact_artifact(work, stage.step(run, key).id, Wish(user, "it names a person"))
    with unit_of_work() as work:
        (judging,) = start_checks(work, study, CheckForm(checks=("retest",), judge="rehearsal/strict"))
    stage.play(judging)
    archive = write(study, tmp_path / "study.zip")
    with elsewhere():
        with unit_of_work() as work:
            import_archive(work, archive)
        problems, notes = verified(judging)
        assert not problems
        assert not any("not checked" in note for note in notes)
        change_a_mask(judging)
        (problem,), _ = verified(judging)
        assert "the request of call" in problem


def verified(run: UUID) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Problems of a run, and its notes."""
    with reading(one_moment=True) as look:
        (verdict,) = verify_runs(look, str(run))
    return verdict.problems, verdict.notes


def change_a_mask(judging: UUID) -> None:
    """Write another word beside a mask, behind the software's back."""
    with unit_of_work() as work:
        call = [one for one in work.calls.exact(judging) if REDACTED in one.request][0]  # noqa: RUF015 - all are read
        changed = call.request.replace(REDACTED, f"{REDACTED} indeed", 1)
        work.session.execute(update(CallRow).where(col(CallRow.id) == call.id).values(request=changed))
