"""The Messages and Responses APIs against the fake provider: requests field by field, every fault by its name."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.domain.engine.answers import AnswerError, read_answer
from app.domain.engine.forms import form_for
from app.providers.anthropic import Anthropic
from app.providers.chat import ChatError, StopReason, ask, exact_request
from app.providers.fake_server import FakeProvider, Fault, Rule, Script, fake_provider
from app.providers.messages import read_message
from app.providers.openai import OpenAI
from app.providers.responses import read_response
from app.providers.schemas import described_schema, schema_text, strict_schema
from app.providers.searches import CitedText, FoundPage, web_searches
from app.providers.wire import Deadlines
from tests.providers.test_compatible import STEPS, asked

QUICK = Deadlines(connect=1.0, read=0.4, total=0.8)
NOW = datetime(2026, 11, 3, 12, 0, tzinfo=UTC)
VOICES = (Anthropic, OpenAI)
SENT_MESSAGE = {"system": "s", "messages": [{"role": "user", "content": "short"}]}
SENT_RESPONSE = {"instructions": "s", "input": "short"}
Voice = Anthropic | OpenAI


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with fake_provider() as running:
        yield running


OPEN: list[Voice] = []


@pytest.fixture(autouse=True)
def _closed_afterwards() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def chat(provider: FakeProvider, kind: type[Voice], **how: Any) -> Voice:
    url = provider.root_url if kind is Anthropic else provider.base_url
    OPEN.append(kind(**{"base_url": url, "wire_model": "fake", "key": "its-own-key", "now": lambda: NOW, **how}))
    return OPEN[-1]


def failing(provider: FakeProvider, kind: type[Voice], fault: Fault, **how: Any) -> ChatError:
    with pytest.raises(ChatError) as caught:
        ask(chat(provider, kind, wire_model=f"fake+{fault}", **how), asked(STEPS["memo"]))
    return caught.value


@pytest.mark.parametrize("kind", VOICES)
@pytest.mark.parametrize("name", STEPS)
def test_every_step_is_answered(provider: FakeProvider, kind: type[Voice], name: str):
    wanted = STEPS[name]
    answer = ask(chat(provider, kind), asked(wanted))
    assert answer.stop is StopReason.COMPLETE
    assert read_answer(answer.text, form_for(wanted), wanted).kind == form_for(wanted).kind
    assert answer.model_reported == "fake"


def test_a_message_is_exactly_what_was_kept_and_has_no_sampling_field(provider: FakeProvider):
    voice = chat(provider, Anthropic)
    wanted = replace(asked(STEPS["memo"]), temperature=0.7, max_tokens=1234)
    exact = exact_request(voice.wire_request(wanted))
    voice.answer(wanted, exact)
    seen = provider.seen[-1]
    assert seen.path == "/v1/messages"
    assert seen.raw == exact.text.encode()
    assert seen.headers["content-type"] == "application/json"
    assert seen.body == {
        "model": "fake",
        "max_tokens": 1234,
        "system": "s",
        "messages": [{"role": "user", "content": "Material"}],
        "output_config": {"format": {"type": "json_schema", "schema": described_schema(wanted.schema)}},
    }


def test_a_response_is_exactly_what_was_kept_and_is_not_stored(provider: FakeProvider):
    voice = chat(provider, OpenAI)
    wanted = replace(asked(STEPS["memo"]), temperature=0.7, max_tokens=1234)
    exact = exact_request(voice.wire_request(wanted))
    voice.answer(wanted, exact)
    seen = provider.seen[-1]
    assert seen.path == "/v1/responses"
    assert seen.raw == exact.text.encode()
    assert seen.headers["content-type"] == "application/json"
    form = {"type": "json_schema", "name": "memo", "strict": True, "schema": strict_schema(wanted.schema)}
    assert seen.body == {
        "model": "fake",
        "instructions": "s",
        "input": "Material",
        "max_output_tokens": 1234,
        "store": False,
        "text": {"format": form},
        "temperature": 0.7,
    }
    assert "temperature" not in chat(provider, OpenAI, takes_temperature=False).wire_request(wanted)
    assert "temperature" not in voice.wire_request(replace(wanted, temperature=None))


@pytest.mark.parametrize("kind", VOICES)
def test_only_the_endpoints_own_key_is_sent(provider: FakeProvider, kind: type[Voice], monkeypatch: pytest.MonkeyPatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "another-secret")
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Secret: another-secret")
    ask(chat(provider, kind), asked(STEPS["memo"]))
    headers = provider.seen[-1].headers
    assert headers["authorization"] == "Bearer its-own-key"
    assert ("anthropic-version" in headers) is (kind is Anthropic)
    ask(chat(provider, kind, key=None), asked(STEPS["memo"]))
    assert "authorization" not in provider.seen[-1].headers
    assert "another" not in str([seen.headers for seen in provider.seen[-2:]])


def test_ranges_stand_in_descriptions_for_the_messages_api():
    schema = {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "minimum": 0, "maximum": 10, "description": "How many"},
            "many": {"type": "array", "minItems": 2, "maxItems": 3, "items": {"type": "string", "maxLength": 4}},
            "one": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Part"}},
        },
        "required": ["minimum", "many", "one"],
        "$defs": {"Part": {"type": "number", "minimum": 0.5}},
    }
    described = described_schema(schema)
    assert described is described_schema(schema)
    assert described == {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "description": "How many\n\n{minimum: 0, maximum: 10}"},
            "many": {"type": "array", "items": {"type": "string"}, "description": "{maxItems: 3, minItems: 2}"},
            "one": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Part"}},
        },
        "required": ["minimum", "many", "one"],
        "additionalProperties": False,
        "$defs": {"Part": {"type": "number", "description": "{minimum: 0.5}"}},
    }


@pytest.mark.parametrize("kind", VOICES)
@pytest.mark.parametrize(
    ("fault", "final", "quota", "said"),
    [
        (Fault.RATE_LIMITED, False, False, "HTTP 429"),
        (Fault.QUOTA, True, True, "quota exhausted"),
        (Fault.OVERLOADED, False, False, "HTTP 529"),
        (Fault.SERVER_ERROR, False, False, "HTTP 500"),
        (Fault.HANG, False, False, "silence"),
        (Fault.CUT, False, False, "connection failed"),
        (Fault.NOT_JSON, False, False, "not JSON"),
        (Fault.HUGE, False, False, "larger than 5,242,880 bytes"),
    ],
)
def test_every_failure_has_its_name(
    provider: FakeProvider, kind: type[Voice], fault: Fault, final: bool, quota: bool, said: str
):
    before = len(provider.seen)
    error = failing(provider, kind, fault, **({"deadlines": QUICK} if fault is Fault.HANG else {}))
    assert (error.final, error.quota) == (final, quota)
    assert said in error.reason
    assert error.may_be_billed is (fault in {Fault.HANG, Fault.CUT, Fault.NOT_JSON, Fault.HUGE})
    assert error.retry_after == (1.0 if fault is Fault.RATE_LIMITED else None)
    assert len(provider.seen) == before + 1, "the SDK does not ask again"


@pytest.mark.parametrize("kind", VOICES)
def test_a_drip_is_cut_off_at_the_total_deadline(provider: FakeProvider, kind: type[Voice]):
    provider.follow(Script(rules=(Rule(fault=Fault.DRIP, seconds=0.05),)))
    with pytest.raises(ChatError, match="total deadline"):
        ask(chat(provider, kind, deadlines=QUICK), asked(STEPS["memo"]))
    provider.follow(Script())


@pytest.mark.parametrize("kind", VOICES)
def test_truncation_and_refusal_are_read_before_the_text(provider: FakeProvider, kind: type[Voice]):
    truncated = ask(chat(provider, kind, wire_model="fake+truncated"), asked(STEPS["memo"]))
    refused = ask(chat(provider, kind, wire_model="fake+refusal"), asked(STEPS["memo"]))
    assert truncated.stop is StopReason.TRUNCATED
    assert (refused.stop, refused.text) == (StopReason.REFUSED, "I cannot help with that.")


@pytest.mark.parametrize("kind", VOICES)
def test_scores_out_of_range_reach_the_check(provider: FakeProvider, kind: type[Voice]):
    wanted = STEPS["review"]
    answer = ask(chat(provider, kind, wire_model="fake+out_of_range"), asked(wanted))
    with pytest.raises(AnswerError, match=r"scores\.0\.value"):
        read_answer(answer.text, form_for(wanted), wanted)


@pytest.mark.parametrize("kind", VOICES)
def test_unfit_text_is_cleaned_both_ways(provider: FakeProvider, kind: type[Voice]):
    answer = ask(chat(provider, kind, wire_model="fake+unfit_text"), asked(STEPS["memo"], "a\x00b\ud800c"))
    assert "a\ufffdb\ufffdc" in json.dumps(provider.seen[-1].body, ensure_ascii=False)
    assert answer.response_body["_cleaned"] is True
    assert "for\ufffdrequest\ufffd" in json.loads(answer.text)["summary"]


@pytest.mark.parametrize("kind", VOICES)
def test_a_silently_cut_context_is_final_and_its_tokens_are_known(provider: FakeProvider, kind: type[Voice]):
    prompt = "A fact of its day, told in words. " * 2_000
    with pytest.raises(ChatError, match="cut the context silently") as caught:
        ask(chat(provider, kind, wire_model="fake+cut_context"), asked(STEPS["memo"], prompt))
    assert caught.value.final
    assert caught.value.usage is not None
    assert caught.value.usage.tokens_in == 2_048
    assert caught.value.usage.tokens_out


def test_a_message_with_web_search_keeps_what_was_found(provider: FakeProvider):
    wanted = replace(asked(STEPS["review"]), web_search=True)
    answer = ask(chat(provider, Anthropic), wanted)
    sent = provider.seen[-1].body
    assert [tool["name"] for tool in sent["tools"]] == ["web_search"]
    assert "output_config" not in sent
    assert schema_text(wanted.schema) in sent["messages"][0]["content"]
    assert read_answer(answer.text, form_for(STEPS["review"]), STEPS["review"])
    assert answer.usage.searches == 1
    found = web_searches(answer.response_body)
    assert found is not None
    assert found.queries == ("what is done today",)
    assert found.pages == (FoundPage("https://example.org/page", "A fake page", "November 3, 2026"),)
    assert found.cited == (CitedText("https://example.org/page", "A fake page", "As the page says.", of_page=True),)
    assert (found.failures, found.retrieved_at) == ((), "2026-11-03T12:00:00+00:00")


def test_a_response_with_web_search_keeps_what_was_found(provider: FakeProvider):
    answer = ask(chat(provider, OpenAI), replace(asked(STEPS["review"]), web_search=True))
    sent = provider.seen[-1].body
    assert sent["tools"] == [{"type": "web_search"}]
    assert sent["include"] == ["web_search_call.action.sources"]
    assert sent["store"] is False
    found = web_searches(answer.response_body)
    assert found is not None
    assert found.queries == ("what is done today",)
    assert found.pages == (FoundPage("https://example.org/page", None, None),)
    assert found.cited == (CitedText("https://example.org/page", "A fake page", "{", of_page=False),)
    assert answer.usage.searches == 1


def test_searches_that_failed_are_said_and_other_addresses_are_left_out():
    blocks = [
        {"type": "web_search_tool_result", "content": {"error_code": "max_uses_exceeded"}},
        {"type": "web_search_tool_result", "content": [{"url": "javascript:alert(1)"}]},
    ]
    found = web_searches({"content": blocks, "_retrieved_at": "t"})
    assert found is not None
    assert (found.pages, found.failures) == ((), ("max_uses_exceeded",))
    items = [{"type": "web_search_call", "status": "failed", "action": {"query": "q", "url": "http://a.example"}}]
    found = web_searches({"output": items, "_retrieved_at": "t"})
    assert found is not None
    assert (found.queries, found.pages) == (("q",), (FoundPage("http://a.example", None, None),))
    assert found.failures == ("failed",)


def test_an_answer_without_web_search_says_so(provider: FakeProvider):
    assert web_searches(ask(chat(provider, Anthropic), asked(STEPS["memo"])).response_body) is None


def message(**changes: Any) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", **changes}).encode()


def test_tokens_of_anthropics_cache_are_parts_of_the_sum():
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 4,
        "cache_creation_input_tokens": 3,
        "output_tokens": 5,
        "output_tokens_details": {"thinking_tokens": 2},
    }
    read = read_message(message(usage=usage), SENT_MESSAGE).usage
    assert (read.tokens_in, read.tokens_cached, read.tokens_cache_written) == (17, 4, 3)
    assert (read.tokens_out, read.tokens_reasoning, read.searches) == (5, 2, None)
    assert read_message(message(), SENT_MESSAGE).usage.tokens_in is None


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop_sequence", StopReason.COMPLETE),
        ("max_tokens", StopReason.TRUNCATED),
        ("model_context_window_exceeded", StopReason.TRUNCATED),
        ("refusal", StopReason.REFUSED),
    ],
)
def test_a_messages_stop_reason_is_read_first(reason: str, stop: StopReason):
    assert read_message(message(stop_reason=reason), SENT_MESSAGE).stop is stop


@pytest.mark.parametrize(
    ("reason", "said"), [("pause_turn", "paused the turn"), ("tool_use", "nobody offered"), (None, "'None'")]
)
def test_a_turn_that_did_not_end_is_no_answer_but_was_paid(reason: str | None, said: str):
    with pytest.raises(ChatError, match=said) as caught:
        read_message(message(stop_reason=reason, usage={"input_tokens": 7, "output_tokens": 1}), SENT_MESSAGE)
    assert not caught.value.final
    assert caught.value.usage is not None
    assert caught.value.usage.tokens_in == 7


def test_a_refusal_without_words_takes_its_explanation():
    body = message(stop_reason="refusal", content=[], stop_details={"type": "refusal", "explanation": "Not this."})
    assert read_message(body, SENT_MESSAGE).text == "Not this."
    assert read_message(message(stop_reason="refusal", content=None), SENT_MESSAGE).text == ""


def response(**changes: Any) -> bytes:
    part = {"type": "output_text", "text": "x"}
    return json.dumps({"status": "completed", "output": [{"type": "message", "content": [part]}], **changes}).encode()


def test_cached_and_reasoning_tokens_of_a_response_stand_apart():
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    read = read_response(response(usage=usage), SENT_RESPONSE).usage
    assert (read.tokens_in, read.tokens_cached, read.tokens_cache_written) == (10, 4, 3)
    assert (read.tokens_out, read.tokens_reasoning, read.searches) == (5, 2, None)


@pytest.mark.parametrize(
    ("reason", "stop"), [("max_output_tokens", StopReason.TRUNCATED), ("content_filter", StopReason.REFUSED)]
)
def test_why_a_response_is_incomplete_is_read_first(reason: str, stop: StopReason):
    body = response(status="incomplete", incomplete_details={"reason": reason})
    assert read_response(body, SENT_RESPONSE).stop is stop


@pytest.mark.parametrize(
    ("changes", "final", "said"),
    [
        ({"status": "queued"}, False, "its status is queued"),
        ({"status": "incomplete", "incomplete_details": {"reason": "steered"}}, False, "incomplete, steered"),
        ({"status": "failed", "error": {"code": "server_error", "message": "Oh."}}, False, r"\(server_error\): Oh"),
        ({"status": "failed", "error": {"code": "invalid_prompt", "message": "No."}}, True, r"\(invalid_prompt\)"),
    ],
)
def test_a_response_that_did_not_end_is_no_answer_but_was_paid(changes: dict[str, Any], final: bool, said: str):
    with pytest.raises(ChatError, match=said) as caught:
        read_response(response(usage={"input_tokens": 7}, **changes), SENT_RESPONSE)
    assert caught.value.final is final
    assert caught.value.usage is not None
    assert caught.value.usage.tokens_in == 7


def test_a_response_that_failed_for_its_content_is_a_refusal():
    body = response(status="failed", output=[], error={"code": "bio_policy", "message": "Not this."})
    answer = read_response(body, SENT_RESPONSE)
    assert (answer.stop, answer.text) == (StopReason.REFUSED, "Not this.")
