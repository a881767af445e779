import json
import subprocess
import sys
import zipfile
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import text

from app.domain.protocol.conditions import Condition
from app.exports.levels import Level
from app.imports.archive import ArchiveError
from app.services.archives import import_archive, stream_archive
from app.services.era_pages import show_era
from app.services.errors import NotFoundError
from app.services.exports import Form, level_rows, stream_level
from app.services.interventions import pause_run
from app.services.marks import Wish
from app.services.named_studies import find_or_latest, find_study
from app.services.redactions import redact_artifact
from app.services.results import Choice, show_results
from app.services.run_pages import show_run
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_run, verify_runs
from app.storage.archives import shapes
from tests.exports.archived import everything, put
from tests.exports.conftest import Elsewhere, Played, write
from tests.services.stage import Stage

pytestmark = pytest.mark.services


def test_an_import_gives_the_same_rows_and_pages(played: Played, tmp_path: Path, elsewhere: Elsewhere) -> None:
    archive = write(played(), tmp_path / "study.zip")
    before = everything()
    with reading() as look:
        study = look.studies.newest(limit=1)[0]
        run = look.runs.of_study(study.id)[0]
        pages = (
            show_run(look, run.id).cards,
            list(level_rows(look, study, Level.SCORES)),
            show_results(look, study.id, Choice()).lines,
            show_era(look, run.id, "E1"),
        )
    with elsewhere():
        done = put(archive)
        assert (done.study_id, done.was_there, done.paused) == (study.id, False, 0)
        assert everything() == before
        with reading() as look:
            assert pages == (
                show_run(look, run.id).cards,
                list(level_rows(look, look.studies.get(study.id), Level.SCORES)),
                show_results(look, study.id, Choice()).lines,
                show_era(look, run.id, "E1"),
            )
            assert all(verdict.is_sound for verdict in verify_runs(look, str(study.id)))


def test_importing_twice_changes_nothing(archive: Path, elsewhere: Elsewhere) -> None:
    with elsewhere():
        put(archive)
        before = everything()
        assert put(archive).was_there
        assert everything() == before


def test_one_archive_is_taken_in_once_at_a_time(archive: Path, elsewhere: Elsewhere) -> None:
    with elsewhere():
        with unit_of_work() as first:
            import_archive(first, archive)
            with (
                pytest.raises(ArchiveError, match="another import of the same study"),
                unit_of_work() as one,
            ):
                import_archive(one, archive)
        with unit_of_work() as again:
            assert import_archive(again, archive).was_there


def test_into_its_own_instance_nothing_changes(played: Played, tmp_path: Path) -> None:
    archive = write(played(), tmp_path / "study.zip")
    before = everything()
    assert put(archive).was_there
    assert everything() == before


def test_a_study_that_went_on_since_is_not_overwritten(stage: Stage, tmp_path: Path) -> None:
    run = stage.launch()
    early = write(stage.run(run).study_id, tmp_path / "early.zip")
    stage.play(run)
    with pytest.raises(ArchiveError, match="is in this instance already, and run full r01 differs"):
        put(early)


def test_a_run_under_way_is_paused_where_it_arrives(stage: Stage, tmp_path: Path, elsewhere: Elsewhere) -> None:
    run = stage.launch()
    stage.perform(run, "E1/memo/frontier_research")
    early = write(stage.run(run).study_id, tmp_path / "early.zip")
    with elsewhere():
        assert put(early).paused == 1
        assert stage.run(run).state == "paused"
        assert put(early).was_there


def test_people_come_as_disabled_accounts(stage: Stage, tmp_path: Path, elsewhere: Elsewhere) -> None:
    run = stage.launch()
    author = stage.user()
    with unit_of_work() as work:
        pause_run(work, run, Wish(author, "lunch"))
    paused = write(stage.run(run).study_id, tmp_path / "paused.zip")
    with elsewhere():
        with unit_of_work() as work:
            work.session.execute(
                text(
                    "insert into users (id, name, role, created_at) values (gen_random_uuid(), :name, 'admin', now())"
                ),
                {"name": f"operator-{author}"},
            )
        put(paused)
        with reading() as look:
            person = next(user for user in look.users.all() if user.id == author)
            assert person.name == f"operator-{author} (archive {str(author)[:8]})"
            assert person.disabled_at is not None
            assert person.role == "auditor"


def test_a_study_is_found_by_id_beginning_or_name(played: Played) -> None:
    study = played(name="Spring trial")
    with reading() as look:
        for subject in (str(study), str(study)[:8], "Spring trial"):
            assert find_study(look, subject).id == study
        for subject in ("latest", str(study), str(study)[:8], "Spring trial"):
            assert find_or_latest(look, subject).id == study
            assert [verdict.is_sound for verdict in verify_runs(look, subject)]
        with pytest.raises(NotFoundError):
            find_study(look, "latest")  # what deletes asks for a study by itself
        for subject in ("Spring", str(study)[:3], str(UUID(int=7))):
            with pytest.raises(NotFoundError):
                find_study(look, subject)


def test_an_archive_says_what_it_is(archive: Path) -> None:
    with zipfile.ZipFile(archive) as whole:
        manifest = json.loads(whole.read("manifest.json"))
        readme = whole.read("README.md").decode()
        assert whole.testzip() is None
    assert manifest["rehearsal"] is True
    assert manifest["study"]["name"] == "Trial"
    assert "A rehearsal model took part" in readme
    assert "| `hindsight_leakage` |" in readme


FORGED = (
    "UPDATE calls SET request = replace(request, 'the', 'a') WHERE request LIKE '%[redacted]%'",
    """UPDATE artifacts SET body = jsonb_set(body, '{reveal}', '"It was [redacted]."') WHERE key = 'E1/review'""",
    """UPDATE artifacts SET body = jsonb_set(body, '{rationale}', '"[redacted], or not."') WHERE key = 'E1/decision'""",
)
"""What somebody might change in a masked copy, hoping that a mask excuses it."""


def test_a_redacted_text_leaves_in_no_archive(stage: Stage, tmp_path: Path, elsewhere: Elsewhere) -> None:
    run = stage.launch()
    stage.play(run)
    study = stage.run(run).study_id
    with reading() as look:
        secret = next(one for one in look.artifacts.of_run(run) if one.key == "E1/decision").artifact.rationale
    author = stage.user()
    with unit_of_work() as work:
        redact_artifact(work, stage.step(run, "E1/decision").id, Wish(author, "a person's name stood in it"))
    masked = write(study, tmp_path / "masked.zip")
    with zipfile.ZipFile(masked) as whole:
        assert not [name for name in whole.namelist() if secret in whole.read(name).decode()]
    with reading() as look:
        assert verify_runs(look, str(study))[0].notes == ()
        page = show_era(look, run, "E2")
    with elsewhere():
        put(masked)
        with reading() as look:
            verdict = verify_runs(look, str(study))[0]
            assert verdict.is_sound
            assert "masked because of a redaction, each to the letter as the redaction wrote it" in verdict.notes[0]
            assert show_era(look, run, "E2") == page
        found = []
        for change in FORGED:
            with unit_of_work() as work:
                work.session.execute(text(change))
                found.append(verify_run(work, work.runs.get(run)).problems[0])
                work.session.rollback()
        assert "the request of call" in found[0]
        assert "document E1/review was changed" in found[1]
        assert "document E1/decision was changed" in found[2]


def test_what_is_written_while_a_text_is_taken_out_is_whole_as_of_before(
    stage: Stage, tmp_path: Path, elsewhere: Elsewhere
) -> None:
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))
    stage.play(run)
    study = stage.run(run).study_id
    author = stage.user()
    archive = stream_archive(study)
    levels = {level: stream_level(study, level, Form.JSONL) for level in (Level.ARTIFACTS, Level.CALLS)}
    begun = [next(archive), *(next(lines) for lines in levels.values())]
    with unit_of_work() as work:
        redact_artifact(work, stage.step(run, "E1/decision").id, Wish(author, "a person's name stood in it"))
    (tmp_path / "whole.zip").write_bytes(begun[0] + b"".join(archive))
    for lines, first in zip(levels.values(), begun[1:], strict=True):
        assert b"[redacted]" not in first + b"".join(lines)
    with elsewhere():
        put(tmp_path / "whole.zip")
        with reading() as look:
            verdict = verify_runs(look, str(study))[0]
    assert verdict.is_sound
    assert verdict.notes == ()


def test_a_command_of_its_own_archives_every_table_that_names_a_study():
    asks = "from app.storage.archives import shapes\nprint(*shapes())"
    alone = subprocess.run([sys.executable, "-c", asks], capture_output=True, check=True, text=True).stdout.split()

    assert set(alone) == set(shapes())
    assert {"imports", "imported_runs", "findings"} <= set(alone)
