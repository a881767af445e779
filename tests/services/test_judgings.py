"""Judging stored decisions again through the real engine: packets, seeds, books, and what is started when."""

import json
from typing import Any
from uuid import UUID

import pytest

from app.domain.engine.judgings import FIRST_JUDGING
from app.services import judgings, studies
from app.services.progress import study_progress
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_runs
from tests.services.stage import Stage, design

pytestmark = pytest.mark.services

FURTHER = (
    {"judge": studies.choose_model("rehearsal/dazzled", 1.0).model_dump()},
    {"judge": studies.choose_model("rehearsal/strict", 1.0).model_dump(), "anchors": "options"},
)


def played(stage: Stage, **changes: Any):
    """A study whose runs have all ended; gives its id and their ids."""
    first = stage.launch(**changes)
    with reading() as look:
        study = look.runs.get(first).study_id
        runs = [run.id for run in look.runs.of_study(study)]
    for run in runs:
        stage.play(run)
    return study, runs


def requests(stage: Stage, run: UUID) -> dict[str, dict]:
    """The prompt of every call of a run, by its step's key."""
    with reading() as look:
        keys = {step.id: step.key for step in look.steps.of_run(run)}
        return {keys[call.step_id]: json.loads(look.calls.texts(call.id)[0]) for call in look.calls.of_run(run)}


def test_further_judges_start_when_all_runs_ended_and_see_the_first_judges_packet(stage: Stage):
    planned = {"conditions": ("full", "no_playbook"), "further_judges": FURTHER}
    study, runs = played(stage, **planned)
    with reading() as look:
        assert look.runs.judgings(study) == ()
        assert study_progress(look, study).moving
    with unit_of_work() as work:
        assert judgings.start_further(work, study) == 2
    with unit_of_work() as work:
        assert judgings.start_further(work, study) == 0
    with reading() as look:
        again = look.runs.judgings(study)
        assert len(look.runs.of_study(study)) == 2
    assert [run.number for run in again] == [FIRST_JUDGING, FIRST_JUDGING + 1]
    for judging in again:
        stage.play(judging.id)
        stage.check_books(judging.id)
    made = [stage.run(run) for run in [*runs, *(one.id for one in again)]]
    assert {run.state for run in made} == {"finished"}
    assert sum(run.calls_made for run in made) == studies.estimate_study(design(**planned)).calls
    with reading(one_moment=True) as look:
        verdicts = verify_runs(look, str(study))
        assert study_progress(look, study).is_complete
    assert len(verdicts) == 4
    assert all(verdict.is_sound for verdict in verdicts)
    first = requests(stage, runs[0])
    second, third = (requests(stage, one.id) for one in again)
    for key in ("E1/review", "E2/review"):
        era = key.split("/")[0]
        assert second[f"{era}/review/r001/plain/1"]["messages"] == first[key]["messages"]
        other = third[f"{era}/review/r001/plain/1"]["messages"]
        assert other != first[key]["messages"]
        assert other[1]["content"].split("## Rubric")[0] == first[key]["messages"][1]["content"].split("## Rubric")[0]
