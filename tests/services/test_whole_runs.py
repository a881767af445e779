"""Whole runs through claim, perform and record: calls as planned and estimated, sums and ledgers true."""

import pytest

from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Preset
from app.services import studies
from app.services.unit_of_work import reading
from tests.services.stage import Stage, design

pytestmark = pytest.mark.services

MATCHED = "single_prompt_matched"
WAYS = [
    (
        Preset.PILOT,
        Briefings.MODEL,
        {"full": 46, "no_playbook": 46, "no_red_team": 46, "single_prompt": 19, MATCHED: 46},
    ),
    (
        Preset.CONTROLLED,
        Briefings.DRAWN,
        {"full": 65, "no_playbook": 65, "no_red_team": 56, "single_prompt": 20, MATCHED: 56},
    ),
    (
        Preset.CONTROLLED,
        Briefings.MODEL,
        {"full": 72, "no_playbook": 72, "no_red_team": 63, "single_prompt": 27, MATCHED: 63},
    ),
]


@pytest.mark.parametrize(("preset", "briefings", "calls"), WAYS, ids=["pilot", "drawn", "model"])
def test_nine_eras_make_the_protocols_calls_as_estimated(
    stage: Stage, preset: Preset, briefings: Briefings, calls: dict[str, int]
):
    planned = {
        "schedule": "history-1990-2040",
        "conditions": tuple(Condition),
        "preset": preset,
        "briefings": briefings,
    }
    first = stage.launch(**planned)
    with reading() as look:
        runs = look.runs.of_study(look.runs.get(first).study_id)
    for run in runs:
        stage.play(run.id)
    made = {run.condition: stage.run(run.id) for run in runs}
    assert {condition: run.calls_made for condition, run in made.items()} == calls
    assert {condition: run.calls_owed for condition, run in made.items()} == calls
    assert studies.estimate_study(design(**planned)).calls == sum(calls.values())
    assert {run.state for run in made.values()} == {"finished"}
    for run in made.values():
        assert run.steps_done == run.steps_owed
        assert run.finished_at is not None
        assert run.tokens_in > 0
        stage.check_books(run.id)


def test_a_study_says_its_hash_and_that_it_is_a_rehearsal(stage: Stage):
    run = stage.launch()
    with reading() as look:
        study = look.studies.get(look.runs.get(run).study_id)
        assert look.studies.newest(limit=5) == (study,)
    planned = stage.events(run)[0]
    assert planned.kind == "run_planned"
    assert planned.body["design_sha256"] == study.design_hash
    assert study.design == studies.complete_design(design())
    assert study.rehearsal


def test_the_same_study_gives_the_same_texts(stage: Stage):
    twice = []
    for _ in range(2):
        run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))
        stage.play(run)
        with reading() as look:
            twice.append({kept.key: kept.body_hash for kept in look.artifacts.of_run(run)})
    assert twice[0] == twice[1]


def test_replicates_share_their_drawn_briefings_across_conditions(stage: Stage):
    first = stage.launch(conditions=(Condition.FULL, Condition.SINGLE_PROMPT), repetitions=2)
    with reading() as look:
        runs = look.runs.of_study(look.runs.get(first).study_id)
        drawn = {run.name: look.artifacts.of_run(run.id, era="E1")[0].body_hash for run in runs}
    assert drawn["full r01"] == drawn["single_prompt r01"] != drawn["full r02"] == drawn["single_prompt r02"]


def test_every_document_knows_its_call_and_every_call_its_sources(stage: Stage):
    run = stage.launch()
    stage.play(run)
    calls = {call.id: call for call in stage.calls(run)}
    with reading() as look:
        for kept in look.artifacts.of_run(run):
            assert (kept.call_id is None) == (kept.key.endswith("/briefing"))
            assert kept.written_by is None
            if kept.call_id:
                assert calls[kept.call_id].step_id == kept.step_id
        decision = next(step for step in look.steps.of_run(run) if step.key == "E1/decision")
        (call,) = look.calls.of_step(decision.id)
        assert call.sources == ("E1/attack",)
        assert call.template_hashes
        request, response = look.calls.texts(call.id)
    assert "1990-01-01" in request
    assert "company_name" in (response or "")
