"""Sixteen voices in sixteen contexts through an API: as many calls as the protocol says, each of its own context."""

import pytest

from app.domain.engine.steps import StepKind
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Mapping
from app.library.reader import schedule
from tests.faults.rehearsed import Bench
from tests.faults.test_three_apis import requests_of

pytestmark = pytest.mark.services

NINE = schedule("history-1990-2040")
ADDED = 126
"""What the persona mapping adds to nine eras: eleven notes and three replies an era (protocol section 5)."""


def test_the_persona_mapping_makes_the_protocols_number_of_calls(bench: Bench):
    run = bench.launch("openai_compatible", NINE, conditions=(Condition.FULL,), mapping=Mapping.PERSONA)
    bench.stage.play(run)
    record = bench.stage.run(run)
    assert record.state == "finished"
    assert record.calls_made == record.calls_owed == len(bench.provider.seen) == 65 + ADDED
    kinds = [step.kind for step in bench.stage.steps(run, "done")]
    assert kinds.count(StepKind.NOTE) == 11 * 9
    assert kinds.count(StepKind.REPLY) == 3 * 9
    spoken = {body["messages"][0]["content"] for key, body in requests_of(run).items() if key.startswith("E1/note/")}
    assert len(spoken) == 11, "each member is told who it is, and nobody is told the same"
    bench.check(run)
