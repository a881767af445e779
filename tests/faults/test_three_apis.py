"""The same nine eras through each API: requests field by field as in golden/, prompts and documents alike.

``AUTOLAB_GOLDEN=write`` writes the golden files anew: read their difference before keeping it.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app.domain.protocol.conditions import Condition
from app.library.reader import schedule
from app.providers.searches import web_searches
from app.services.unit_of_work import reading
from tests.faults.rehearsed import APIS, KEY, PATHS, Bench

pytestmark = pytest.mark.services

NINE = schedule("history-1990-2040")
SEARCHING = ("anthropic", "openai")
GOLDEN = Path(__file__).parent / "golden"
SAMPLING = {"temperature", "top_p", "top_k", "seed"}
TEXTS = {"system", "instructions", "input", "content"}


def requests_of(run: UUID) -> dict[str, Any]:
    """The body of each step's call as it was kept, by step, in the order of sending."""
    with reading() as look:
        keys = {step.id: step.key for step in look.steps.of_run(run)}
        return {keys[call.step_id]: json.loads(look.calls.texts(call.id)[0]) for call in look.calls.of_run(run)}


def without_texts(body: Any) -> Any:
    """A body with its prompts blotted out: they are the library's matter, and alike in all three."""
    if isinstance(body, list):
        return [without_texts(item) for item in body]
    if not isinstance(body, Mapping):
        return body
    return {
        name: "…" if name in TEXTS and isinstance(value, str) else without_texts(value) for name, value in body.items()
    }


def texts_of(body: Mapping[str, Any]) -> tuple[str, ...]:
    if "messages" not in body:
        return body["instructions"], body["input"]
    said = tuple(message["content"] for message in body["messages"])
    return (body["system"], *said) if "system" in body else said


def shown(requests: Mapping[str, Any]) -> dict[str, Any]:
    """The first request of each kind of step in full, and how many there were; live and forecast eras apart."""
    kinds: dict[str, Any] = {}
    modes = {era.id: era.mode for era in NINE.eras}
    for key in sorted(requests):
        body, (era, step) = requests[key], key.split("/")[:2]
        kind = f"{step}, {modes[era]}"
        kinds.setdefault(kind, {"requests": 0, "first": without_texts(body)})
        kinds[kind]["requests"] += 1
    return dict(sorted(kinds.items()))


@pytest.mark.parametrize("api", APIS)
def test_requests_are_those_of_the_golden_file(bench: Bench, api: str):
    if api in SEARCHING:
        bench.let_judges_search(api)
    run = bench.launch(api, NINE, conditions=(Condition.FULL,))
    bench.stage.play(run)
    assert bench.stage.run(run).state == "finished"
    requests = requests_of(run)
    seen = bench.provider.seen
    assert len(seen) == len(requests) == bench.stage.run(run).calls_owed == 65
    assert sorted(json.dumps(one.body, sort_keys=True) for one in seen) == sorted(
        json.dumps(body, sort_keys=True) for body in requests.values()
    )
    assert {one.path for one in seen} == {PATHS[api]}
    assert {one.headers["authorization"] for one in seen} == {f"Bearer {KEY}"}
    file = GOLDEN / f"{api}.json"
    made = json.dumps(shown(requests), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("AUTOLAB_GOLDEN") == "write":
        file.write_text(made, encoding="utf-8")
    assert json.loads(made) == json.loads(file.read_text(encoding="utf-8"))
    bench.check(run)


@pytest.mark.parametrize("api", APIS)
def test_golden_files_hold_what_each_api_is_about(api: str):
    kinds = json.loads((GOLDEN / f"{api}.json").read_text(encoding="utf-8"))
    assert sum(kind["requests"] for kind in kinds.values()) == 65
    for name, first in ((name, kind["first"]) for name, kind in kinds.items()):
        assert ("tools" in first) is (name == "review, live" and api in SEARCHING)
        match api:
            case "anthropic":
                assert not SAMPLING & first.keys()
                if "tools" not in first:
                    assert first["output_config"]["format"]["type"] == "json_schema"
                assert '"minimum"' not in json.dumps(first)
            case "openai":
                assert first["store"] is False
                assert first["text"]["format"]["strict"] is True
                assert "seed" not in first
            case _:
                assert first["response_format"]["json_schema"]["strict"] is True
                assert first["temperature"] == 1.0


def test_prompts_and_documents_are_alike_in_all_three(bench: Bench):
    played = []
    for api in APIS:
        run = bench.launch(api)
        bench.stage.play(run)
        prompts = {key: texts_of(body) for key, body in requests_of(run).items()}
        with reading() as look:
            hashes = {kept.key: kept.body_hash for kept in look.artifacts.of_run(run)}
        played.append((prompts, hashes))
        bench.check(run)
    assert played[0] == played[1] == played[2]


@pytest.mark.parametrize("api", APIS)
def test_only_the_judge_of_a_live_era_searches_and_a_run_without_says_so(bench: Bench, api: str):
    can_search = api in SEARCHING
    if can_search:
        bench.let_judges_search(api)
    run = bench.launch(api, NINE.model_copy(update={"eras": NINE.eras[5:7]}))
    bench.stage.play(run)
    assert bench.stage.run(run).state == "finished"
    calls = {step.key: bench.stage.calls(run, step.key)[0] for step in bench.stage.steps(run, "done") if step.attempts}
    said = {key: call.settings["web_search"] for key, call in calls.items() if "web_search" in call.settings}
    assert said == {"E7/review": can_search}
    assert {key for key, body in requests_of(run).items() if "tools" in body} == (
        {"E7/review"} if can_search else set()
    )
    with reading() as look:
        kept = json.loads(look.calls.texts(calls["E7/review"].id)[1] or "")
    found = web_searches(kept)
    assert (found.queries if found else None) == (("what is done today",) if can_search else None)
    assert calls["E7/review"].searches == (1 if can_search else None)
    assert calls["E6/review"].searches is None
    bench.check(run)
