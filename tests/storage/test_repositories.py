"""Repositories: unique keys refuse doubles, records come back as they were, absent things have names."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.domain.engine.steps import plan_steps
from app.domain.ids import StepId
from app.domain.protocol.conditions import Condition
from app.services.unit_of_work import reading, unit_of_work
from app.storage.errors import NotFoundError
from app.storage.steps import Claim
from tests.services.stage import Stage, design

pytestmark = pytest.mark.services

KEY = "E1/decision"


@pytest.fixture
def run(stage: Stage) -> UUID:
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))
    stage.perform(run, KEY)
    return run


def test_a_step_of_the_same_key_fails_instead_of_doubling(stage: Stage, run: UUID):
    with reading() as look:
        state = look.runs.get(run)
    planned = next(
        step for step in plan_steps(design(), Condition.SINGLE_PROMPT, design().schedules[0]) if step.key == KEY
    )
    with pytest.raises(IntegrityError, match="steps_run_id_key_key"), unit_of_work() as work:
        work.steps.add(StepId(uuid4()), state.id, planned, work.now)


def test_a_second_document_of_a_step_is_refused(run: UUID):
    with reading() as look:
        kept = next(kept for kept in look.artifacts.of_run(run) if kept.key == KEY)
    with pytest.raises(IntegrityError, match="artifacts"), unit_of_work() as work:
        work.artifacts.add(kept, "E1", kept.artifact.model_dump(mode="json"))


def test_artifacts_come_back_as_the_documents_they_are(run: UUID):
    with reading() as look:
        first, second = look.artifacts.of_run(run, era="E1")
        missing = look.artifacts.missing(run, ["E1/briefing"])
        everything = look.artifacts.missing(run, [])
        assert look.artifacts.of_run(run, era="E2") == ()
    assert [first.key, second.key] == ["E1/briefing", KEY]
    assert missing == {KEY: second.artifact}
    assert everything == {"E1/briefing": first.artifact, KEY: second.artifact}


def test_a_lease_is_left_once_and_only_by_its_holder(stage: Stage, run: UUID):
    step = stage.step(run, "E1/review").id
    with unit_of_work() as work:
        lease = work.steps.claim(step, Claim(uuid4(), "one"))
        assert work.steps.claim(step, Claim(uuid4(), "two")) is None
    with unit_of_work() as work:
        assert not work.steps.leave(replace(lease, token=uuid4()), "done")
        assert work.steps.leave(lease, "ready")
        assert not work.steps.leave(lease, "done")
    assert stage.step(run, "E1/review").state == "ready"


@pytest.mark.parametrize("table", ["runs", "steps", "calls"])
def test_only_states_that_have_a_name_are_kept(run: UUID, table: str):
    with pytest.raises(IntegrityError, match=f"{table}_state"), unit_of_work() as work:
        work.session.execute(text(f"UPDATE {table} SET state = 'odd'"))


def test_what_is_not_there_is_named(stage: Stage):
    unknown = uuid4()
    with reading() as look:
        for noun, find in {
            "run": look.runs.get,
            "step": look.steps.get,
            "call": look.calls.get,
            "study": look.studies.get,
        }.items():
            with pytest.raises(NotFoundError, match=f"There is no {noun} {unknown}"):
                find(unknown)
        with pytest.raises(NotFoundError, match="call"):
            look.calls.texts(unknown)
    with pytest.raises(NotFoundError, match="run"), unit_of_work() as work:
        work.runs.lock(unknown)


def test_runs_are_counted_by_their_state(stage: Stage, run: UUID):
    with reading() as look:
        assert (look.runs.count("running"), look.runs.count("finished")) == (1, 0)
        (call,) = look.calls.of_run(run)
        assert look.calls.get(call.id) == call
        assert look.calls.of_step(stage.step(run, KEY).id) == (call,)
