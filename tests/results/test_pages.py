"""Results, figures, deviations and comparisons of rehearsal studies, as a browser gets them."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from sqlalchemy import text

from app.domain.ids import StudyId
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Preset
from app.imports.scores import parse_scores
from app.library.reader import schedule
from app.services.results import Choice, show_results
from app.services.unit_of_work import reading, unit_of_work
from tests.web.conftest import Browser

Launch = Callable[..., StudyId]
Perform = Callable[..., int]

pytestmark = pytest.mark.services

CONTROLLED = {
    "schedule": schedule("history-short"),
    "conditions": (Condition.FULL, Condition.NO_PLAYBOOK),
    "repetitions": 2,
}


@pytest.fixture
def study(launch: Launch, perform: Perform):
    study_id = launch(**CONTROLLED)
    perform()
    return study_id


def test_results_wait_for_the_first_judged_era(auditor: Browser, launch: Launch):
    shown = auditor.get(f"/studies/{launch()}/results").text
    assert "No era of this study is judged yet" in shown


def test_results_show_hypotheses_figures_and_runs_with_the_rehearsal_mark(auditor: Browser, study: StudyId):
    shown = auditor.get(f"/studies/{study}/results").text
    for words in ("Hypotheses, fixed before launch", "Holm", "the training slope of T*", "fewer than six", "Compare"):
        assert words in shown
    assert shown.count('<figure class="sheet plot"') >= 4
    assert "Table of its numbers" in shown
    assert "rehearsal model" in shown
    assert "no playbook r02" in shown


def test_playbooks_are_counted_by_condition_as_the_lessons_are_exported(auditor: Browser, study: StudyId):
    rows = list(csv.DictReader(io.StringIO(auditor.get(f"/studies/{study}/exports/lessons.csv").text)))
    with reading() as look:
        lines = show_results(look, study, Choice()).playbooks
        conditions = {str(run.id): run.condition for run in look.runs.of_study(study)}
    assert [line.condition for line in lines] == ["full", "no_playbook"]
    for line in lines:
        own = [row for row in rows if conditions[row["run_id"]] == line.condition]
        assert line.runs == 2
        assert line.lessons.value == len(own) / 2
        assert line.revisions.value == sum(bool(row["revises"] or row["retires"]) for row in own) / 2
        assert line.citations.value == sum(int(row["cited"]) for row in own) / 2
        assert sum(share.value for share in line.shares.values()) == pytest.approx(1)
    assert lines[1].citations.value == 0
    shown = auditor.get(f"/studies/{study}/results").text
    assert f'<td class="n">{lines[0].lessons.value:.1f}</td>' in shown[shown.index('id="playbooks"') :]


def test_how_alike_decisions_are_is_shown_and_exported(auditor: Browser, study: StudyId):
    shown = auditor.get(f"/studies/{study}/results").text
    table = shown[shown.index("Similarity of decisions") :]
    assert all(f">{name}</td>" in table for name in ("all runs", "full", "no playbook"))
    text_of = auditor.get(f"/studies/{study}/exports/similarity.csv").text
    rows = list(csv.DictReader(io.StringIO(text_of)))
    assert len(rows) == 6 * 3  # every two of four runs, in each of three eras
    assert {row["era"] for row in rows} == {"E1", "E2", "E3"}
    assert all(0 < float(row["similarity"]) <= 1 for row in rows)
    mean = sum(float(row["similarity"]) for row in rows) / len(rows)
    assert f"<b>{mean:.2f}</b>" in table
    assert len({(row["run_id"], row["other_run_id"]) for row in rows}) == 6
    assert all(row["run"] != row["other_run"] for row in rows)


@pytest.mark.parametrize("name", ["era-totals", "gaps", "total-hindsight", "subscores", "layer-distance"])
def test_every_figure_has_a_picture_a_specification_and_its_numbers(auditor: Browser, study: StudyId, name: str):
    where = f"/studies/{study}/plots/{name}"
    picture = auditor.get(f"{where}.svg?theme=dark&size=narrow")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.startswith("<svg")
    assert "Rehearsal model" in picture.text
    spec = json.loads(auditor.get(f"{where}.json").text)
    assert any("n = 4 runs" in line for line in spec["title"]["subtitle"])
    assert "title" not in json.loads(auditor.get(f"{where}.json?titles=off").text)
    rows = list(csv.reader(io.StringIO(auditor.get(f"{where}.csv").text)))
    assert len(rows) > 1
    assert auditor.get(f"{where}.pdf").content.startswith(b"%PDF")


def test_figures_and_forms_there_are_not_are_missing(auditor: Browser, study: StudyId):
    assert auditor.get(f"/studies/{study}/plots/typed-mechanical.svg").status_code == 404
    assert auditor.get(f"/studies/{study}/plots/pie.svg").status_code == 404
    assert auditor.get(f"/studies/{study}/plots/gaps.exe").status_code == 404


def test_rubrics_are_shown_one_at_a_time(auditor: Browser, launch: Launch, perform: Perform):
    study = launch()
    perform()
    record = auditor.get(f"/studies/{study}/results").text
    assert "live and forecast eras, The Auditor" in record
    other = auditor.get(f"/studies/{study}/results?scale=auditor").text
    assert "plausibility" in other
    assert "frontier accuracy" not in other
    assert "Hypotheses, fixed before launch" not in other


def test_typed_totals_stand_beside_mechanical_ones(auditor: Browser, launch: Launch, perform: Perform):
    study = launch(preset=Preset.PILOT, briefings=Briefings.MODEL, schedule=schedule("history-short"))
    perform()
    shown = auditor.get(f"/studies/{study}/results?total=typed").text
    assert "Totals the judge typed against mechanical totals" in shown
    assert "T − T̃" in shown


def test_the_scores_can_be_read_by_the_score_command(auditor: Browser, study: StudyId):
    content = auditor.get(f"/studies/{study}/exports/scores.csv").content
    table = parse_scores(content, "scores.csv")
    assert {era.run for era in table.eras} == {"full r01", "full r02", "no_playbook r01", "no_playbook r02"}
    assert not any(era.intervened for era in table.eras)


def test_a_study_as_designed_deviates_nowhere(auditor: Browser, study: StudyId):
    assert "Every run, setting, step and call is as designed" in auditor.get(f"/studies/{study}/deviations").text


def test_a_changed_setting_a_dropped_run_and_a_changed_design_are_listed_and_nothing_else(
    auditor: Browser, study: StudyId
):
    with unit_of_work() as work:
        runs = work.runs.of_study(study)
        work.session.execute(text("update runs set state = 'cancelled' where id = :id"), {"id": runs[3].id})
        changed = """update calls set settings = '{"temperature": 0.3}' where id = (select calls.id from calls
            join steps on steps.id = step_id where calls.run_id = :id and key = 'E1/attack')"""
        work.session.execute(text(changed), {"id": runs[0].id})
        design = "update studies set design = jsonb_set(design, '{seed}', '9') where id = :id"
        work.session.execute(text(design), {"id": study})
    shown = auditor.get(f"/studies/{study}/deviations").text
    assert shown.count("<li>") == 3
    for words in ("The stored design no longer gives the hash", "cancelled before its end", "Temperature 0.3"):
        assert words in shown


def test_runs_are_compared_era_by_era_and_word_by_word(auditor: Browser, study: StudyId):
    with reading() as look:
        first, second, *_ = [run.id for run in look.runs.of_study(study)]
    shown = auditor.get(f"/compare?run={first}&run={second}&era=E1").text
    assert "E1: the same step in both" in shown
    assert "<del>" in shown
    assert "<ins>" in shown
    briefing = auditor.get(f"/compare?run={first}&run={second}&era=E1&step=E1/review").text
    assert "reveal" in briefing


def test_comparing_needs_two_runs(auditor: Browser):
    assert "Choose two to four runs" in auditor.get("/compare").text


def test_contrasts_with_no_playbook_leave_its_item_out(auditor: Browser, launch: Launch, perform: Perform):
    study = launch(conditions=(Condition.FULL, Condition.NO_PLAYBOOK))
    perform()
    shown = auditor.get(f"/studies/{study}/results?scale=auditor").text
    assert "Era totals of each run: total without playbook consistency" in shown
