"""Two documents word by word."""

from app.domain.engine.differences import LONGEST, Piece, compare_documents


def test_the_same_document_differs_nowhere():
    body = {"kind": "note", "persona": "ceo", "observations": ["one", "two"], "deferred": True, "gate": None}
    pairs = compare_documents(body, body)
    assert [pair.name for pair in pairs] == ["persona", "observations 1", "observations 2", "deferred"]
    assert not any(pair.differs for pair in pairs)
    assert pairs[-1].left == (Piece("yes", own=False),)


def test_words_of_one_side_are_marked_as_its_own():
    (pair,) = compare_documents({"identity": "a meter for power"}, {"identity": "a meter for water"})
    assert pair.left == (Piece("a meter for ", own=False), Piece("power", own=True))
    assert pair.right == (Piece("a meter for ", own=False), Piece("water", own=True))
    assert pair.differs


def test_fields_of_one_side_only_come_with_an_empty_other():
    pairs = compare_documents({"end": ["x"]}, {"chain": {"layer_owned": "y"}, "deferred": False})
    assert [(pair.name, bool(pair.left), bool(pair.right)) for pair in pairs] == [
        ("end 1", True, False),
        ("chain, layer owned", False, True),
        ("deferred", False, True),
    ]


def test_very_long_fields_are_shown_whole():
    long = "word " * (LONGEST + 1)
    (pair,) = compare_documents({"text": long}, {"text": "short"})
    assert pair.left == (Piece(long, own=True),)
    (pair,) = compare_documents({"text": "short"}, {"text": long})
    assert pair.right == (Piece(long, own=True),)
    (same,) = compare_documents({"text": long}, {"text": long})
    assert not same.differs
