"""What goes over the wire to a Chat Completions server: every request of whole runs, in each form an endpoint takes."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Schedule
from app.library.reader import events
from app.providers.registry import SchemaMode
from app.services.model_forms import change_model
from app.services.registry import model_entry
from app.services.unit_of_work import reading, unit_of_work
from tests.faults.rehearsed import Bench, bench

__all__ = ["bench"]

pytestmark = pytest.mark.services

API = "openai_compatible"
SHORTEST = 40
"""Characters from which a text of one run counts as its own."""


def in_form(bench: Bench, mode: SchemaMode) -> None:
    """The endpoint takes the schema in another way from now on."""
    for role in ("player", "judge"):
        name = f"fake/{API}-{role}"
        old = model_entry(name)
        with unit_of_work() as work:
            new = old.model_copy(update={"features": old.features.model_copy(update={"schema_mode": mode})})
            change_model(work, name, new, based_on=1, by=bench.stage.user())


def sent(run: UUID) -> dict[str, str]:
    """The texts of every request of a run by its step's key."""
    with reading() as look:
        keys = {step.id: step.key for step in look.steps.of_run(run)}
        bodies = {keys[call.step_id]: look.calls.texts(call.id)[0] for call in look.calls.of_run(run)}
    return {key: "\n\n".join(part["content"] for part in json.loads(body)["messages"]) for key, body in bodies.items()}


def texts_in(value: Any) -> Iterable[str]:
    """Every longer text in a document."""
    if isinstance(value, str) and len(value) >= SHORTEST:
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_in(item)


@pytest.mark.parametrize("mode", [SchemaMode.JSON_SCHEMA, SchemaMode.JSON_OBJECT, SchemaMode.JSON_ONLY])
def test_nine_eras_complete_in_each_form(bench: Bench, mode: SchemaMode):
    in_form(bench, mode)
    run = bench.launch(API, conditions=(Condition.FULL,), schedule="history-1990-2040")
    bench.stage.play(run)
    assert bench.stage.run(run).state == "finished"
    assert bench.stage.run(run).calls_made == 65
    formats = {json.dumps(seen.body.get("response_format", {}).get("type")) for seen in bench.provider.seen}
    assert formats == {json.dumps(None if mode is SchemaMode.JSON_ONLY else mode.value)}
    bench.check(run)


@dataclass(frozen=True)
class Played:
    """A run that came to its end: the text of each request by its step's key, and the longer texts it wrote."""

    sent: dict[str, str]
    wrote: frozenset[str]


@dataclass(frozen=True)
class Kept:
    """A run of every condition of a controlled study, and the texts that reached the provider."""

    schedule: Schedule
    runs: dict[str, Played]
    arrived: list[str]


_KEPT: list[Kept] = []


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Kept:
    """What the runs said, which were played once."""
    if not _KEPT:
        _KEPT.append(play_every_condition(request.getfixturevalue("bench")))
    return _KEPT[0]


def play_every_condition(bench: Bench) -> Kept:
    conditions = tuple(one for one in Condition if not one.founder_revises)
    first = bench.launch(API, conditions=conditions, schedule="history-1990-2040")
    with reading() as look:
        study = look.runs.get(first).study_id
        runs = look.runs.of_study(study)
        schedule = look.studies.get(study).design.schedules[0]
    for run in runs:
        bench.stage.play(run.id)
    arrived = ["\n\n".join(part["content"] for part in seen.body["messages"]) for seen in bench.provider.seen]
    return Kept(schedule, {run.condition: Played(sent(run.id), wrote(run.id)) for run in runs}, arrived)


def wrote(run: UUID) -> frozenset[str]:
    """The longer texts of a run's documents."""
    with reading() as look:
        bodies = [one.artifact.model_dump(mode="json") for one in look.artifacts.of_run(run)]
    return frozenset(text for body in bodies for text in texts_in(body))


def test_requests_show_only_what_they_may(kept: Kept):
    assert sorted(text for run in kept.runs.values() for text in run.sent.values()) == sorted(kept.arrived)
    for run in kept.runs.values():
        for key, text in run.sent.items():
            era = kept.schedule.era(key.split("/")[0])
            if not key.endswith(("review", "reading")):
                late = [event.text for event in events() if event.last_day >= era.start and event.text in text]
                assert late == [], key


def test_the_judge_reads_one_shape_and_no_name_of_its_condition(kept: Kept):
    names = re.compile(
        r"no_playbook|no_red_team|single_prompt|\bfull r\d|\br0\d\b|fake[-/]|red.?team|condition", re.IGNORECASE
    )
    shapes: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for run in kept.runs.values():
        for key, text in run.sent.items():
            if key.endswith("/review"):
                material = text[text.index("# Material") :]
                assert not names.search(material), key
                shapes[key].add(tuple(line for line in material.splitlines() if line.startswith("## ")))
    assert len(shapes) == 9
    assert {key: len(found) for key, found in shapes.items() if len(found) != 1} == {}


def test_no_run_reads_another_runs_texts(kept: Kept):
    for condition, run in kept.runs.items():
        others = set().union(*(one.wrote for other, one in kept.runs.items() if other != condition)) - run.wrote
        assert len(others) > 100
        whole = "\n".join(run.sent.values())
        assert [text for text in others if text in whole] == []
