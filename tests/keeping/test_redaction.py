"""Taking texts out: the document is blanked, quotations are found, and everything that counts stays."""

import json
import re
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.engine import quotations
from app.domain.engine.quotations import REDACTED, Prints, masked_text
from app.domain.engine.redaction import blanked, fingerprints, masked_artifact, masked_body, masked_json
from app.domain.protocol.artifacts import (
    Attack,
    AttackPoint,
    Critique,
    DissentVerdict,
    LeakSpan,
    SecondReading,
    StopThreshold,
    Suspicion,
    Verdict,
)

SECRET = "The plant at Elmgrove poured its dye into the river at night, said Ada."
WRITTEN = Attack(
    summary="Nothing here holds.",
    points=(AttackPoint(thesis="market_capital/1", objection=SECRET, suspicion=Suspicion.HYPE),),
    thresholds=(StopThreshold(measure="paying customers", threshold="3", by="1994-06"),),
)
PRINTS = fingerprints(WRITTEN)


def test_texts_go_and_labels_stay():
    bare = blanked(WRITTEN)
    assert isinstance(bare, Attack)
    assert bare.summary == REDACTED
    assert bare.points == (AttackPoint(thesis="market_capital/1", objection=REDACTED, suspicion=Suspicion.HYPE),)
    assert bare.thresholds[0].measure == REDACTED
    assert blanked(bare) == bare


def test_numbers_lists_and_flags_stay():
    reading = SecondReading(
        verdicts=(DissentVerdict(dissent="D1", verdict=Verdict.REFUTED, reason="It did not come."),),
        named_by=("market_capital/1",),
        adjoins_assets=True,
        adjoins_reason="The archive.",
        memo_leaks=(LeakSpan(quote="by 2001", reason="Too exact."),),
    )
    bare = blanked(reading)
    assert isinstance(bare, SecondReading)
    assert (bare.named_by, bare.adjoins_assets) == (("market_capital/1",), True)
    assert bare.verdicts[0] == DissentVerdict(dissent="D1", verdict=Verdict.REFUTED, reason=REDACTED)
    assert "2001" not in bare.model_dump_json()


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (SECRET, f"{REDACTED}."),
        (f"As the attack says: “{SECRET}” We disagree.", f"As the attack says: “{REDACTED}.” We disagree."),
        ("poured its DYE into the\nriver", REDACTED),
        ("He said it poured its dye into the river, twice.", f"He said it {REDACTED}, twice."),
        ("it poured its dye into the sea", "it poured its dye into the sea"),
        ("nothing here, holds", REDACTED),
        ("paying customers", "paying customers"),
        (f"{SECRET} And then. {SECRET}", f"{REDACTED}. And then. {REDACTED}."),
        ("", ""),
    ],
)
def test_quotations_are_masked_and_nothing_else(text: str, masked: str):
    assert masked_text(text, PRINTS) == masked


@given(st.text())
def test_without_fingerprints_a_text_is_itself(text: str):
    assert masked_text(text, frozenset()) == text


@given(st.text(), st.text())
def test_a_masked_text_never_holds_the_quotation(before: str, after: str):
    assert "poured its dye into the river" not in masked_text(f"{before} {SECRET} {after}", PRINTS)


def test_json_is_masked_inside_its_strings():
    value = {"a": [SECRET, 3, None], SECRET: True}
    assert masked_json(value, PRINTS) == {"a": [f"{REDACTED}.", 3, None], SECRET: True}
    body = json.dumps({"content": f"# Memos\n\n{SECRET}\n\n# End"})
    assert json.loads(masked_body(body, PRINTS)) == {"content": f"# Memos\n\n{REDACTED}.\n\n# End"}
    assert masked_body(f"<p>{SECRET}</p>", PRINTS) == f"<p>{REDACTED}.</p>"


def test_other_documents_lose_only_what_they_quote():
    other = Critique(points=(f"The attack claims: {SECRET}", "The plan is thin."), keep=())
    assert masked_artifact(other, PRINTS) == Critique(
        points=(f"The attack claims: {REDACTED}.", "The plan is thin."), keep=()
    )


WORDS = st.sampled_from(["a", "b", "Ada", "ADA", "ß", "SS", "İ", "1994", "_", "é"])
GAPS = st.sampled_from([" ", "\n", "\n\n", '"', ". ", '","', "\r\n", " — ", "\u2028"])
TEXTS = st.lists(st.tuples(WORDS, GAPS), max_size=16).map(lambda pairs: "".join(word + gap for word, gap in pairs))


@given(st.lists(TEXTS, min_size=1, max_size=2), st.lists(TEXTS, min_size=1, max_size=2), st.booleans())
def test_what_is_masked_is_what_a_search_of_every_run_of_words_finds(
    taken_out: list[str], others: list[str], is_quoting: bool
):
    prints = fingerprints(Critique(points=tuple(f"{text}." for text in taken_out), keep=()))
    texts = [*others, *(f"{other}{taken_out[0]}{other}" for other in others if is_quoting)]
    assert [masked_text(text, prints) for text in texts] == [searched_plainly(text, prints) for text in texts]


def test_a_long_piece_of_text_is_searched_as_any_other(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(quotations, "LONGEST_KEPT", 20)
    assert masked_text(f"So it is: {SECRET} So be it.", PRINTS) == f"So it is: {REDACTED}. So be it."


def searched_plainly(text: str, prints: Prints) -> str:
    """The mask in its plainest form: each run of words is hashed, and each word of a known one is hidden."""
    words = list(re.finditer(r"\w+", text))
    hidden = set()
    for at in range(len(words)):
        for size in range(3, 7):
            run = words[at : at + size]
            spoken = " ".join(word[0].casefold() for word in run).encode()
            if len(run) == size and f"{size}:{blake2b(spoken, digest_size=9).hexdigest()}" in prints:
                hidden |= set(range(at, at + size))
    left, end = "", 0
    for at, word in enumerate(words):
        if at in hidden:
            left += "" if at - 1 in hidden else text[end : word.start()] + REDACTED
            end = word.end()
    return left + text[end:]
