"""How an artifact is found in a model's text: fences, prose and quirks are taken, what is broken or odd is refused."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.engine import answers
from app.domain.engine.answers import AnswerError, read_answer
from app.domain.engine.forms import form_for
from app.domain.engine.inputs import StepInput
from app.domain.protocol.artifacts import RecordReview
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Preset
from tests.engine.plays import spoken, whole

GIVEN: StepInput = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL).given["E2/review"]
BODY: dict[str, Any] = json.loads(spoken(GIVEN))
PLAIN = json.dumps(BODY, indent=1)


def read(text: str, step: StepInput = GIVEN) -> Any:
    return read_answer(text, form_for(step), step)


def refused(text: str, step: StepInput = GIVEN) -> str:
    with pytest.raises(AnswerError) as caught:
        read(text, step)
    return str(caught.value)


ODD = "it nests too deeply, or holds NaN, Infinity or a number too long"
FENCES = 'Use:\n```json\n{"a": 1}\n```\nand ``` or ```py\nprint({})\n```'


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "\n\n  {}\n ",
        "```json\n{}\n```",
        "```\n{}\n```",
        "```JSON\n{}```",
        "Here it is:\n\n```json\n{}\n```\n\nI hope it helps.",
        "Here is the review you asked for: {} Thank you.",
        "\N{ZERO WIDTH NO-BREAK SPACE}{}",
    ],
)
@pytest.mark.parametrize("inner", ["plain", FENCES, "a {brace} and a \\ and ``` alone"])
def test_one_object_is_found_with_fences_and_prose_around_and_fences_within(around: str, inner: str):
    body = {**BODY, "reveal": inner}
    for text in (json.dumps(body), json.dumps(body, indent=2)):
        found = read(around.replace("{}", text))
        assert isinstance(found, RecordReview)
        assert found.reveal == inner


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from('`{}"\\\n jsonx[]'), min_size=1, max_size=60).filter(str.strip))
def test_any_text_within_the_object_survives(text: str):
    body = json.dumps({**BODY, "reveal": text})
    for whole_text in (body, f"```json\n{body}\n```"):
        assert read(whole_text).reveal == text


@settings(max_examples=60, deadline=None)
@given(st.integers(1, len(PLAIN) - 1))
def test_a_truncated_answer_is_never_taken(end: int):
    for start in ("", "```json\n"):
        assert "JSON object" in refused(start + PLAIN[:end])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no complete JSON object was found in the answer (Expecting value at character 0 of 0)"),
        ("I would rather not.", "Expecting value at character 0 of 19"),
        ('{"a": NaN}', ODD),
        ('{"a": -Infinity}', ODD),
        ("[" * 100_000, ODD),
        ("1" * 5_000, ODD),
        ("[1, 2]", "the answer must be one JSON object"),
        ('"text"', "the answer must be one JSON object"),
        ("null", "the answer must be one JSON object"),
        ('{"a": 1} or {"a": 2}', "Extra data"),
        ("x" * (answers.MAX_ANSWER_CHARACTERS + 1), "is longer than 1,000,000 characters; shorten it"),
    ],
    ids=["empty", "prose", "nan", "infinity", "deep", "long-number", "list", "string", "null", "two", "long"],
)
def test_what_is_no_single_object_is_refused_with_its_place(text: str, reason: str):
    assert reason in refused(text)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (11, "less than or equal to 10"),
        (-1, "greater than or equal to 0"),
        (7.5, "valid integer"),
        (7.0, "valid integer"),
        ("8/10", "valid integer"),
        ("8", "valid integer"),
        (True, "valid integer"),
        (None, "valid integer"),
        ([8], "valid integer"),
    ],
)
def test_a_score_is_an_integer_from_0_to_10(value: Any, reason: str):
    scores = [dict(score) for score in BODY["scores"]]
    scores[2]["value"] = value
    problem = refused(json.dumps({**BODY, "scores": scores}))
    assert problem.startswith("scores.2.value: ")
    assert reason in problem
    assert f"(got {value!r})" in problem


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"scores": []}, "scores: "),
        ({"reveal": ""}, "reveal: "),
        ({"reveal": 3}, "reveal: "),
        ({"surprise": 1}, "surprise: "),
        ({"kind": "memo"}, "kind: "),
        ({"kind": "auditor_review"}, "kind: "),
        ({"lessons": [{"text": "x", "kind": "gossip", "revises": None, "retires": None}] * 3}, "lessons.0.kind: "),
        ({"outcome": {"summary": "x"}}, "outcome.capital_usd: "),
    ],
)
def test_a_field_that_does_not_fit_is_named(change: dict[str, Any], field: str):
    assert field in refused(json.dumps({**BODY, **change}))


def test_a_missing_field_is_named_and_long_values_are_shortened():
    body = {name: value for name, value in BODY.items() if name != "reveal"}
    assert refused(json.dumps(body)).startswith("reveal: Field required (got ")
    assert "..." in refused(json.dumps({**BODY, "pooled_layer": [1] * 200}))


def test_at_most_eight_problems_are_told_at_once():
    wrong = dict.fromkeys("abcdefghijkl", 1.5)
    assert refused(json.dumps({**BODY, **wrong})).count("; ") == 7


def test_the_kind_may_be_said_or_left_out():
    assert read(json.dumps({**BODY, "kind": "record_review"})) == read(PLAIN)
    assert read(json.dumps({name: value for name, value in BODY.items() if name != "kind"})) == read(PLAIN)
