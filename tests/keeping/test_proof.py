"""Evidence against a ledger, by arithmetic alone: each thing that may have been changed is named."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.domain.engine.ledger import GENESIS, EventKind, LedgerEvent, first_misfit, link
from app.domain.engine.proof import ArtifactEvidence, CallEvidence, InterventionEvidence, RunEvidence, misfits

AT = datetime(2026, 11, 1, tzinfo=UTC)
CALL = CallEvidence(
    attempt=1,
    model="m",
    state="answered",
    request_sha256="q",
    request_kept="q",
    templates_sha256="t",
    response_sha256="r",
    response_kept="r",
    tokens_in=None,
    tokens_out=7,
    tokens_estimated=5,
    tokens_reserved=20,
    cost_reserved=0.3,
    cost_usd=None,
)
FAILED = replace(CALL, state="failed", response_sha256=None, response_kept=None, tokens_out=None, cost_usd=0.0)
OPEN = replace(CALL, state="sent", response_sha256=None, response_kept=None, tokens_out=None)
SENT = {"request_sha256": "q", "attempt": 1, "model": "m", "templates_sha256": "t"}
TOLD: tuple[tuple[EventKind, Mapping[str, Any]], ...] = (
    (EventKind.RUN_PLANNED, {"study": "s", "run": 1, "design_sha256": "d"}),
    (EventKind.CALL_SENT, {"call": "c1", **SENT}),
    (EventKind.CALL_ENDED, {"call": "c1", "outcome": "lost"}),
    (EventKind.CALL_ENDED, {"call": "c1", "outcome": "answered", "response_sha256": "r", "tokens_out": 7}),
    (EventKind.ARTIFACT_WRITTEN, {"artifact": "a1", "step": "E1/memo", "sha256": "b"}),
    (EventKind.CALL_SENT, {"call": "c2", **SENT}),
    (EventKind.CALL_ENDED, {"call": "c2", "outcome": "failed", "response_sha256": None}),
    (EventKind.OPERATOR_NEEDED, {"step": "E1/attack"}),
    (EventKind.INTERVENTION, {"intervention": "i1", "kind": "retry", "author": "u", "sha256": "w"}),
    (EventKind.CALL_SENT, {"call": "c3", **SENT}),
    (EventKind.RUN_FINISHED, {"steps": 1}),
)
SUMS = {
    "steps_done": 1,
    "calls_made": 3,
    "calls_lost": 0,
    "tokens_in": 5,
    "tokens_out": 7,
    "cost_usd": 0.0,
    "cost_unknown": 1,
    "cost_presumed": 0.3,
    "tokens_reserved": 20,
    "cost_reserved": 0.3,
    "interventions": 1,
}


def chain(told: tuple[tuple[EventKind, Mapping[str, Any]], ...] = TOLD) -> tuple[LedgerEvent, ...]:
    events: list[LedgerEvent] = []
    for kind, body in told:
        events.append(link(len(events) + 1, kind, AT, body, events[-1].hash if events else GENESIS))
    return tuple(events)


def evidence(**changes: Any) -> RunEvidence:
    events = changes.pop("events", chain())
    sound = RunEvidence(
        number=1,
        study="s",
        design_sha256="d",
        design_kept="d",
        events=events,
        head=events[-1].hash,
        length=len(events),
        calls={"c1": CALL, "c2": FAILED, "c3": OPEN},
        artifacts={"a1": ArtifactEvidence("E1/memo", "b", "b")},
        interventions={"i1": InterventionEvidence("retry", "u", "w")},
        redacted=frozenset(),
        sums=SUMS,
    )
    return replace(sound, **changes)


def found(**changes: Any) -> list[str]:
    return list(misfits(evidence(**changes)))


def with_call(name: str, **changes: Any) -> dict[str, CallEvidence]:
    calls = evidence().calls
    return {**calls, name: replace(calls[name], **changes)}


def test_a_sound_run_has_no_misfit():
    assert found() == []
    assert first_misfit(chain(), chain()[-1].hash) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"design_sha256": "x"}, "event 1 (run_planned): the study's design was changed after launch"),
        ({"design_kept": "x"}, "event 1 (run_planned): the study's design was changed after launch"),
        ({"plan_sha256": "x"}, "event 1 (run_planned): the judging's plan was changed after its start"),
        ({"number": 2}, "event 1 (run_planned): the run was moved to another study or number"),
        ({"calls": with_call("c1", request_sha256="x")}, "event 2 (call_sent): the request of call c1 was changed"),
        ({"calls": with_call("c1", attempt=2)}, "event 2 (call_sent): the attempt or model of call c1 was changed"),
        (
            {"calls": with_call("c1", templates_sha256="x")},
            "event 2 (call_sent): the prompt templates' hashes of call c1 were changed",
        ),
        (
            {"calls": with_call("c1", state="discarded")},
            "event 4 (call_ended): call c1 is kept as discarded, it ended as answered",
        ),
        ({"calls": with_call("c1", response_kept="x")}, "event 4 (call_ended): the response of call c1 was changed"),
        ({"calls": with_call("c1", tokens_out=8)}, "event 4 (call_ended): tokens_out of call c1 was changed"),
        ({"artifacts": {}}, "event 5 (artifact_written): document E1/memo is gone"),
        (
            {"artifacts": {"a1": ArtifactEvidence("E1/memo", "x", "x")}},
            "event 5 (artifact_written): the hash or place of document E1/memo was changed",
        ),
        (
            {"artifacts": {"a1": ArtifactEvidence("E1/memo", "x", "b")}},
            "event 5 (artifact_written): document E1/memo was changed",
        ),
        ({"interventions": {}}, "event 9 (intervention): intervention i1 is gone or was changed"),
        (
            {"interventions": {"i1": InterventionEvidence("skip", "u", "w")}},
            "event 9 (intervention): intervention i1 is gone or was changed",
        ),
        ({"calls": {"c2": FAILED, "c3": OPEN}}, "event 2 (call_sent): call c1 is gone"),
        ({"head": "x"}, "event 12 is missing: the chain ends before the event that the run names as its last"),
        ({"length": 12}, "event 12 is missing: the chain ends before the event that the run names as its last"),
        (
            {"calls": {**evidence().calls, "c4": OPEN}, "sums": {**SUMS, "calls_made": 4}},
            "no event tells of call c4",
        ),
        ({"sums": {**SUMS, "tokens_in": 6}}, "the run's tokens_in is 6, what is kept adds up to 5"),
        (
            {"calls": with_call("c1", tokens_in=9), "sums": {**SUMS, "tokens_in": 5}},
            "the run's tokens_in is 5, what is kept adds up to 9",
        ),
    ],
)
def test_what_was_changed_is_named_first(changes: dict[str, Any], words: str):
    assert found(**changes)[0] == words


def test_a_redacted_document_may_differ_from_its_hash():
    changed = {"a1": ArtifactEvidence("E1/memo", "x", "b")}
    assert found(artifacts=changed, redacted=frozenset({"a1"})) == []


def test_nothing_is_said_of_what_follows_a_broken_link():
    events = list(chain())
    events[3] = replace(events[3], body={"call": "c1", "outcome": "answered"})
    assert found(events=events, sums={**SUMS, "steps_done": 9}) == [
        "event 4 (call_ended) was changed after it was written"
    ]
    assert found(events=[*chain()[:2], *chain()[3:]])[0] == "event 3 is missing: found number 4 in its place"
    events = [*chain()[:3], *chain(TOLD[:2] + TOLD[4:])[3:]]
    assert found(events=events) == [f"event 4 ({events[3].kind}) does not follow from the event before it"]
