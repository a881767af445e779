"""Ratings files: long or wide, found out and said; bad ones named by line with a way to mend them."""

from pathlib import Path

import numpy as np
import pytest

from app.imports.ratings import RatingsError, RatingsFile, read_ratings

LONG = """item,rater,dimension,value,run
1,A,depth,3,r1
1,B,depth,4,r1
2,A,depth,5,r2
2,B,depth,,r2
1,A,candor,7,r1
"""


def read(folder: Path, text: str | bytes, **options: object) -> RatingsFile:
    path = folder / "ratings.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_ratings(path, **options)  # type: ignore[arg-type]


def test_a_long_file_is_told_by_its_columns(tmp_path: Path):
    found = read(tmp_path, LONG, cluster="run")
    assert found.layout == "long"
    assert found.raters == ("A", "B")
    assert list(found.dimensions) == ["depth", "candor"]
    depth = found.dimensions["depth"]
    assert depth.items == ("1", "2")
    assert np.array_equal(depth.values, [[3, 4], [5, np.nan]], equal_nan=True)
    assert depth.clusters == ("r1", "r2")
    assert found.dimensions["candor"].items == ("1",)
    assert found.said == ["Read as long (one rating per line), columns separated by commas."]


def test_a_cluster_column_not_asked_for_is_pointed_at(tmp_path: Path):
    found = read(tmp_path, LONG)
    assert found.dimensions["depth"].clusters is None
    assert any("add --cluster run" in word for word in found.said)


def test_the_panels_own_columns_are_understood(tmp_path: Path):
    text = (
        "panel_hash,item,rater pseudonym,occasion,position,dimension,value,confidence,skip reason,active_ms,wall_ms,"
        "rubric version,submitted_at,inclusion_probability\n"
        "h,1,Rater A,2,20,depth,5,3,,1,1,1,t,0.5\nh,1,Rater A,1,2,depth,4,3,,1,1,1,t,0.5\n"
        "h,1,Rater B,1,1,depth,6,3,,1,1,1,t,0.5\nh,2,Rater A,1,3,depth,,3,cannot judge,1,1,1,t,0.25\n"
        "h,2,Rater B,1,,depth,6,3,,1,1,1,t,0.25\nh,1,Rater B,2,15,depth,7,3,,1,1,1,t,0.5\n"
        "h,1,Rater B,3,16,depth,8,3,,1,1,1,t,0.5\n"
    )
    depth = read(tmp_path, text).dimensions["depth"]
    assert np.array_equal(depth.values, [[4, 6], [np.nan, 6]], equal_nan=True)
    assert np.array_equal(depth.repeats, [[5, 7], [np.nan, np.nan]], equal_nan=True)
    assert np.array_equal(depth.positions, [[2, 1], [3, np.nan]], equal_nan=True)
    assert list(depth.weights) == [2, 4]


@pytest.mark.parametrize(
    ("text", "raters"),
    [
        ("item,A,B\n1,3,4\n2,5,\n", ("A", "B")),
        (",A,B\n1,3,4\n2,5,NA\n", ("A", "B")),
        ("item;A;B\n1;3;4\n\n2;5;\n", ("A", "B")),
        ("item\tA\tB\r\n1\t3\t4\r\n2\t5\t\r\n", ("A", "B")),
        ("essay,A,B\nfirst,3,4\nsecond,5,\n", ("A", "B")),
        ("A,B\n3,4\n5,\n", ("A", "B")),
        ("3,4\n5,\n", ("rater 1", "rater 2")),
        (",0,1\na,3,4\nb,5,\n", ("0", "1")),
        ("item,run,A,B,notes\n1,x,3,4,fine\n2,x,5,,\n", ("A", "B")),
        ("item,A,B\n1,3,4,,\n2,5,\n", ("A", "B")),
    ],
)
def test_a_wide_file_is_read_however_it_is_written(tmp_path: Path, text: str, raters: tuple[str, ...]):
    found = read(tmp_path, text)
    assert found.layout == "wide"
    assert found.raters == raters
    assert found.question is None
    assert np.array_equal(found.dimensions["value"].values, [[3, 4], [5, np.nan]], equal_nan=True)


def test_utf_16_from_a_spreadsheet_is_read(tmp_path: Path):
    assert read(tmp_path, "item,Zoë,B\n1,3,4\n".encode("utf-16")).raters == ("Zoë", "B")


def test_numbered_lines_are_items_and_not_a_rater(tmp_path: Path):
    rows = "".join(f"{number},{number % 3},{number % 4}\n" for number in range(1, 8))
    found = read(tmp_path, "subject no,A,B\n" + rows)
    assert found.raters == ("A", "B")
    assert any("'subject no' is taken as the name of the item" in word for word in found.said)
    ranked = read(tmp_path, "coder 1,coder 2,coder 3\n" + rows)
    assert len(ranked.raters) == 3
    few = read(tmp_path, "X,A,B\n1,2,2\n2,1,1\n")
    assert few.raters == ("X", "A", "B")


def test_a_wide_file_with_dimensions_has_items_in_each(tmp_path: Path):
    found = read(tmp_path, "item,dimension,A,B,weight\n1,depth,3,4,2\n1,candor,5,6,2\n")
    assert list(found.dimensions) == ["depth", "candor"]
    assert list(found.dimensions["depth"].weights) == [2]


def test_a_decimal_comma_throughout_is_fine(tmp_path: Path):
    found = read(tmp_path, "item;A;B\n1;3,5;4\n2;5;2,5\n")
    assert found.dimensions["value"].values.tolist() == [[3.5, 4], [5, 2.5]]


def test_words_become_categories(tmp_path: Path):
    found = read(tmp_path, "item,A,B\n1,yes,no\n2,no,no\n3,,yes\n")
    assert found.names == ("no", "yes")
    assert not found.numeric
    assert np.array_equal(found.dimensions["value"].values, [[1, 0], [0, 0], [np.nan, 1]], equal_nan=True)


@pytest.mark.parametrize(
    "text",
    [
        "rater,1,2,3\nX,3,4,5\nY,4,5,6\n",
        "item,d1,d2,d3\nRater A,3,4,5\nRater B,4,5,6\n",
        "\n".join(",".join("12345678") for _ in range(3)),
        "item,rater,value\n" + "".join(f"X,{number},3\nY,{number},4\n" for number in range(9)),
    ],
)
def test_a_table_on_its_side_is_asked_about(tmp_path: Path, text: str):
    assert "Are the rows raters" in str(read(tmp_path, text).question)


def test_many_raters_named_as_such_are_not_asked_about(tmp_path: Path):
    header = ",".join(f"rater {number}" for number in range(12))
    assert read(tmp_path, f"item,{header}\n1,{','.join('3' * 12)}\n").question is None


def test_a_turned_table_has_raters_in_columns(tmp_path: Path):
    found = read(tmp_path, "rater,1,2,3\nX,3,4,5\nY,4,5,6\n").turned()
    assert found.raters == ("X", "Y")
    assert found.dimensions["value"].items == ("1", "2", "3")
    assert found.dimensions["value"].values.tolist() == [[3, 4], [4, 5], [5, 6]]
    assert found.question is None


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "the file is empty"),
        ("  \n\n", None, "the file is empty"),
        ("item,A,B\n", None, "not one rating below the header"),
        ("item,A,B\n1,,\n", None, "not one rating below the header"),
        ("item\n1\n", 1, "only one column"),
        ("item,A\n1,3\n", 1, "fewer than two columns hold ratings"),
        ("item,A,A\n1,3,4\n", 1, "two columns are called 'A'"),
        ("item,A,B\n1,3,4\n2,3\n", 3, "2 cells where the header has 3"),
        ("item,A,B\n1,3,5,4\n", 2, "a decimal comma must stand in quotation marks"),
        ("item;A;B\n1;3;5;4\n", 2, "4 cells where the header has 3"),
        ("item;A;B\n1;3,5;4\n2;3.5;4\n", 3, "'3.5' and '3,5' (line 2) use different decimal signs"),
        ("item;A;B\n1;3.5;4\n2;3,5;4\n", 3, "write all numbers with a point, or all with a comma"),
        ("item,A,B\n1,3,4\n2,three,4\n", 3, "'three' is not a number, other ratings are"),
        ("item,A,B\n1,3,1e999\n", 2, "'1e999' is too large"),
        ("item,A,B\n1,3,4\n1,5,6\n", 3, "item 1 stands here a second time (first in line 2)"),
        ("item,A,B\n,3,4\n", 2, "no item is named"),
        ("item,rater,value\n1,A,3\n1,B,4\n1,A,5\n", 4, "A rates item 1 a second time (first in line 2)"),
        ("item,rater,value\n1,A,3\n1,A,3\n", 3, "number them in a column 'occasion'"),
        ("item,rater,value,occasion\n1,A,3,1\n1,A,3,1\n", 3, "a second time"),
        ("item,rater,value,occasion\n1,A,3,first\n", 2, "'first' is no number for occasion"),
        ("rater,value\nA,3\n", 1, "no column names the items"),
        ("item,rater,value\n1,,3\n", 2, "no rater is named"),
        ('item,A,B\n1,"3,4\n', 2, "this is not CSV"),
        (b"item,A,B\n1,3,4\n\xff\xfe1,3,4\n", 3, "not UTF-8"),
        ("item,A,B\n1,3,\0\n", 2, "zero byte"),
        ("item,A,B,weight\n1,3,4,-1\n", 2, "no weight or inclusion probability"),
        ("item,A,B,inclusion_probability\n1,3,4,1.5\n", 2, "between 0 and 1"),
    ],
)
def test_a_bad_file_is_named_by_line_and_mend(tmp_path: Path, text: str | bytes, line: int | None, words: str):
    with pytest.raises(RatingsError) as caught:
        read(tmp_path, text)
    assert caught.value.line == line
    assert words in str(caught.value)
    assert "To mend it: " in str(caught.value)


def test_ratings_outside_the_scale_are_named(tmp_path: Path):
    with pytest.raises(RatingsError, match=r"line 3: 11 lies outside the scale 0 to 10"):
        read(tmp_path, "item,A,B\n1,3,4\n2,11,4\n", scale=(0, 10))
    with pytest.raises(RatingsError, match="'high' is not a number"):
        read(tmp_path, "item,A,B\n1,high,low\n", scale=(0, 10))


def test_clusters_must_be_there_and_agree(tmp_path: Path):
    with pytest.raises(RatingsError, match="there is no column 'run'"):
        read(tmp_path, "item,A,B\n1,3,4\n", cluster="run")
    with pytest.raises(RatingsError, match="line 3: item 2 has no cluster"):
        read(tmp_path, "item,run,A,B\n1,x,3,4\n2,,3,4\n", cluster="run")
    with pytest.raises(RatingsError, match="line 3: item 1 belongs to 'y' here and to 'x' above"):
        read(tmp_path, "item,rater,value,run\n1,A,3,x\n1,B,3,y\n", cluster="run")


def test_large_files_are_refused_without_being_read(tmp_path: Path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(2_000_000_000)
    with pytest.raises(RatingsError, match="larger than 10 MB"):
        read_ratings(path)
    rows = "item,A,B\n" + "".join(f"{number},1,2\n" for number in range(30))
    with pytest.raises(RatingsError, match="more than 20 rows"):
        read(tmp_path, rows, most_rows=20)
    with pytest.raises(RatingsError, match="more than 10000 columns"):
        read(tmp_path, ",".join(f"c{number}" for number in range(10_001)) + "\n")
    with pytest.raises(RatingsError, match="more than 500000 ratings"):
        read(tmp_path, ",".join(f"rater {n}" for n in range(999)) + "\n" + ("1," * 998 + "1\n") * 501)


def test_too_many_raters_are_refused(tmp_path: Path):
    many = "item,rater,value\n" + "".join(f"{number},x{number},3\n" for number in range(101))
    with pytest.raises(RatingsError, match="101 raters are more than"):
        read(tmp_path, many)
    sparse = "item,rater,value\n" + "".join(f"{number % 700},x{number},3\n" for number in range(1500))
    with pytest.raises(RatingsError, match="are more than 500000 cells"):
        read(tmp_path, sparse)


def test_a_missing_file_is_said(tmp_path: Path):
    with pytest.raises(RatingsError, match="cannot be opened"):
        read_ratings(tmp_path / "none.csv")


SCALED = "dimension,item,rater,value,scale_low,scale_high\n"


def test_a_file_may_say_the_scale_of_each_dimension(tmp_path: Path):
    rows = SCALED + "sum,1,A,14,0,20\nsum,1,B,9,0,20\ntiming,1,A,4,,\ntiming,1,B,5,,\n"
    found = read(tmp_path, rows, scale=(0, 10))
    assert {name: table.scale for name, table in found.dimensions.items()} == {"sum": (0, 20), "timing": (0, 10)}
    assert "Scales: sum 0 to 20, timing 0 to 10." in found.said
    assert read(tmp_path, rows).dimensions["timing"].scale is None
    wide = "item,dimension,A,B,scale_low,scale_high\n1,sum,14,9,0,20\n2,sum,3,,0,20\n"
    assert read(tmp_path, wide).dimensions["sum"].scale == (0, 20)


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        (SCALED + "sum,1,A,4,0,20\nsum,1,B,21,0,20\n", 3, "21 lies outside the scale of sum"),
        ("item,A,B,scale_low,scale_high\n1,4,5,0,5\n2,4,6,0,5\n", 3, "6 lies outside the scale of value"),
        (SCALED + "sum,1,A,4,0,20\nsum,1,B,5,0,10\n", 3, "not the one given above"),
        (SCALED + "sum,1,A,4,7,7\n", 2, "has no length"),
    ],
)
def test_scales_that_do_not_fit_are_named(tmp_path: Path, rows: str, line: int, words: str):
    with pytest.raises(RatingsError, match=words) as caught:
        read(tmp_path, rows)
    assert caught.value.line == line
