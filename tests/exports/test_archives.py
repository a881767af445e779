import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from app.domain.engine.ledger import body_hash, event_hash
from app.exports.levels import Level
from app.imports.archive import ArchiveError, open_archive
from app.services.archives import import_archive
from app.services.era_pages import show_era
from app.services.errors import NotFoundError
from app.services.exports import level_rows
from app.services.interventions import pause_run
from app.services.marks import Wish
from app.services.named_studies import find_or_latest, find_study
from app.services.redactions import redact_artifact
from app.services.results import Choice, show_results
from app.services.run_pages import show_run
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_run, verify_runs
from app.storage.archives import shapes
from tests.exports.conftest import Elsewhere, Played, write
from tests.services.stage import Stage

pytestmark = pytest.mark.services

Change = Callable[[bytes], bytes]

TABLES = ("studies", "runs", "steps", "calls", "artifacts", "ledger", "interventions", "redactions")


def put(path: Path):
    with unit_of_work() as work:
        return import_archive(work, path)


def everything() -> dict[str, list]:
    """All rows, as text, of every table that an archive carries."""
    with reading() as look:
        return {
            name: sorted(look.session.execute(text(f"select {name}::text from {name}")).scalars()) for name in TABLES
        }


def changed(source: Path, target: Path, name: str, change: Change, *, relist: bool = False) -> Path:
    """A copy of an archive with one file changed; ``relist`` brings the manifest into line."""
    with zipfile.ZipFile(source) as old:
        files = {one: old.read(one) for one in old.namelist()}
    files[name] = change(files[name])
    if relist:
        manifest = json.loads(files["manifest.json"])
        for one in manifest["files"]:
            if one["name"] == name:
                one["bytes"] = len(files[name])
                one["sha256"] = hashlib.sha256(files[name]).hexdigest()
                if "rows" in one:
                    one["rows"] = files[name].count(b"\n")
        files["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for one, content in files.items():
            new.writestr(one, content)
    return target


def edit_row(number: int, **values: Any):
    def change(content: bytes) -> bytes:
        lines = content.splitlines(keepends=True)
        row = json.loads(lines[number]) | values
        lines[number] = json.dumps(row).encode() + b"\n"
        return b"".join(lines)

    return change


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


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("data/artifacts.jsonl", lambda content: content.replace(b"company_name", b"company_nome", 1), "was changed"),
        ("data/calls.jsonl", lambda content: content + b"{}\n", "longer than"),
        ("data/steps.jsonl", lambda content: content[:-20], "bytes and"),
        ("manifest.json", lambda content: content[:-20], "does not read as a manifest"),
        ("manifest.json", lambda content: content.replace(b'"version": 1', b'"version": 9'), "of version 9"),
        ("manifest.json", lambda content: content.replace(b"autolab-archive", b"other"), "the format is 'other'"),
        ("data/../../etc/passwd.jsonl", lambda _: b"{}\n", "would lead out"),
        ("/etc/passwd", lambda _: b"x", "would lead out"),
        ("extra.txt", lambda _: b"x", "does not list"),
    ],
)
def test_a_tampered_archive_is_refused_and_nothing_is_imported(
    archive: Path, tmp_path: Path, elsewhere: Elsewhere, name: str, change: Change, words: str
) -> None:
    with zipfile.ZipFile(archive) as whole:
        there = name in whole.namelist()
    source = archive if there else with_empty(archive, tmp_path / "with.zip", name)
    bad = changed(source, tmp_path / "bad.zip", name, change)
    with elsewhere():
        empty = everything()
        with pytest.raises(ArchiveError, match=words) as refused:
            put(bad)
        assert "Nothing was imported." in str(refused.value)
        assert everything() == empty


def with_empty(source: Path, target: Path, name: str) -> Path:
    target.write_bytes(source.read_bytes())
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr(name, b"")
    return target


@pytest.mark.parametrize(
    ("table", "values", "words"),
    [
        ("artifacts", {"body_hash": "0" * 64}, "does not verify"),
        ("calls", {"request": "another question"}, "the request of call .* was changed"),
        ("calls", {"tokens_out": 99_999}, "tokens_out of call"),
        ("calls", {"run_id": "00000000-0000-4000-8000-000000000000"}, "line 1: run_id names something"),
        ("calls", {"started_at": "2026-01-01T00:00:00"}, "line 1: started_at is no time"),
        ("calls", {"attempt": "1"}, "line 1: attempt is no whole number"),
        ("calls", {"attempt": None}, "line 1: attempt is empty"),
        ("calls", {"id": "x"}, "line 1: an id is no id"),
        ("calls", {"new": 1}, "line 1: new is unknown here"),
        ("calls", {"error": "a\0b"}, "line 1 holds NUL or half a character"),
        ("calls", {"error": "\ud800"}, "line 1 holds NUL or half a character"),
        ("calls", {"attempt": 2**40}, "the database refuses a row"),
        ("calls", {"attempt": 2**63}, "line 1: attempt is no whole number"),
        ("artifacts", {"body": {"kind": ["memo", {"\0": 1}]}}, "line 1 holds NUL or half a character"),
        ("artifacts", {"kind": "attack"}, "line 1: kind is not the body's"),
        ("artifacts", {"body": {"kind": "poem"}}, "line 1: body is no document"),
        ("runs", {"state": "flying"}, "the database refuses a row"),
        ("runs", {"tokens_in": 1}, "the run's tokens_in is 1"),
        ("ledger", {"kind": "run_finished"}, "was changed after it was written"),
        ("studies", {"design_hash": "0" * 64}, "not the one that manifest.json names"),
        ("studies", {"design": {}}, "does not read as a design"),
    ],
)
def test_a_changed_row_is_found_even_where_the_manifest_was_brought_into_line(
    archive: Path, tmp_path: Path, elsewhere: Elsewhere, table: str, values: dict, words: str
) -> None:
    bad = changed(archive, tmp_path / "bad.zip", f"data/{table}.jsonl", edit_row(0, **values), relist=True)
    with elsewhere():
        empty = everything()
        with pytest.raises(ArchiveError, match=words):
            put(bad)
        assert everything() == empty


@pytest.mark.parametrize(
    ("table", "repeated", "words"),
    [
        ("steps", {}, "data/steps.jsonl: line {last}: the same id as in line 1"),
        ("steps", {"id": "00000000-0000-4000-8000-000000000001"}, "line {last}: the same run_id and key as in line 1"),
        ("artifacts", {}, "data/artifacts.jsonl: line {last}: the same id as in line 1"),
    ],
)
def test_a_row_that_is_there_twice_is_named_by_both_lines(
    archive: Path, tmp_path: Path, elsewhere: Elsewhere, table: str, repeated: dict, words: str
) -> None:
    counted: list[int] = []

    def again(content: bytes) -> bytes:
        counted.append(content.count(b"\n") + 1)
        return content + json.dumps(json.loads(content.splitlines()[0]) | repeated).encode() + b"\n"

    bad = changed(archive, tmp_path / "bad.zip", f"data/{table}.jsonl", again, relist=True)
    with elsewhere():
        empty = everything()
        with pytest.raises(ArchiveError, match=words.format(last=counted[-1])):
            put(bad)
        assert everything() == empty


def test_a_reader_that_stops_in_the_middle_leaves_no_file_open(archive: Path) -> None:
    with archive.open("rb") as source:
        with open_archive(source, archive.name) as opened:
            rows = opened.rows("steps")
            assert next(rows)[0] == 1
        assert opened._zip.fp is None
        with pytest.raises(ValueError, match="closed file"):
            list(rows)


def test_a_score_out_of_range_in_an_archive_is_named_by_line_and_place(
    archive: Path, tmp_path: Path, elsewhere: Elsewhere
) -> None:
    counted: list[int] = []

    def raised(content: bytes) -> bytes:
        rows = [json.loads(line) for line in content.splitlines()]
        place = next(number for number, row in enumerate(rows) if row["kind"] == "record_review")
        rows[place]["body"]["scores"][1]["value"] = 11
        counted.append(place + 1)
        return edit_row(place, body=rows[place]["body"])(content)

    bad = changed(archive, tmp_path / "bad.zip", "data/artifacts.jsonl", raised, relist=True)
    with elsewhere(), pytest.raises(ArchiveError) as refused:
        put(bad)
    assert f"data/artifacts.jsonl: line {counted[-1]}: body is no document" in str(refused.value)
    assert "scores.1.value: Input should be less than or equal to 10" in str(refused.value)


def test_a_body_changed_together_with_its_hash_does_not_fit_the_ledger(
    archive: Path, tmp_path: Path, elsewhere: Elsewhere
) -> None:
    def forge(content: bytes) -> bytes:
        row = json.loads(content.splitlines()[-1])
        row["body"]["verdicts" if "verdicts" in row["body"] else "leaks"] = []
        return edit_row(-1, body=row["body"], body_hash=body_hash(row["body"]))(content)

    bad = changed(archive, tmp_path / "bad.zip", "data/artifacts.jsonl", forge, relist=True)
    with elsewhere(), pytest.raises(ArchiveError, match="hash or place of document"):
        put(bad)


def test_a_forged_event_breaks_the_chain_behind_it(archive: Path, tmp_path: Path, elsewhere: Elsewhere) -> None:
    def forge(content: bytes) -> bytes:
        row = json.loads(content.splitlines()[1])
        body = {**row["body"], "attempt": 7}
        digest = event_hash(row["seq"], row["kind"], datetime.fromisoformat(row["at"]), body, row["previous"])
        return edit_row(1, body=body, hash=digest)(content)

    bad = changed(archive, tmp_path / "bad.zip", "data/ledger.jsonl", forge, relist=True)
    with elsewhere(), pytest.raises(ArchiveError, match="does not verify"):
        put(bad)


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9, 0.999])
def test_a_truncated_archive_is_refused(archive: Path, tmp_path: Path, elsewhere: Elsewhere, kept: float) -> None:
    content = archive.read_bytes()
    short = tmp_path / "short.zip"
    short.write_bytes(content[: int(len(content) * kept)])
    with elsewhere(), pytest.raises(ArchiveError, match=r"short.zip: it is no zip file, or it was cut short"):
        put(short)


def test_damaged_bytes_are_refused(archive: Path, tmp_path: Path, elsewhere: Elsewhere) -> None:
    content = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as whole:
        at = whole.getinfo("data/calls.jsonl").header_offset + 200
    content[at : at + 50] = bytes(50)
    bad = tmp_path / "bad.zip"
    bad.write_bytes(content)
    with elsewhere(), pytest.raises(ArchiveError, match=r"data/calls.jsonl: .*(damaged|changed|longer|bytes and)"):
        put(bad)


def test_a_zip_bomb_is_not_unpacked(archive: Path, tmp_path: Path, elsewhere: Elsewhere) -> None:
    bad = changed(archive, tmp_path / "bad.zip", "data/calls.jsonl", lambda _: b" " * 60_000_000 + b"\n", relist=True)
    with elsewhere(), pytest.raises(ArchiveError, match=r"data/calls.jsonl: it would grow from"):
        put(bad)


def test_a_missing_file_is_named(tmp_path: Path, stage: Stage) -> None:
    with pytest.raises(ArchiveError, match=r"nowhere.zip: it cannot be read"):
        put(tmp_path / "nowhere.zip")


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


def test_a_command_of_its_own_archives_every_table_that_names_a_study():
    asks = "from app.storage.archives import shapes\nprint(*shapes())"
    alone = subprocess.run([sys.executable, "-c", asks], capture_output=True, check=True, text=True).stdout.split()

    assert set(alone) == set(shapes())
    assert {"imports", "imported_runs", "findings"} <= set(alone)
