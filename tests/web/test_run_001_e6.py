"""Published Run 001, E6, played again: the board times out, the operator decides alone, the judge is told.

The published run's launch service was away for about thirty minutes, the operator wrote the board's decision, so that
there was no independent Red Team, and the judge was told.
"""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from statistics import mean
from uuid import UUID

import pytest

from app.domain.ids import StudyId
from app.domain.protocol.presets import Briefings, Preset
from app.providers.chat import ChatAnswer, ChatError, ChatRequest, ExactRequest
from app.providers.rehearsal import Rehearsal
from app.services import recording
from app.services.reports import report_study
from app.services.unit_of_work import reading
from app.services.verification import verify_run
from tests.web.conftest import Browser
from tests.web.test_mending import act, written

TIMED_OUT = "no complete answer within 1800 s, the total deadline"
TRAINING = tuple(f"E{number}" for number in range(1, 7))
WORDS = "The launch service timed out; the operator wrote this decision, without an independent Red Team."
WISH = {"reason": "The launch service timed out for half an hour", "judge_told": "true", "judge_words": WORDS}


@pytest.fixture
def outage(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Steps that time out while their keys stand here; the next try does not wait."""
    silent = {"E6/board"}
    answer = Rehearsal.answer

    def scripted(voice: Rehearsal, request: ChatRequest, exact: ExactRequest) -> ChatAnswer:
        if request.step.key in silent:
            raise ChatError(TIMED_OUT, may_be_billed=True)
        return answer(voice, request, exact)

    monkeypatch.setattr(Rehearsal, "answer", scripted)
    monkeypatch.setattr(recording, "_wait", lambda *_: timedelta())
    return silent


def alone(step_id: UUID) -> dict[str, str]:
    """The form a browser sends for a decision without an attack."""
    fields = {name: value for name, value in written(step_id).items() if not name.startswith("attack.")}
    return {**fields, "alone": "yes"}


def test_the_operator_decides_alone_and_every_result_says_so(
    operator: Browser, launch: Callable, perform: Callable, outage: set[str]
):
    study = launch(preset=Preset.PILOT, briefings=Briefings.MODEL)
    perform()
    with reading() as look:
        (run,) = look.runs.of_study(study)
        (stuck,) = [step for step in look.steps.of_run(run.id) if step.state == "needs_operator"]
    assert stuck.key == "E6/board"
    page = operator.get(f"/steps/{stuck.id}").text
    assert TIMED_OUT in page
    assert "without an independent Red Team" in page
    form = operator.get(f"/steps/{stuck.id}?alone=yes").text
    assert 'name="attack.summary"' not in form
    assert 'name="decision.company_name"' in form

    outage.clear()  # the service is back
    fields = {**alone(stuck.id), **WISH}
    attacked = act(operator, stuck.id, "write", {**fields, "alone": ""})
    assert attacked.status_code == 422
    done = act(operator, stuck.id, "write", fields)
    assert done.url.path == f"/runs/{run.id}", done.text[done.text.find("alert") :][:600]
    assert act(operator, stuck.id, "write", fields).status_code == 409
    perform()

    with reading() as look:
        run = look.runs.get(run.id)
        (review,) = [step for step in look.steps.of_run(run.id) if step.key == "E6/review"]
        request, _ = look.calls.texts(look.calls.of_step(review.id)[0].id)
        verdict = verify_run(look, run)
    assert run.state == "finished"
    assert WORDS in request  # the judge was told, in exactly these words
    assert verdict.problems == ()
    board = operator.get(f"/runs/{run.id}").text
    assert "written by hand" in board or "write by hand" in board
    era = operator.get(f"/runs/{run.id}/eras/E6").text
    assert WORDS in era
    assert "The judge was told" in era
    assert "No independent Red Team attacked this decision" in era
    assert "It could not search the web" in operator.get(f"/runs/{run.id}/eras/E7").text
    assert "none in E7" in board
    assert "written by hand" in operator.get(f"/studies/{study}").text
    made = operator.get(f"/interventions?kind=write_by_hand&run={run.id}").text
    assert TIMED_OUT in made
    assert "independent red team" in made

    lines = list(csv.DictReader(io.StringIO(operator.get(f"/studies/{study}/exports/scores.csv").text)))
    assert [line["era"] for line in lines if line["intervened"] == "yes"] == ["E6"]
    totals = {line["era"]: float(line["subscore_sum_x2"]) for line in lines}
    without = [total for era, total in totals.items() if era != "E6"]
    assert len(without) == len(totals) - 1
    assert mean(without) != mean(totals.values())
    check_results(operator, study, [total for era, total in totals.items() if era in TRAINING and era != "E6"])


def check_results(operator: Browser, study: StudyId, without: list[float]) -> None:
    """Every figure and table with the era and without it, each saying which."""
    address = f"/studies/{study}/results"
    kept, left = operator.get(address).text, operator.get(f"{address}?interventions=leave_out").text
    assert "1 era (full r01 E6) carries one" in kept
    assert "left out: 1 era (full r01 E6)" in left
    assert "read it as a sensitivity check" in left
    assert f'<td class="n">{mean(without):.1f}</td>' in left
    assert f'<td class="n">{mean(without):.1f}</td>' not in kept
    for name in ("era-totals", "gaps", "total-hindsight", "subscores", "typed-mechanical", "layer-distance"):
        plots = f"/studies/{study}/plots/{name}"
        told, silent = (operator.get(f"{plots}.json?interventions={one}").text for one in ("keep", "leave_out"))
        assert "With interventions: 1 era (full r01 E6) carries one." in told
        assert "Without interventions: 1 era (full r01 E6) left out." in silent
        assert "5 judged eras" in silent
    numbers = operator.get(f"/studies/{study}/plots/gaps.csv?interventions=leave_out").text
    assert {line["era"] for line in csv.DictReader(io.StringIO(numbers))} == set(TRAINING) - {"E6"}
    headings = [section.title for section in report_study(study).report.sections]
    for words in ("with", "without"):
        assert f"Training eras, The Record’s rubric, {words} interventions" in headings
