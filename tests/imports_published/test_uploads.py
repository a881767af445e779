"""Uploads: one run, several runs with tables, one table; each read whole or refused by name."""

import pytest

from app.imports.bundles import BundleError
from app.imports.published import uploads
from app.imports.published.uploads import read_upload, unpack_upload
from app.imports.published.values import ProposalKind, PublishedRunError
from app.imports.score_files import ScoreFileError
from tests.imports_published.records import SCORES, TABLE, a_run, zipped


def read(files: dict[str, bytes], name: str = "published.zip", *, mend: bool = False):
    return read_upload(unpack_upload(zipped(files), name), name, mend=mend)


@pytest.mark.parametrize(
    ("around", "file", "name"),
    [
        ("run-a/", "published.zip", "run-a"),
        ("published/runs/run-a/", "x.zip", "run-a"),
        ("", "run-a.zip", "run-a"),
    ],
)
def test_a_run_is_named_after_its_folder_and_after_the_zip_file_where_it_has_none(around: str, file: str, name: str):
    inside = {path.removeprefix("run-a/"): content for path, content in a_run().items()}
    found = read({f"{around}{path}": content for path, content in inside.items()}, file)
    (run,) = found.runs
    assert run.run == name
    assert found.fingerprint == read(inside, "another.zip").fingerprint


def test_one_run_is_read_with_its_eras_and_proposals():
    (run,) = read(a_run(), "run-a.zip").runs
    assert [era.era for era in run.eras] == ["E1", "E2"]
    assert run.documents is not None
    assert {one.kind for one in run.proposals} >= {ProposalKind.INTERVENTION, ProposalKind.SAMPLING}


def test_a_folder_of_runs_and_a_table_give_every_run_and_its_exposure():
    files = {f"published/runs/{path}": content for path, content in a_run().items()}
    files |= {"published/all.csv": TABLE.encode(), "published/LICENSE": b"text", "published/README.md": b"# hello"}
    found = read(files)
    assert [run.run for run in found.runs] == ["run-a", "run-b"]
    exposed = [one for one in found.runs[1].proposals if one.kind is ProposalKind.EXPOSURE]
    assert "Harbour" in exposed[0].evidence[0]
    assert found.unread == ("LICENSE", "README.md")


def test_a_table_alone_is_read_and_a_table_without_runs_beside_others_is_not():
    (run,) = read_upload(unpack_upload(SCORES.encode(), "run-x-scores.csv"), "run-x-scores.csv").runs
    assert run.run == "run-x"
    assert run.documents is None
    found = read({"all.csv": TABLE.encode(), "other.csv": SCORES.encode()})
    assert found.unread == ("other.csv",)


def test_the_same_contents_have_one_fingerprint_whatever_their_order():
    files = a_run()
    again = dict(reversed(files.items()))
    assert read(files, "run-a.zip").fingerprint == read(again, "run-a.zip").fingerprint
    changed = {**files, "run-a/playbook.md": b"# Playbook\n"}
    assert read(files, "run-a.zip").fingerprint != read(changed, "run-a.zip").fingerprint


def test_tables_that_disagree_are_refused():
    other = TABLE.replace("60,7", "60,8")
    with pytest.raises(PublishedRunError, match=r"run-b E1 has other scores than in a\.csv"):
        read({"a.csv": TABLE.encode(), "b.csv": other.encode()})
    clash = TABLE.replace("run-b", "run-a")
    files = {f"runs/{path}": content for path, content in a_run().items()} | {
        "all.csv": clash.replace("7,5", "8,5").encode()
    }
    with pytest.raises(PublishedRunError, match=r"run-a/scores.csv: E1 has other scores"):
        read(files)


def test_scores_of_a_reveal_that_differ_are_listed():
    files = a_run()
    files["run-a/scores.csv"] = SCORES.replace("55,7,5", "55,7,6").encode()
    (run,) = read(files, "run-a.zip").runs
    assert any("subscores differ" in one.what for one in run.unparsed)
    assert len({(one.path, one.what) for one in run.unparsed}) == len(run.unparsed)


def test_two_runs_of_one_name_are_refused():
    files = {f"a/{path}": content for path, content in a_run().items()}
    files |= {f"b/{path}": content for path, content in a_run().items()}
    with pytest.raises(PublishedRunError, match="a run named run-a is in another folder too"):
        read(files)


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (zipped({"notes.txt": b"x"}), "notes.zip", "there is no run in it"),
        (zipped(a_run())[:200], "cut.zip", "is not a whole zip file"),
        (zipped({"../eras/E1/reveal.md": b"x"}), "evil.zip", "leads outside the folder"),
        (zipped({}), "empty.zip", "holds no file"),
        (b"run;era;mode", "semi.csv", "separated by semicolons"),
        (b"\xff\xfe", "wide.csv", "UTF-16"),
        (TABLE.replace("61,6", "61,66").encode(), "high.csv", "line 3: frontier_accuracy is '66'"),
        (TABLE.replace("E2", "E1").encode(), "twice.csv", "is already on line 2"),
        (TABLE.replace("company", "firm").encode(), "missing.csv", "column missing: company"),
        (zipped({**a_run(), "run-a/eras/E1/reveal.md": b"\xff"}), "run-a.zip", "line 1: not UTF-8 text"),
    ],
)
def test_bad_uploads_are_refused_with_what_to_mend(content: bytes, name: str, words: str):
    with pytest.raises((BundleError, PublishedRunError, ScoreFileError), match=words):
        read_upload(unpack_upload(content, name), name)


def test_uploads_beyond_the_limits_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(uploads, "LARGEST_TEXTS", 100)
    with pytest.raises(PublishedRunError, match="larger than 50 MB"):
        read(a_run(), "run-a.zip")
    monkeypatch.setattr(uploads, "MOST_RUNS", 0)
    with pytest.raises(PublishedRunError, match="At most 0 are read"):
        read(a_run(), "run-a.zip")
    monkeypatch.setattr(uploads, "LARGEST_UPLOAD", 10)
    with pytest.raises(BundleError, match="larger than 200 MB"):
        unpack_upload(b"x" * 11, "big.csv")
