"""The fake provider: valid answers to any schema, three APIs, its script and its control addresses."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from pydantic import TypeAdapter

from app.domain.protocol.artifacts import ARTIFACT, Attack, AuditorReview, Board, Briefing, Decision, Memo, RecordReview
from app.providers.fake_server import FakeProvider, Fault, Rule, Script, fake_provider
from app.providers.fake_server.answers import answer_to
from app.providers.schemas import schema_text, strict_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "maxLength": 8},
        "score": {"type": "integer", "minimum": 0, "maximum": 10},
        "ids": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
    },
    "required": ["word", "score", "ids"],
}


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with fake_provider() as running:
        yield running


@pytest.fixture
def client(provider: FakeProvider) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=provider.root_url, timeout=10.0, trust_env=False) as running:
        yield running


def chat_body(model: str = "fake", text: str = "hello", **more: object) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": text}], **more}


def schema_form(name: str = "thing") -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": SCHEMA}}


@pytest.mark.parametrize("artifact", [Attack, AuditorReview, Board, Briefing, Decision, Memo, RecordReview])
@pytest.mark.parametrize("prompt", ["", "one", "two", "three"])
def test_an_answer_fits_its_schema_and_is_the_same_again(artifact: type, prompt: str):
    schema = TypeAdapter(artifact).json_schema()
    for form in (schema, strict_schema(schema)):
        text = answer_to(form, prompt)
        assert text == answer_to(form, prompt)
        assert isinstance(ARTIFACT.validate_json(text), artifact)


def test_a_list_of_ids_names_each_of_them_and_lengths_hold():
    value = json.loads(answer_to(SCHEMA, "p"))
    assert value["ids"] == ["a", "b", "c"]
    assert len(value["word"]) <= 8
    assert 0 <= value["score"] <= 10
    assert json.loads(answer_to(SCHEMA, "p", out_of_range=True))["score"] == 11


def test_strange_schemas_get_an_answer_too():
    endless = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    assert answer_to(endless, "p") == "null"
    nested = {"$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}
    assert json.loads(answer_to(nested, "p"))["n"]
    forms = {"anyOf": [{"type": "null"}]}
    assert answer_to(forms, "p") == "null"
    assert json.loads(answer_to({"type": "number", "minimum": 3, "maximum": 3}, "p")) == 3
    assert json.loads(answer_to({"oneOf": [{"type": "boolean"}]}, "p")) is False


def test_the_order_of_a_schemas_keys_changes_nothing():
    turned = {name: SCHEMA[name] for name in reversed(SCHEMA)}
    turned["properties"] = {name: SCHEMA["properties"][name] for name in reversed(SCHEMA["properties"])}
    assert answer_to(turned, "p") == answer_to(SCHEMA, "p")


def test_every_request_leaves_its_own_signature():
    assert answer_to(SCHEMA | {"title": "x"}, "one") != answer_to(SCHEMA, "two")


def test_messages_are_spoken(client: httpx2.Client):
    body = {
        "model": "fake",
        "max_tokens": 100,
        "system": "be brief",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }
    answer = client.post("/v1/messages", json=body).json()
    assert json.loads(answer["content"][0]["text"])["ids"] == ["a", "b", "c"]
    assert (answer["stop_reason"], answer["usage"]["input_tokens"]) == ("end_turn", 4)
    for fault, reason in (("truncated", "max_tokens"), ("refusal", "refusal")):
        assert client.post("/v1/messages", json={**body, "model": f"m+{fault}"}).json()["stop_reason"] == reason
    quota = client.post("/v1/messages", json={**body, "model": "m+quota"})
    assert (quota.status_code, quota.json()["error"]["type"]) == (429, "rate_limit_error")
    assert quota.json()["error"]["details"] == {"error_code": "enforced_spend_limit_reached"}


def test_responses_are_spoken(client: httpx2.Client):
    body = {
        "model": "fake",
        "store": False,
        "instructions": "be brief",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        "text": {"format": {"type": "json_schema", "name": "thing", "schema": SCHEMA}},
    }
    answer = client.post("/v1/responses", json=body).json()
    assert json.loads(answer["output"][0]["content"][0]["text"])["ids"] == ["a", "b", "c"]
    assert answer["status"] == "completed"
    cut = client.post("/v1/responses", json={**body, "model": "m+truncated"}).json()
    assert (cut["status"], cut["incomplete_details"]["reason"]) == ("incomplete", "max_output_tokens")
    refused = client.post("/v1/responses", json={**body, "input": "hi", "model": "m+refusal"}).json()
    assert refused["output"][0]["content"][0]["type"] == "refusal"
    error = client.post("/v1/responses", json={**body, "model": "m+overloaded"})
    assert (error.status_code, error.json()["error"]["code"]) == (529, "overloaded")


def test_a_schema_in_the_prompt_is_found_and_plain_questions_get_plain_text(client: httpx2.Client):
    written = client.post("/v1/chat/completions", json=chat_body(text=f"do\n\n{schema_text(SCHEMA)}")).json()
    assert json.loads(written["choices"][0]["message"]["content"])["ids"] == ["a", "b", "c"]
    plain = client.post("/v1/chat/completions", json=chat_body()).json()
    assert plain["choices"][0]["message"]["content"] == "Well received."


def test_the_script_says_which_request_fails(provider: FakeProvider, client: httpx2.Client):
    rules = [
        {"fault": "rate_limited", "nth": [2], "retry_after": 3},
        {"fault": "server_error", "contains": "please fail", "times": 1},
        {"fault": "overloaded", "schema_name": "memo"},
        {"fault": "quota", "model": "poor"},
        {"fault": "not_json", "every": 7},
    ]
    assert client.post("/_script", json={"rules": rules}).json() == {"rules": 5}
    bodies = [
        chat_body(),
        chat_body(),
        chat_body(text="please fail"),
        chat_body(text="please fail"),
        chat_body(response_format=schema_form("memo")),
        chat_body(model="poor"),
        chat_body(),
    ]
    replies = [client.post("/v1/chat/completions", json=body) for body in bodies]
    assert [reply.status_code for reply in replies] == [200, 429, 500, 200, 529, 429, 200]
    assert replies[1].headers["retry-after"] == "3"
    assert replies[6].text.startswith("<html>")
    assert [seen.fault for seen in provider.seen][:3] == [Fault.ANSWER, Fault.RATE_LIMITED, Fault.SERVER_ERROR]


def test_a_header_asks_for_a_fault(client: httpx2.Client):
    reply = client.post("/v1/chat/completions", json=chat_body(), headers={"x-fake-fault": "server_error"})
    assert reply.status_code == 500


def test_a_wrong_script_is_refused_and_the_old_one_holds(provider: FakeProvider, client: httpx2.Client):
    provider.follow(Script(rules=(Rule(fault=Fault.SERVER_ERROR),)))
    assert client.post("/_script", json={"rules": [{"fault": "laziness"}]}).status_code == 422
    assert client.post("/v1/chat/completions", json=chat_body()).status_code == 500


def test_half_a_surrogate_pair_is_text_like_any_other(provider: FakeProvider, client: httpx2.Client):
    body = b'{"model": "m", "messages": [{"role": "user", "content": "half \\ud83d"}]}'
    assert client.post("/v1/chat/completions", content=body).status_code == 200
    assert provider.seen[0].body["messages"][0]["content"] == "half \ud83d"


def test_what_was_seen_can_be_read_and_forgotten(provider: FakeProvider, client: httpx2.Client):
    for number in range(3):
        client.post("/v1/chat/completions", json=chat_body(text=f"number {number}"))
    seen = client.get("/_seen", params={"limit": 2}).json()
    assert [entry["body"]["messages"][0]["content"] for entry in seen] == ["number 1", "number 2"]
    assert seen[0]["path"] == "/v1/chat/completions"
    assert client.delete("/_seen").json() == {"seen": 0}
    assert provider.seen == []


def test_other_addresses(client: httpx2.Client):
    assert client.get("/_health").json() == {"status": "ok"}
    assert client.get("/v1/models").json()["data"][0]["id"] == "fake"
    assert client.get("/nowhere").status_code == 404
    assert client.post("/v1/chat/completions", json={"model": "m"}).status_code == 400
    assert client.post("/v1/messages", content=b"{").json()["error"]["type"] == "invalid_request_error"


def test_latency_comes_from_the_script_before_the_server():
    with fake_provider(script=Script(latency=0.0), latency=3_600.0) as slow:
        reply = httpx2.post(f"{slow.base_url}/chat/completions", json=chat_body(), timeout=10.0, trust_env=False)
        assert reply.status_code == 200


def test_a_request_in_pieces_and_two_at_once_are_served(provider: FakeProvider):
    body = json.dumps(chat_body()).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(body)
    with socket.create_connection(("127.0.0.1", provider.port), timeout=10) as line:
        line.sendall(head[:20])
        line.sendall(head[20:] + body[:5])
        line.sendall(body[5:] + head + body)
        received = b""
        while received.count(b"HTTP/1.1 200") < 2 or not received.endswith(b"}"):
            received += line.recv(65_536)
    assert len(provider.seen) == 2


def test_an_endless_head_is_hung_up_on(provider: FakeProvider):
    with (
        socket.create_connection(("127.0.0.1", provider.port), timeout=10) as line,
        pytest.raises((ConnectionResetError, BrokenPipeError)),
    ):
        line.sendall(b"x" * 64_000_000)
