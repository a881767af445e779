"""Archives made before a migration come in anew: they verify, and their numbers are those of their own scores file."""

import csv
import io
import zipfile
from pathlib import Path

import pytest

from app.services.archives import import_archive, stream_archive
from app.services.era_pages import show_era
from app.services.results import Choice, show_results
from app.services.run_pages import show_run
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_runs
from tests.exports.conftest import database_url_in_use, stage

__all__ = ["database_url_in_use", "stage"]
OLD = sorted((Path(__file__).parent / "old_archives").glob("*.zip"))


@pytest.mark.services
@pytest.mark.usefixtures("stage")
@pytest.mark.parametrize("file", OLD, ids=[file.stem for file in OLD])
def test_an_archive_from_before_a_migration_comes_in_anew(file: Path):
    with unit_of_work() as work:
        done = import_archive(work, file)
    with reading() as look:
        [run] = look.runs.every(done.study_id)
        assert (run.kind, run.schedule) == ("play", "history-short")
        assert all(verdict.is_sound for verdict in verify_runs(look, str(done.study_id)))
        assert len(show_run(look, run.id).cards) == 3
        assert show_era(look, run.id, "E3").era.id == "E3"
        assert show_results(look, done.study_id, Choice()).lines
    with (
        zipfile.ZipFile(file) as archive,
        zipfile.ZipFile(io.BytesIO(b"".join(stream_archive(done.study_id)))) as again,
    ):
        then, now = scores(archive), scores(again)
    assert len(then) == 3
    assert [{name: row[name] for name in then[0]} for row in now] == then


def scores(archive: zipfile.ZipFile) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(archive.read("scores.csv").decode())))
