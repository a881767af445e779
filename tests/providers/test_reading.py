"""Reading answers, refusals and schemas without a line between."""

import json
import re
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.engine.inputs import StepKind
from app.providers.bodies import response_record
from app.providers.chat import ChatError, StopReason, exact_request
from app.providers.clean import clean_answer, clean_json, clean_text
from app.providers.completion import read_completion
from app.providers.refusals import refused_status, retry_after_seconds
from app.providers.schemas import strict_schema

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
ASKED = {"messages": [{"role": "user", "content": "short"}]}


def completion(message: dict[str, Any], finish: object = "stop", **more: object) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more}).encode()


def test_clean_text_leaves_fit_text_alone():
    text = "naïve 🙂 text"
    assert clean_text(text) is text
    assert clean_text("a\x00\udfffb") == "a\ufffd\ufffdb"


def test_an_exact_request_keeps_the_order_of_its_fields():
    assert exact_request({"b": "é", "a": {"z": 1, "y": None}}).text == '{"b":"é","a":{"z":1,"y":null}}'
    assert exact_request({"model": StepKind.MEMO, "prompt": "NaN"}).text == '{"model":"memo","prompt":"NaN"}'
    for number in ("nan", "inf", "-inf"):
        with pytest.raises(ValueError, match="not JSON compliant"):
            exact_request({"temperature": float(number)})
    with pytest.raises(ValueError, match="surrogates"):
        exact_request({"prompt": "\ud800"})


PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(0.001, 1e9) | st.text(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
)


@given(st.dictionaries(st.text(), PARTS))
def test_an_exact_request_is_the_json_that_the_sdks_would_send(body: dict[str, Any]):
    assert exact_request(body).text == json.dumps(body, ensure_ascii=False, separators=(",", ":"))


UNFIT = st.text(st.sampled_from("aé🙂\x00\x1f\ud83d\ude42\udfff\\u0"))


@given(UNFIT)
def test_clean_text_is_what_a_search_for_unfit_characters_gives(text: str):
    assert clean_text(text) == re.sub("[\x00\ud800-\udfff]", "\ufffd", text)


@given(st.dictionaries(UNFIT, st.one_of(UNFIT, st.lists(UNFIT), st.just(float("nan")))), st.booleans(), st.booleans())
def test_a_body_is_cleaned_and_flagged_exactly_where_it_has_to_be(body: dict[str, Any], ascii_only: bool, cut: bool):
    raw = json.dumps(body, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    raw = raw.replace("é".encode(), b"\xc3") if cut else raw
    text = raw.decode("utf-8", "replace")
    read = json.loads(text, strict=False, parse_constant=lambda _: None)
    cleaned = clean_json(read)
    is_fit = cleaned == read and raw == text.encode("utf-8", "replace")
    flags = {} if is_fit else {"_cleaned": True, "_raw_base64": b64encode(raw).decode()}
    assert response_record(raw) == {**cleaned, **flags}


@given(st.text(st.characters(categories=("Cs", "Cc", "Lu", "Po"))))
def test_an_answer_once_read_can_be_stored(text: str):
    for ascii_only in (True, False):
        raw = json.dumps({"a": text}, ensure_ascii=ascii_only)
        value = json.loads(clean_answer(raw), strict=False)["a"]
        assert value == clean_text(value)
        value.encode()


def test_escapes_that_mean_themselves_stay():
    raw = r'{"a": "C:\\u0000 and \ud83d\ude42 and \u00e9"}'
    assert clean_answer(raw) == raw
    assert clean_answer(r'"\u0000\ud800x"') == r'"\ufffd\ufffdx"'


def test_clean_json_reaches_names_and_lists():
    assert clean_json({"a\x00": ["\ud800", 1, None]}) == {"a\ufffd": ["\ufffd", 1, None]}


def test_content_in_parts_is_joined():
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    assert read_completion(completion({"content": parts}), ASKED).text == "ab"


def test_a_filtered_answer_is_a_refusal():
    assert read_completion(completion({"content": None}, "content_filter"), ASKED).stop is StopReason.REFUSED


def test_usage_has_cached_and_reasoning_tokens_apart():
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    answer = read_completion(completion({"content": "x"}, usage=usage), ASKED)
    assert (answer.usage.tokens_in, answer.usage.tokens_out) == (10, 5)
    assert (answer.usage.tokens_cached, answer.usage.tokens_reasoning) == (4, 3)


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": True, "completion_tokens": "7"}])
def test_usage_that_is_none_is_none(usage: object):
    answer = read_completion(completion({"content": "x"}, usage=usage), ASKED)
    assert (answer.usage.tokens_in, answer.usage.tokens_out) == (None, None)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"[]", "not a JSON object"),
        (b"{}", "no choice"),
        (b'{"choices": []}', "no choice"),
        (completion({"content": None}, "tool_calls"), "tool"),
    ],
)
def test_what_is_no_answer_is_named(raw: bytes, said: str):
    with pytest.raises(ChatError, match=said):
        read_completion(raw, ASKED)


def test_numbers_that_json_does_not_know_become_null():
    raw = b'{"choices": [{"message": {"content": "x"}, "score": NaN}]}'
    assert read_completion(raw, ASKED).response_body["choices"][0]["score"] is None


def test_ill_formed_bytes_are_flagged_and_kept():
    answer = read_completion(b'{"choices": [{"message": {"content": "\xff"}}]}', ASKED)
    assert answer.text == "\ufffd"
    assert answer.response_body["_cleaned"] is True
    assert answer.response_body["_raw_base64"]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Tue, 01 Sep 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Tue, 01 Sep 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "Tue, 01 Sep 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None):
    assert retry_after_seconds(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "body", "final", "said"),
    [
        (429, {"error": {"code": "insufficient_quota", "message": "No."}}, True, "quota exhausted"),
        (429, {"error": {"code": None, "message": "You exceeded your current quota"}}, True, "quota exhausted"),
        (402, {"error": {"type": "insufficient_balance", "message": "Pay."}}, True, "quota exhausted"),
        (429, {"error": {"details": {"error_code": "enforced_spend_limit_reached"}}}, True, "quota exhausted"),
        (400, {"error": {"message": "You have reached your specified API usage limits."}}, True, "quota exhausted"),
        (429, {"error": {"message": "Add a payment method to raise your limit"}}, False, "HTTP 429"),
        (429, {"error": "slow down"}, False, "HTTP 429: slow down"),
        (401, {"error": {"message": "bad key"}}, True, "refused the key"),
        (400, {"error": {"message": "context too long"}}, True, "HTTP 400: context too long"),
        (408, {}, False, "HTTP 408"),
        (503, {"message": "later"}, False, "HTTP 503: later"),
    ],
)
def test_a_status_is_final_or_not(status: int, body: object, final: bool, said: str):
    error = refused_status(httpx2.Response(status, json=body))
    assert error.final is final
    assert said in error.reason


def test_a_refusal_without_json_is_kept_too():
    error = refused_status(httpx2.Response(502, content=b"<html>"))
    assert error.response_body["_unreadable"] is True


def test_strict_schema_requires_everything_and_allows_nothing_else():
    schema = {
        "type": "object",
        "title": "T",
        "properties": {
            "kind": {"const": "memo", "default": "memo", "type": "string"},
            "size": {"type": "integer", "minimum": 0, "default": 3},
            "note": {"type": "string", "minLength": 1, "maxLength": 9},
            "when": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "gone": {"type": ["string", "null"]},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Part", "description": "x"}, "minItems": 1},
            "either": {"oneOf": [{"type": "string"}, {"type": "null"}], "discriminator": {"propertyName": "kind"}},
        },
        "required": ["parts"],
        "$defs": {"Part": {"type": "object", "properties": {"a": {"type": "string", "title": "A"}}, "required": ["a"]}},
    }
    before = json.dumps(schema)
    strict = strict_schema(schema)
    assert json.dumps(schema) == before
    assert strict["required"] == list(schema["properties"])
    assert strict["additionalProperties"] is strict["$defs"]["Part"]["additionalProperties"] is False
    assert strict["properties"] == {
        "kind": {"enum": ["memo"], "type": "string"},
        "size": {"type": "integer", "minimum": 0},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "gone": {"type": ["string", "null"]},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}, "minItems": 1},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    }
