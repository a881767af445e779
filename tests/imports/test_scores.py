"""Score tables: every published layout, and the refusals."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.protocol.eras import Mode
from app.imports.score_files import ScoreFileError
from app.imports.scores import Layout, parse_scores, read_scores
from app.imports.shifted_scores import ShiftedScoresError

SHARED = Path(__file__).parents[3] / "shared" / "published"
needs_published = [
    pytest.mark.shared,
    pytest.mark.skipif(not SHARED.is_dir(), reason="the published records are not at ../shared/published"),
]

WIDE_HEADER = (
    "era,mode,company,total,frontier_accuracy,timing,layer_choice,reinvention_courage,hindsight_leakage,"
    "playbook_consistency,plausibility,non_consensus,grounded"
)
WIDE = [
    WIDE_HEADER,
    "E1,training,Alder,62,7,6,5,7,6,,,,",
    "E2,training,Birch,66,7,7,6,7,6,,,,",
    "E7,live,Cedar,66,,,6,,,7,7,5,8",
]
SHIFTED = [*WIDE[:3], "E7,live,Cedar,66,,,,,7,7,5,6,8"]
LONG_HEADER = (
    "era,year,mode,company,total,judge,sub1_name,sub1,sub2_name,sub2,sub3_name,sub3,sub4_name,sub4,sub5_name,sub5"
)
LONG = [
    LONG_HEADER,
    (
        "E1,1990,training,Alder,55,The Record,frontier_accuracy,7,timing,5,layer_choice,4,reinvention_courage,6,"
        "hindsight_leakage_10_is_none,7"
    ),
    (
        "E7,2026,live,Cedar,56,The Auditor,playbook_consistency,8,plausibility,6,non_consensus,3,layer_choice,5,"
        "grounded_10_is_no_scifi,8"
    ),
]


def csv_of(lines: list[str], ending: str = "\n") -> bytes:
    return (ending.join(lines) + ending).encode()


def changed(lines: list[str], line: int, old: str, new: str) -> list[str]:
    """The lines with one cell text replaced; line counts from 1, as messages do."""
    assert old in lines[line - 1]
    return [text.replace(old, new, 1) if i == line else text for i, text in enumerate(lines, start=1)]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_wide_layout_is_read_with_either_line_end(ending: str):
    table = parse_scores(csv_of(WIDE, ending), "run-009-scores.csv")

    assert table.layout is Layout.WIDE
    assert [era.run for era in table.eras] == ["run-009"] * 3
    assert [era.index for era in table.eras] == [1, 2, 7]
    assert table.eras[2].subscores == {
        "playbook_consistency": 7,
        "plausibility": 7,
        "non_consensus": 5,
        "layer_choice": 6,
        "groundedness": 8,
    }
    assert table.notes == ()


def test_long_layout_is_read_under_its_own_names():
    table = parse_scores(csv_of(LONG), "scores.csv", run="first")

    assert table.layout is Layout.LONG
    assert table.eras[0].subscores["hindsight_leakage"] == 7
    assert table.eras[1].subscores["groundedness"] == 8
    assert table.eras[1].mode is Mode.LIVE
    assert {era.run for era in table.eras} == {"first"}


def test_a_byte_order_mark_and_blank_lines_do_not_matter():
    table = parse_scores(b"\xef\xbb\xbf" + csv_of([WIDE[0], "", *WIDE[1:], ",,,,,,,,,,,,"]), "x.csv")

    assert len(table.eras) == 3


def test_totals_may_be_missing_and_are_then_noted():
    table = parse_scores(csv_of(changed(WIDE, 2, "Alder,62", "Alder,")), "x.csv")

    assert table.eras[0].typed_total is None
    assert table.notes == ("1 of 3 eras have no typed total; mechanical totals stand in where a run lacks one.",)


def test_eras_without_a_number_stand_in_the_order_of_their_lines():
    lines = [line.replace("E2", "dawn").replace("E7", "noon") for line in WIDE]

    assert [era.index for era in parse_scores(csv_of(lines), "x.csv").eras] == [1, 2, 3]


def test_interventions_are_read_where_the_table_has_them():
    lines = [f"{line},{end}" for line, end in zip(WIDE, ("intervened", "yes", "", "no"), strict=True)]

    assert [era.intervened for era in parse_scores(csv_of(lines), "x.csv").eras] == [True, False, False]


def test_shifted_scores_are_refused_with_rows_and_columns():
    with pytest.raises(ShiftedScoresError) as refusal:
        parse_scores(csv_of(SHIFTED), "shifted.csv")

    message = str(refusal.value)
    assert "shifted.csv, lines 4" in message
    assert "E7" in message
    assert "playbook_consistency stands under hindsight_leakage" in message
    assert "layer_choice is empty" in message
    assert "--mend-shifted" in message


def test_shifted_scores_are_mended_by_choice_and_say_so():
    mended = parse_scores(csv_of(SHIFTED), "x.csv", mend=True)

    assert mended.eras == parse_scores(csv_of(WIDE), "x.csv").eras
    assert mended.notes == ("Mended by choice: four subscores moved one column to the right in E7 (line 4).",)


def test_choosing_to_mend_changes_nothing_that_is_right():
    assert parse_scores(csv_of(WIDE), "x.csv", mend=True) == parse_scores(csv_of(WIDE), "x.csv")


REFUSALS = {
    "latin-1": (csv_of(WIDE).replace(b"Birch", b"Birch\xe9"), "line 3", "0xe9 is not UTF-8", "Save the file"),
    "utf-16": ("\n".join(WIDE).encode("utf-16"), "line 1", "UTF-16", "Save the file"),
    "nul": (csv_of(WIDE).replace(b"Birch", b"\0"), "line 3", "NUL", "Choose a CSV file"),
    "empty": (b"", "x.csv", "empty", "Choose a score table"),
    "header only": (csv_of(WIDE[:1]), "line 1", "no era", "Add one line per era"),
    "semicolons": (csv_of(WIDE).replace(b",", b";"), "line 1", "semicolons", "commas"),
    "tabs": (csv_of(WIDE).replace(b",", b"\t"), "line 1", "tabs", "commas"),
    "no commas": (b"hello\nthere\n", "line 1", "column missing: era, mode, company", "Add it"),
    "quotes": (csv_of(changed(WIDE, 3, "Birch", '"Birch"x')), "line 3", "not CSV", "quotation marks"),
    "column missing": (csv_of(changed(WIDE, 1, "timing,", "pace,")), "line 1", "missing: timing", "training era"),
    "column twice": (csv_of(changed(WIDE, 1, "timing,", "total,")), "line 1", "total is there twice", "Keep one"),
    "cells missing": (csv_of(changed(WIDE, 3, "Birch,", "")), "line 3", "12 cells", "missing commas"),
    "mode": (csv_of(changed(WIDE, 3, "training", "trainnig")), "line 3", "mode 'trainnig'", "training, live"),
    "era empty": (csv_of(changed(WIDE, 3, "E2", "")), "line 3", "era is empty", "Give every line"),
    "era twice": (csv_of(changed(WIDE, 3, "E2", "E1")), "line 3", "already on line 2", "Keep one line"),
    "company": (csv_of(changed(WIDE, 3, "Birch", "")), "line 3", "company is empty", "pivots"),
    "score high": (csv_of(changed(WIDE, 3, "66,7,7", "66,7,11")), "line 3", "timing is '11'", "0 to 10"),
    "score negative": (csv_of(changed(WIDE, 3, "66,7,7", "66,7,-1")), "line 3", "timing is '-1'", "0 to 10"),
    "score half": (csv_of(changed(WIDE, 3, "66,7,7", "66,7,7.5")), "line 3", "timing is '7.5'", "whole number"),
    "total high": (csv_of(changed(WIDE, 3, "66", "166")), "line 3", "total is '166'", "0 to 100"),
    "total nan": (csv_of(changed(WIDE, 3, "66", "nan")), "line 3", "total is 'nan'", "0 to 100"),
    "total word": (csv_of(changed(WIDE, 3, "66", "high")), "line 3", "total is 'high'", "0 to 100"),
    "score missing": (csv_of(changed(WIDE, 3, "66,7,7", "66,7,")), "line 3", "timing is empty", "exactly"),
    "scores missing": (csv_of(changed(WIDE, 3, "66,7,7", "66,,")), "line 3", "timing are empty", "exactly"),
    "other rubric": (csv_of(changed(WIDE, 4, ",,6,,,7", "5,,6,,,7")), "line 4", "under frontier_accuracy", "exactly"),
    "long twice": (csv_of(changed(LONG, 2, ",timing", ",layer_choice")), "line 2", "scored twice", "five"),
    "long stranger": (csv_of(changed(LONG, 2, ",timing", ",pace")), "line 2", "pace does not belong", "exactly"),
    "long nameless": (csv_of(changed(LONG, 2, ",timing", ",")), "line 2", "without a name", "exactly"),
    "long empty": (csv_of(changed(LONG, 2, "timing,5", "timing,")), "line 2", "timing is empty", "0 to 10"),
    "long column": (csv_of(changed(LONG, 1, "sub5_name", "sub6_name")), "line 1", "missing: sub5_name", "five pairs"),
    "intervened": (csv_of([f"{line},maybe" for line in WIDE]).replace(b"grounded,maybe", b"grounded,intervened"),
                   "line 2", "intervened is 'maybe'", "yes or no"),
    "run empty": (csv_of([f"{line}," for line in WIDE]).replace(b"grounded,", b"grounded,run"),
                  "line 2", "run is empty", "Name the run"),
    "sum": (csv_of([f"{line},62" for line in WIDE]).replace(b"grounded,62", b"grounded,subscore_sum_x2"),
            "line 3", "subscore_sum_x2 is 62", "Correct"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_bad_input_names_file_line_and_mend(case: str):
    content, line, problem, mend = REFUSALS[case]

    with pytest.raises(ScoreFileError) as refusal:
        parse_scores(content, "x.csv")

    message = str(refusal.value)
    assert message.startswith("x.csv")
    assert line in message
    assert problem in message
    assert mend in message


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path):
    with pytest.raises(ScoreFileError, match="cannot be read"):
        read_scores(tmp_path / "absent.csv")


@given(st.binary(max_size=300))
def test_whatever_is_no_score_table_is_refused_by_name(content: bytes):
    with pytest.raises(ScoreFileError):
        parse_scores(content, "x.csv")


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 12), st.text(max_size=6)), max_size=3), st.booleans())
def test_whatever_stands_in_a_cell_is_read_or_refused_by_name(changes: list[tuple[int, int, str]], mend: bool):
    rows = [line.split(",") for line in WIDE]
    for row, column, text in changes:
        rows[row][column] = text
    content = csv_of([",".join(row) for row in rows])
    with contextlib.suppress(ScoreFileError):
        assert parse_scores(content, "x.csv", mend=mend).eras


def test_a_table_beyond_any_study_is_refused():
    with pytest.raises(ScoreFileError, match="larger than 20 MB"):
        parse_scores(b"x" * (20 * 2**20 + 1), "x.csv")


class TestPublished:
    pytestmark = needs_published

    @pytest.mark.parametrize(
        ("file", "run", "layout"),
        [
            ("results/scores.csv", "run-001", Layout.LONG),
            ("results/run-002-scores.csv", None, Layout.WIDE),
            ("results/run-003-scores.csv", None, Layout.WIDE),
            ("runs/run-003/scores.csv", "run-003", Layout.WIDE),
        ],
    )
    def test_run_tables_agree_with_the_unified_one(self, file: str, run: str | None, layout: Layout):
        unified = read_scores(SHARED / "all_runs_scores.csv")
        table = read_scores(SHARED / file, run=run)

        assert unified.layout is Layout.UNIFIED
        assert len(unified.eras) == 36
        assert table.layout is layout
        assert table.eras == tuple(era for era in unified.eras if era.run == table.eras[0].run)

    def test_the_shifted_table_is_refused_and_mends_to_the_right_one(self):
        shifted = SHARED / "results" / "run-002-scores.shifted.csv"

        with pytest.raises(ShiftedScoresError, match=r"lines 8, 9, 10.*E7, E8, E9"):
            read_scores(shifted)

        right = read_scores(SHARED / "results" / "run-002-scores.csv", run="run-002")
        assert read_scores(shifted, run="run-002", mend=True).eras == right.eras
