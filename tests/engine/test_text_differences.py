"""Two texts as one list of lines."""

from app.domain.engine.differences import Piece
from app.domain.engine.text_differences import PAIRED_WORDS, DiffLine, compare_texts


def sides(lines: tuple[DiffLine, ...]) -> list[str]:
    return [line.side for line in lines]


def test_same_texts_have_no_lines():
    assert compare_texts("one\ntwo", "one\ntwo") == ()


def test_changed_words_are_marked():
    left, right = compare_texts("a calm sea", "a rough sea")
    assert left == DiffLine("left", (Piece("a ", own=False), Piece("calm ", own=True), Piece("sea", own=False)))
    assert right.pieces[1] == Piece("rough ", own=True)


def test_lines_of_one_side_only():
    assert sides(compare_texts("a\nb\nc", "a\nc")) == ["both", "left", "both"]
    assert sides(compare_texts("a", "a\nb")) == ["both", "right"]


def test_long_equal_stretches_are_folded_but_for_their_context():
    same = [f"line {number}" for number in range(20)]
    lines = compare_texts("\n".join(["x", *same, "y"]), "\n".join(["z", *same, "w"]))
    assert sides(lines) == ["left", "right", "both", "both", "fold", "both", "both", "left", "right"]
    assert lines[4].folded == tuple(same[2:-2])
    first = compare_texts("\n".join([*same, "y"]), "\n".join([*same, "w"]))
    assert sides(first) == ["fold", "both", "both", "left", "right"]
    last = compare_texts("\n".join(["y", *same]), "\n".join(["w", *same]))
    assert sides(last) == ["left", "right", "both", "both", "fold"]


def test_very_long_lines_are_shown_whole():
    long = " ".join(["word"] * (PAIRED_WORDS + 1))
    left, right = compare_texts(long, f"{long} more")
    assert left.pieces == (Piece(long, own=True),)
    assert right.pieces == (Piece(f"{long} more", own=True),)


def test_an_empty_side():
    assert sides(compare_texts("", "a\nb")) == ["right", "right"]
