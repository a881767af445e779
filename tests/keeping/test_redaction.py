"""Taking texts out: the document is blanked, quotations are found, and everything that counts stays."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.engine.redaction import (
    REDACTED,
    blanked,
    fingerprints,
    masked_artifact,
    masked_body,
    masked_json,
    masked_text,
)
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
