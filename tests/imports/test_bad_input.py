"""Bad input by importer and fault: the message names the file, the line where there is one, and the mend."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import pytest

from app.imports import bundles, own_events, score_files
from app.imports.own_events import OwnEventsError, read_own_eras, read_own_events
from app.imports.published import uploads
from app.imports.published.uploads import read_upload, unpack_upload
from app.imports.scores import parse_scores
from app.services import studies
from app.services.studies import StudyFileError, decode_study_file, read_study_file
from tests.imports_published.records import REVEAL, SCORES, TABLE, a_run, zipped

EVENTS = "date,domain,event,source\n2026-03,ai,A maker sold a model.,S\n2026-04,ai,Another did.,S\n"
STUDY = """name = "Trial"
schedule = "history-short"
repetitions = 2
players = ["rehearsal/steady"]
judge = "rehearsal/strict"
author = "rehearsal/author"
"""
TWO_ERAS = (
    STUDY.replace('schedule = "history-short"\n', "")
    + """
[schedule]
id = "mine"
title = "Mine"
eras = [
  { id = "E1", start = "1990-01-01", end = "1996-01-01", mode = "training", title = "One" },
  { id = "E1", start = "1996-01-01", end = "2002-01-01", mode = "training", title = "Two" },
]
"""
)


def upload(content: bytes, name: str) -> object:
    return read_upload(unpack_upload(content, name), name)


def scores(content: bytes, name: str) -> object:
    return parse_scores(content, name)


def events(content: bytes, _: str) -> object:
    return read_own_events(content, domains={"ai"}, known=set(), today=date(2026, 11, 30))


def eras(content: bytes, _: str) -> object:
    return read_own_eras(content.decode())


def study(content: bytes, name: str) -> object:
    return read_study_file(decode_study_file(content, name), name)


def run(**changes: bytes) -> bytes:
    """A zip file of a small published run with other contents at some paths."""
    files = a_run()
    return zipped({**files, **{f"run-a/{path}": content for path, content in changes.items()}})


def edited(text: str, old: str, new: str) -> bytes:
    assert old in text
    return text.replace(old, new, 1).encode()


@dataclass(frozen=True)
class Case:
    """What is read by whom; every one of ``words`` stands in the refusal."""

    read: Callable[[bytes, str], object]
    name: str
    content: bytes
    words: tuple[str, ...]


MADE_AGAIN = "Make the zip file again"
WHOLE = "A subscore is a whole number from 0 to 10"
CASES = {
    "run: truncated zip": Case(upload, "r.zip", run()[:-40], ("r.zip: is not a whole zip file", MADE_AGAIN)),
    "run: no zip": Case(upload, "r.zip", b"hello", ("r.zip: is not a whole zip file", MADE_AGAIN)),
    "run: path traversal": Case(
        upload, "r.zip", zipped({"../eras/E1/reveal.md": b"x"}), ("r.zip: entry ../eras/E1/reveal.md", "Remove it")
    ),
    "run: wrong encoding": Case(
        upload, "r.zip", run(**{"playbook.md": b"# P\n- \xff\n"}), ("playbook.md, line 2: not UTF-8", "Save the file")
    ),
    "run: missing columns": Case(
        upload, "r.zip", run(**{"scores.csv": edited(SCORES, "timing,", "pace,")}),
        ("scores.csv, line 1: column missing: timing", "Add it to the header"),
    ),
    "run: duplicate eras": Case(
        upload, "r.zip", run(**{"scores.csv": edited(SCORES, "E2", "E1")}),
        ("scores.csv, line 3: era E1 of run-a is already on line 2", "Keep one line"),
    ),
    "run: scores of a table out of range": Case(
        upload, "r.zip", run(**{"scores.csv": edited(SCORES, "52,6,6", "52,6,16")}),
        ("scores.csv, line 3: timing is '16'", WHOLE),
    ),
    "run: scores of a reveal out of range": Case(
        upload, "r.zip", run(**{"eras/E1/reveal.md": edited(REVEAL, "Timing | 5", "Timing | 15")}),
        ("eras/E1/reveal.md, line 8: timing is 15", "a whole number from 0 to 10. Correct the score"),
    ),
    "run: scores of a sentence out of range": Case(
        upload, "r.zip", run(**{"eras/E1/reveal.md": b"# E1\n\nScores: frontier 7, timing -2, layer 5.\n"}),
        ("eras/E1/reveal.md, line 3: timing is -2", "Correct the score"),
    ),
    "run: total out of range": Case(
        upload, "r.zip", run(**{"eras/E1/reveal.md": edited(REVEAL, "**55/100**", "**155/100**")}),
        ("eras/E1/reveal.md, line 13: the total is 155", "from 0 to 100. Correct the score"),
    ),
    "table upload: wrong encoding": Case(
        upload, "t.csv", TABLE.encode("utf-16"), ("t.csv, line 1: the text is UTF-16", "Save the file as CSV in UTF-8")
    ),
    "table upload: duplicate eras": Case(
        upload, "t.csv", edited(TABLE, "E2", "E1"), ("t.csv, line 3: era E1 of run-b is already on line 2", "Keep one")
    ),
    "table: truncated": Case(
        scores, "s.csv", SCORES.encode()[:-12], ("s.csv, line 3: 4 cells", "Add the missing commas")
    ),
    "table: wrong encoding": Case(
        scores, "s.csv", edited(SCORES, "Press", "Press\xe9").decode().encode("latin-1"),
        ("s.csv, line 3: byte 0xe9 is not UTF-8", "Save the file as CSV in UTF-8"),
    ),
    "table: missing columns": Case(
        scores, "s.csv", edited(SCORES, "company,", "firm,"), ("s.csv, line 1: column missing: company", "Add it")
    ),
    "table: duplicate eras": Case(
        scores, "s.csv", edited(SCORES, "E2", "E1"), ("s.csv, line 3: era E1 of s is already on line 2", "Keep one")
    ),
    "table: scores out of range": Case(
        scores, "s.csv", edited(SCORES, "52,6,6", "52,6,-1"), ("s.csv, line 3: timing is '-1'", WHOLE)
    ),
    "events: wrong encoding": Case(
        events, "e.csv", EVENTS.encode().replace(b"Another", b"\xff"), ("line 3: byte 0xff", "Save the file")
    ),
    "events: missing columns": Case(
        events, "e.csv", edited(EVENTS, ",source", ",place"), ("line 1: column missing: source", "Add it to the header")
    ),
    "events: the same twice": Case(
        events, "e.csv", edited(EVENTS, "2026-04,ai,Another did.", "2026-03,ai,A maker sold a model."),
        ("line 3, event: repeats line 2", "Delete one"),
    ),
    "events: date out of range": Case(
        events, "e.csv", edited(EVENTS, "2026-04", "2099-04"), ("line 3, date: 2099-04 is not over", "Add the event")
    ),
    "eras: the same twice": Case(
        eras, "", b"2026-02-01, 2026-05-01\n2026-02-01, 2026-05-01\n", ("line 2: the start 2026-02-01 lies before",)
    ),
    "study: truncated": Case(
        study, "s.toml", STUDY.encode()[:-3], ("s.toml: it is not TOML", "line 6", "copy the whole file again")
    ),
    "study: wrong encoding": Case(
        study, "s.toml", STUDY.encode().replace(b"Trial", b"Tri\xe4l"), ("s.toml, line 1: byte 0xe4", "as UTF-8")
    ),
    "study: missing and unknown field": Case(
        study, "s.toml", edited(STUDY, "judge", "jury"),
        ("s.toml, judge: is missing; write it", "s.toml, line 5, jury: is no field here; take it out"),
    ),
    "study: out of range": Case(
        study, "s.toml", edited(STUDY, "= 2", "= 0"), ("s.toml, line 3, repetitions", "write 1 or more")
    ),
    "study: duplicate eras": Case(
        study, "s.toml", TWO_ERAS.encode(), ("s.toml, line 7, schedules", "schedule mine: era ids must differ")
    ),
    "study: unknown schedule": Case(
        study, "s.toml", edited(STUDY, "history-short", "history-tall"), ("s.toml", "history-tall")
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_named_with_file_line_and_mend(case: str):
    bad = CASES[case]
    with pytest.raises((ValueError, OwnEventsError, StudyFileError)) as refusal:
        bad.read(bad.content, bad.name)
    for words in bad.words:
        assert words in str(refusal.value), str(refusal.value)


@pytest.mark.parametrize(
    ("module", "limit", "read", "name", "content", "words"),
    [
        (uploads, "LARGEST_UPLOAD", upload, "r.zip", run(), "r.zip: is larger than 200 MB. Upload one run at a time"),
        (bundles, "LARGEST_UNPACKED", upload, "r.zip", run(), "r.zip: unpacks to more than"),
        (score_files, "LARGEST", scores, "s.csv", SCORES.encode(), "s.csv: the file is larger than 20 MB. Choose"),
        (own_events, "LARGEST_EVENTS", events, "e.csv", EVENTS.encode(), "the file is larger than 0 KB. Leave out"),
        (studies, "LARGEST_STUDY_FILE", study, "s.toml", STUDY.encode(), "s.toml: larger than 0 MB. Give a study file"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_read(
    module: object, limit: str, read: Callable, name: str, content: bytes, words: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, limit, 50)
    with pytest.raises((ValueError, StudyFileError), match=re.escape(words)):
        read(content, name)


def test_a_zip_bomb_is_refused_by_what_it_unpacks_to(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundles, "LARGEST_UNPACKED", 1_000_000)
    bomb = run(**{"eras/E1/notes.md": b"\0" * 5_000_000})
    assert len(bomb) < 20_000
    with pytest.raises(ValueError, match=r"r.zip: unpacks to more than 0 MB. Upload one run at a time"):
        upload(bomb, "r.zip")


def test_the_very_same_files_without_their_faults_are_read():
    assert upload(run(), "r.zip")
    assert scores(SCORES.encode(), "s.csv")
    assert upload(TABLE.encode(), "t.csv")
    assert events(EVENTS.encode(), "e.csv")
    assert study(STUDY.encode(), "s.toml")
