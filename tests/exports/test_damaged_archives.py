"""Archives that were damaged or tampered with: refused with the place, and nothing of them is kept."""

import json
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from app.domain.engine.ledger import body_hash, event_hash
from app.imports.archive import ArchiveError, open_archive
from tests.exports.archived import Change, changed, edit_row, everything, put
from tests.exports.conftest import Elsewhere
from tests.services.stage import Stage

pytestmark = pytest.mark.services


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
