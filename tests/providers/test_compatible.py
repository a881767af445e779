"""Chat Completions against the fake provider: requests field by field, every fault by its name."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from app.domain.engine.answers import AnswerError, read_answer
from app.domain.engine.forms import form_for
from app.domain.engine.inputs import StepInput, StepKind, Wanted
from app.domain.protocol.rubrics import RubricId
from app.library import reader
from app.providers.chat import ChatError, ChatRequest, StopReason, ask, exact_request
from app.providers.compatible import Compatible, SchemaMode
from app.providers.fake_server import FakeProvider, Fault, Rule, Script, fake_provider
from app.providers.schemas import schema_text
from app.providers.wire import Deadlines
from tests.providers.steps import era, events, memos, request, step, written

QUICK = Deadlines(connect=1.0, read=0.4, total=0.8)
TABLE = memos()
DECIDED = written(step(StepKind.DECISION, memos=TABLE))
RUBRIC = reader.rubric(RubricId.RECORD)
STEPS = {
    "briefing": step(StepKind.BRIEFING, known=events(30, 2001)),
    "memo": step(StepKind.MEMO),
    "attack": step(StepKind.ATTACK, memos=TABLE),
    "decision": step(StepKind.DECISION, memos=TABLE),
    "founder": step(StepKind.DECISION, wanted=Wanted(tagged_claims=True)),
    "board": step(StepKind.BOARD, memos=TABLE),
    "discussion": step(StepKind.BOARD, memos=TABLE, wanted=Wanted(red_team=False)),
    "review": step(StepKind.REVIEW, decision=DECIDED, rubric=RUBRIC),
    "pilot_review": step(
        StepKind.REVIEW,
        decision=DECIDED,
        rubric=RUBRIC,
        wanted=Wanted(typed_total=True, next_briefing=True),
        next_era=era(),
        next_known=events(9, 2001),
    ),
    "reading": step(StepKind.READING, decision=DECIDED, memos=TABLE),
}


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with fake_provider() as running:
        yield running


@pytest.fixture
def scripted(provider: FakeProvider) -> Iterator[FakeProvider]:
    """The provider with its own script again afterwards."""
    yield provider
    provider.follow(Script())


def asked(wanted: StepInput, prompt: str = "Material") -> ChatRequest:
    return replace(request(wanted, prompt=prompt), schema=form_for(wanted).schema)


OPEN: list[Compatible] = []


@pytest.fixture(autouse=True)
def _closed_afterwards() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def chat(provider: FakeProvider, **how: Any) -> Compatible:
    OPEN.append(Compatible(**{"base_url": provider.base_url, "wire_model": "fake", "key": "its-own-key", **how}))
    return OPEN[-1]


def failing(provider: FakeProvider, fault: Fault, **how: Any) -> ChatError:
    with pytest.raises(ChatError) as caught:
        ask(chat(provider, wire_model=f"fake+{fault}", **how), asked(STEPS["memo"]))
    return caught.value


@pytest.mark.parametrize("mode", list(SchemaMode))
@pytest.mark.parametrize("name", STEPS)
def test_every_step_is_answered_in_every_form_of_the_schema(provider: FakeProvider, name: str, mode: SchemaMode):
    wanted = STEPS[name]
    answer = ask(chat(provider, schema_mode=mode), asked(wanted))
    artifact = read_answer(answer.text, form_for(wanted), wanted)
    assert answer.stop is StopReason.COMPLETE
    assert artifact.kind == form_for(wanted).kind


def test_the_request_is_exactly_what_was_kept(provider: FakeProvider):
    voice = chat(provider)
    wanted = replace(asked(STEPS["memo"]), temperature=0.7, max_tokens=1234)
    exact = exact_request(voice.wire_request(wanted))
    answer = voice.answer(wanted, exact)
    seen = provider.seen[-1]
    assert seen.path == "/v1/chat/completions"
    assert seen.raw == exact.text.encode()
    assert seen.headers["content-type"] == "application/json"
    assert set(seen.body) == {"model", "messages", "max_tokens", "temperature", "response_format"}
    assert (seen.body["model"], seen.body["max_tokens"], seen.body["temperature"]) == ("fake", 1234, 0.7)
    assert [message["role"] for message in seen.body["messages"]] == ["system", "user"]
    assert seen.body["response_format"]["json_schema"]["strict"] is True
    assert answer.model_reported == "fake"
    assert answer.response_body["choices"][0]["message"]["content"] == answer.text


@pytest.mark.parametrize(
    ("mode", "form", "ending"),
    [
        (SchemaMode.JSON_OBJECT, {"type": "json_object"}, "\n```"),
        (SchemaMode.JSON_ONLY, None, "no remarks."),
        (SchemaMode.NONE, None, "\n```"),
    ],
)
def test_without_a_schema_field_the_schema_stands_in_the_prompt(
    provider: FakeProvider, mode: SchemaMode, form: object, ending: str
):
    wanted = asked(STEPS["memo"])
    body = chat(provider, schema_mode=mode).wire_request(wanted)
    assert body.get("response_format") == form
    assert schema_text(wanted.schema) in body["messages"][1]["content"]
    assert body["messages"][1]["content"].endswith(ending)


def test_a_temperature_goes_only_where_it_is_set_and_taken(provider: FakeProvider):
    wanted = asked(STEPS["memo"])
    assert "temperature" not in chat(provider, takes_temperature=False).wire_request(wanted)
    assert "temperature" not in chat(provider).wire_request(replace(wanted, temperature=None))


def test_the_limit_of_tokens_goes_by_the_name_the_endpoint_knows(provider: FakeProvider):
    body = chat(provider, limit_field="max_completion_tokens").wire_request(asked(STEPS["memo"]))
    assert body["max_completion_tokens"] == 4000
    assert "max_tokens" not in body


def test_only_the_endpoints_own_key_is_sent(provider: FakeProvider, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "another-secret")
    monkeypatch.setenv("OPENAI_ORG_ID", "another-organization")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "another-project")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: another-secret")
    ask(chat(provider), asked(STEPS["memo"]))
    assert provider.seen[-1].headers["authorization"] == "Bearer its-own-key"
    assert "another" not in str(provider.seen[-1].headers)
    ask(chat(provider, key=None), asked(STEPS["memo"]))
    assert "authorization" not in provider.seen[-1].headers
    assert "another" not in str(provider.seen[-1].headers)


def test_unfit_text_is_cleaned_on_the_way_out(provider: FakeProvider):
    ask(chat(provider), asked(STEPS["memo"], prompt="a\x00b\ud800c"))
    assert provider.seen[-1].body["messages"][1]["content"] == "a\ufffdb\ufffdc"


def test_a_rate_limit_says_when_to_come_back(scripted: FakeProvider):
    scripted.follow(Script(rules=(Rule(fault=Fault.RATE_LIMITED, retry_after=7.5),)))
    with pytest.raises(ChatError) as caught:
        ask(chat(scripted), asked(STEPS["memo"]))
    assert (caught.value.final, caught.value.retry_after) == (False, 7.5)
    assert caught.value.response_body["error"]["code"] == "rate_limit_exceeded"


def test_an_exhausted_quota_is_final(provider: FakeProvider):
    error = failing(provider, Fault.QUOTA)
    assert error.final
    assert "quota exhausted" in error.reason


@pytest.mark.parametrize(("fault", "said"), [(Fault.OVERLOADED, "HTTP 529"), (Fault.SERVER_ERROR, "HTTP 500")])
def test_a_server_in_trouble_may_be_asked_again(provider: FakeProvider, fault: Fault, said: str):
    error = failing(provider, fault)
    assert not error.final
    assert error.reason.startswith(said)


def test_an_unknown_address_is_final(provider: FakeProvider):
    with pytest.raises(ChatError, match="HTTP 404: no such address") as caught:
        ask(chat(provider, base_url=f"{provider.root_url}/v9"), asked(STEPS["memo"]))
    assert caught.value.final


def test_the_sdk_does_not_retry(scripted: FakeProvider):
    before = len(scripted.seen)
    failing(scripted, Fault.SERVER_ERROR)
    assert len(scripted.seen) == before + 1


def test_silence_ends_at_the_read_deadline(provider: FakeProvider):
    error = failing(provider, Fault.HANG, deadlines=QUICK)
    assert not error.final
    assert "silence" in error.reason


def test_a_drip_is_cut_off_at_the_total_deadline(scripted: FakeProvider):
    scripted.follow(Script(rules=(Rule(fault=Fault.DRIP, seconds=0.05),)))
    started = time.monotonic()
    with pytest.raises(ChatError, match="total deadline") as caught:
        ask(chat(scripted, deadlines=QUICK), asked(STEPS["memo"]))
    assert not caught.value.final
    assert time.monotonic() - started < 60, "it would drip for minutes"


def test_a_cut_connection_may_be_asked_again(provider: FakeProvider):
    error = failing(provider, Fault.CUT)
    assert not error.final
    assert "connection failed" in error.reason


def test_nobody_listening_may_be_asked_again():
    with fake_provider() as gone:
        voice = chat(gone)
    with pytest.raises(ChatError, match="connection failed") as caught:
        ask(voice, asked(STEPS["memo"]))
    assert not caught.value.final
    assert not caught.value.may_be_billed, "nothing was sent"


def test_what_is_no_json_may_be_asked_again(provider: FakeProvider):
    error = failing(provider, Fault.NOT_JSON)
    assert not error.final
    assert error.response_body["_unreadable"] is True


def test_fenced_json_is_read(provider: FakeProvider):
    wanted = STEPS["memo"]
    answer = ask(chat(provider, wire_model="fake+fenced"), asked(wanted))
    assert "```json" in answer.text
    assert read_answer(answer.text, form_for(wanted), wanted)


def test_truncation_and_refusal_are_read_before_the_text(provider: FakeProvider):
    truncated = ask(chat(provider, wire_model="fake+truncated"), asked(STEPS["memo"]))
    refused = ask(chat(provider, wire_model="fake+refusal"), asked(STEPS["memo"]))
    assert truncated.stop is StopReason.TRUNCATED
    assert (refused.stop, refused.text) == (StopReason.REFUSED, "I cannot help with that.")


def test_scores_out_of_range_reach_the_check(provider: FakeProvider):
    wanted = STEPS["review"]
    answer = ask(chat(provider, wire_model="fake+out_of_range"), asked(wanted))
    with pytest.raises(AnswerError, match=r"scores\.0\.value"):
        read_answer(answer.text, form_for(wanted), wanted)


def test_nul_and_lone_surrogates_become_replacement_characters_and_are_flagged(provider: FakeProvider):
    wanted = STEPS["memo"]
    answer = ask(chat(provider, wire_model="fake+unfit_text"), asked(wanted))
    artifact = read_answer(answer.text, form_for(wanted), wanted)
    assert "for\ufffdrequest\ufffd" in artifact.summary
    assert "\x00" not in artifact.model_dump_json()
    assert answer.response_body["_cleaned"] is True
    json.dumps(answer.response_body, ensure_ascii=False).encode()


def test_five_megabytes_are_refused(provider: FakeProvider):
    error = failing(provider, Fault.HUGE)
    assert "larger than 5,242,880 bytes" in error.reason


def test_a_limit_of_its_own_holds(provider: FakeProvider):
    assert "larger than 9 bytes" in failing(provider, Fault.HUGE, max_response_bytes=9).reason


def test_impossible_usage_is_not_believed(provider: FakeProvider):
    answer = ask(chat(provider, wire_model="fake+wrong_usage"), asked(STEPS["memo"]))
    assert answer.usage.tokens_in == 999_999_999
    assert answer.usage.tokens_out is None


def test_a_silently_cut_context_is_final_and_said(provider: FakeProvider):
    prompt = "A fact of its day, told in words. " * 2_000
    assert ask(chat(provider), asked(STEPS["memo"], prompt)).usage.tokens_in > 10_000
    with pytest.raises(ChatError, match="cut the context silently") as caught:
        ask(chat(provider, wire_model="fake+cut_context"), asked(STEPS["memo"], prompt))
    assert caught.value.final
    assert caught.value.response_body["usage"]["prompt_tokens"] == 2_048


def test_closing_ends_the_voice(provider: FakeProvider):
    voice = chat(provider)
    voice.close()
    with pytest.raises(RuntimeError):
        ask(voice, asked(STEPS["memo"]))
