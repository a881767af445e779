"""What a panel is made from: tables of items, rubrics of one's own, a run's folder in a ZIP file."""

import io
import zipfile

import pytest

from app.domain.rating.scales import ScaleKind
from app.imports.bundles import BundleError
from app.imports.item_tables import ItemTableError, read_items
from app.imports.rating_rubrics import EXAMPLE, RubricFileError, read_rubric
from app.imports.run_folders import read_run_folder


def test_a_csv_table_gives_texts_strata_names_and_consensus():
    table = (
        "key,run,text:Before,text,outcome:After,names,era,consensus:a,reason:a,judge:a\n"
        'k1,r1,"one, two",three,four,Acme; Bolt,E1,5,because,7\n'
        "k2,,,five,,,,,,\n"
    )
    one, two = read_items(table.encode(), "t.csv")
    assert one.texts == (("Before", "one, two", False), ("Text", "three", False), ("After", "four", True))
    assert (one.unit, one.names, one.strata) == ("r1", ("Acme", "Bolt"), {"era": "E1"})
    assert (one.consensus, one.reasons, one.judge) == ({"a": 5}, {"a": "because"}, {"a": 7})
    assert (two.unit, two.strata, two.consensus) == ("k2", {"era": "none"}, {})


def test_json_lines_may_hold_lists_and_numbers():
    lines = b'{"id": 1, "text": "x", "names": ["A", "B"], "unit": null}\n\n{"id": 2, "text": "y"}\n'
    one, two = read_items(lines, "t.jsonl")
    assert (one.key, one.names, one.unit) == ("1", ("A", "B"), "1")
    assert two.key == "2"
    (one,) = read_items('{"key": "k", "text": "before\u2028after\x85"}\r\n'.encode(), "t.jsonl")
    assert one.texts[0][1] == "before\u2028after\x85"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"", "no items"),
        ("t.csv", b"key,text\n,x", "line 2: no key"),
        ("t.csv", b"key,text,outcome\na,,x", "line 2: no text"),
        ("t.csv", b'key,text\na,"x\n\nx"\n\na,y', "line 6: the key a stands in line 2 too"),
        ("t.csv", b'key,text\na,"x\nx"\nb,x,y', "line 4: 3 cells where the header has 2"),
        ("t.csv", b'key,text\na,x\nb,"x\nc,x', "line 3: not a CSV table from here on"),
        ("t.csv", b"key,text,text\na,x,y", "line 1: two columns are named text"),
        ("t.csv", b"key,text\na,\xff", "line 2: not UTF-8"),
        ("t.csv", b",".join(b"c%d" % number for number in range(501)), "501 columns are more than 500"),
        ("t.csv", b"key,text,consensus:a\na,x,5.5", "column consensus:a: 5.5"),
        ("t.csv", b"key,text,consensus:a\na,x,--5", "column consensus:a: --5"),
        ("t.csv", b"key,text,judge:a\na,x," + b"9" * 5_000, "column judge:a: 9999"),
        ("t.jsonl", b"{", "line 1: not JSON"),
        ("t.jsonl", b"[" * 50_000, "line 1: not JSON"),
        ("t.jsonl", b'{"id": ' + b"9" * 5_000 + b"}", "line 1: not JSON"),
        ("t.jsonl", b'{"id": 1, "text": "x"}\n{"id": 2, "text": "\\ud800"}', "line 2, column text: half a character"),
        ("t.jsonl", b'{"id": 1, "\\udfff": "x"}', "line 1, column .: half a character"),
        ("t.jsonl", b"[1]", "line 1: not an object"),
        ("t.jsonl", b'{"id": 1, "text": "x"}\n\n{"id": 1, "text": "y"}', "line 3: the key 1 stands in line 1 too"),
    ],
)
def test_tables_that_cannot_be_read_name_the_line(name: str, content: bytes, words: str):
    with pytest.raises(ItemTableError, match=words):
        read_items(content, name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b"ke\0y,text,era\na\0,x\0,E\0"),
        ("t.jsonl", b'{"key\\u0000": "a\\u0000", "text": "x\\u0000", "era": "E\\u0000"}'),
    ],
)
def test_nul_is_left_out_of_every_part_of_a_table(name: str, content: bytes):
    (item,) = read_items(content, name)
    assert (item.key, item.texts[0][1], item.strata) == ("a", "x", {"era": "E"})


def test_tables_are_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.imports.item_tables.MOST_ROWS", 1)
    with pytest.raises(ItemTableError, match="split the table"):
        read_items(b"key,text\na,x\nb,y", "t.csv")
    monkeypatch.setattr("app.imports.item_tables.LARGEST", 2**20)
    with pytest.raises(ItemTableError, match="larger than 1 MB"):
        read_items(b"x" * (2**20 + 1), "t.csv")


def test_the_example_rubric_has_every_kind_of_scale():
    found = read_rubric(EXAMPLE)
    assert [one.scale.kind for one in found.dimensions] == list(
        map(ScaleKind, ("nominal", "binary", "likert", "numeric"))
    )
    assert found.dimensions[3].anchors[10] == "could be acted on tomorrow"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x =", "not TOML"),
        ("title = 'x'", "no dimensions"),
        ("dimensions = [1]", "dimension 1: write it"),
        ("[[dimensions]]\nid = 'a'\nname = 'A'\nkind = 'odd'", "dimension a: 'odd'"),
        ("[[dimensions]]\nid = 'a'\nname = 'A'\nkind = 'likert'", "needs labels"),
        ("[[dimensions]]\nid = 'A b'\nname = 'A'", "dimension A b: id"),
        ("[[dimensions]]\nid = 'a'\nname = 'A'\nanchors = 3", "dimension a"),
        ("a = " + "[" * 50_000, "not TOML"),
        ("a = " + "9" * 5_000, "not TOML"),
        ("[[dimensions]]\nid = 'a'\nname = 'A'\nto = 1_000_000_000_000", "whole numbers with 2 to 20 values"),
        ("[[dimensions]]\nid = 'a'\nname = 'A'\nfrom = 5\nto = 5", "whole numbers with 2 to 20 values"),
        ("[[dimensions]]\nid = 'a'\nname = 'A'\nto = inf", "dimension a"),
        ("[[dimensions]]\nid = 'a'\nname = 'A'\nanchors = {x = 'y'}", "dimension a"),
        ("title = ''\n[[dimensions]]\nid = 'a'\nname = 'A'", "rubric: title"),
    ],
)
def test_rubrics_that_cannot_be_read_name_the_dimension(text: str, words: str):
    with pytest.raises(RubricFileError, match=words):
        read_rubric(text)


def packed(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_a_runs_folder_is_found_inside_the_archive(monkeypatch: pytest.MonkeyPatch):
    deep = packed({"a/run-7/eras/E1/reveal.md": "x", "a/run-7/playbook.md": "y", "other.md": "z"})
    assert read_run_folder(deep, "r.zip") == ("run-7", {"eras/E1/reveal.md": b"x", "playbook.md": b"y"})
    assert read_run_folder(packed({"eras/E1/reveal.md": "x"}), "run-8.zip")[0] == "run-8"
    with pytest.raises(BundleError, match="no folder eras"):
        read_run_folder(packed({"x.md": ""}), "r.zip")
    with pytest.raises(BundleError, match="not a whole zip file"):
        read_run_folder(b"PK", "r.zip")
    monkeypatch.setattr("app.imports.run_folders.MOST_FILES", 1)
    with pytest.raises(BundleError, match="holds 2 files"):
        read_run_folder(packed({"eras/a": "", "eras/b": ""}), "r.zip")
    with pytest.raises(BundleError, match="leads outside"):
        read_run_folder(packed({"../eras/a": ""}), "r.zip")
    monkeypatch.setattr("app.imports.run_folders.LARGEST_WHOLE", 1000)
    with pytest.raises(BundleError, match="larger than 20 MB"):
        read_run_folder(b"x" * 1001, "r.zip")
