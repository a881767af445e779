"""A study on a real and a fictional schedule, from the form to its audit: each makes runs of its own."""

import re
from collections.abc import Callable
from uuid import UUID

import pytest

from app.domain.protocol.artifacts import Briefing
from app.domain.protocol.fictional import true_profits
from app.domain.scoring.captures import layer_distance, pooled_layers
from app.exports.levels import Level
from app.services.audit_pages import show_audit
from app.services.audits import audit_run
from app.services.check_results import fiction_found
from app.services.exports import level_rows
from app.services.results import Choice, show_results
from app.services.studies import complete_design, estimate_study, read_study_file
from app.services.study_copies import copied_form
from app.services.study_forms import design_from
from app.services.unit_of_work import Reading, reading
from app.services.worlds import library_of, world_of
from tests.web.conftest import Browser
from tests.web.test_new_study import CALLS, FORM

pytestmark = pytest.mark.services

BOTH = FORM | {
    "schedules": ["history-short", "fictional"],
    "world_seeds": "7",
    "conditions": ["single_prompt", "single_prompt_matched"],
    "repetitions": "2",
    "alpha": "0.01",
}
ROW = re.compile(r'<th><a href="(/runs/[^"]+)')


def test_four_real_and_four_fictional_runs(operator: Browser, perform: Callable[..., int]):
    page = operator.post("/studies", BOTH)
    study_id = UUID(page.url.path.rsplit("/", 1)[-1])
    kept = read_study_file(operator.get(f"/studies/{study_id}/study.toml").text)
    perform()
    with reading() as look:
        study, runs = look.studies.get(study_id), look.runs.of_study(study_id)
    assert kept == study.design
    assert study.design.analysis.alpha == 0.01
    assert sum(run.calls_made for run in runs) == estimate_study(study.design).calls
    assert [run.schedule for run in runs] == ["history-short"] * 4 + [study.design.schedules[1].id] * 4
    for run in runs:
        audit_run(run.id)
    with reading() as look:
        _judged_against_the_truth(look, study_id)
        _never_pooled(look, study_id)
    _pages(operator, study_id, study.design.schedules[1].id, study.design.schedules[1].title)


def _judged_against_the_truth(look: Reading, study_id: UUID) -> None:
    audit = show_audit(look, study_id)
    assert audit.layers is not None
    assert audit.layers.eras == 4 * 6
    assert audit.layers.distance.n == 24
    assert audit.layers.distance.value is not None
    assert len(audit.worlds) == 1
    assert audit.captures
    world = audit.page.study.design.schedules[1]
    elsewhere = show_audit(look, study_id, world.id)
    assert [len(cells) for _, cells, _ in audit.tables[0].rows] == [3, 3]
    assert [len(cells) for _, cells, _ in elsewhere.tables[0].rows] == [6, 6]
    assert elsewhere.words == audit.words == audit.tables[0].whole.words + elsewhere.tables[0].whole.words
    fiction = fiction_found(look, audit.page.study, look.runs.of_study(study_id))
    assert fiction is not None
    assert "24 eras" in str(fiction)
    assert "the market model’s truth" in str(show_results(look, study_id, Choice(scale="fictional")).figures)
    for row in level_rows(look, audit.page.study, Level.SCORES):
        if row["schedule"] == world.id:
            true = pooled_layers(true_profits(world_of(world), row["era"]))
            assert row["layer_distance"] == layer_distance(row["layer"], true, library_of(world).layers)


def _never_pooled(look: Reading, study_id: UUID) -> None:
    real, invented = (show_results(look, study_id, Choice(scale=name)) for name in ("training", "fictional"))
    assert [len(view.lines) for view in (real, invented)] == [4, 4]
    assert [len(line.eras) for line in (*real.lines, *invented.lines)] == [3] * 4 + [6] * 4
    assert real.judged == invented.judged
    assert real.judged is not None
    assert [runs for _, runs in real.judged.schedules] == [4, 4]
    study = look.studies.get(study_id)
    rows = list(level_rows(look, study, Level.SCORES))
    assert [row["schedule"] for row in rows] == ["history-short"] * 12 + [study.design.schedules[1].id] * 24
    assert len({row["run"] for row in rows}) == 8
    runs = look.runs.of_study(study_id)
    first = [look.artifacts.missing(run.id, ())["E1/briefing"] for run in runs if run.schedule == "history-short"]
    assert all(isinstance(one, Briefing) for one in first)
    assert first[0] == first[2]  # one replicate of two conditions
    assert first[0] != first[1]  # two replicates of one


def _pages(operator: Browser, study_id: UUID, fiction: str, title: str) -> None:
    grid = operator.get(f"/studies/{study_id}").text
    assert title in grid
    assert grid.count('<th><a href="/runs/') == 4
    there = operator.get(f"/studies/{study_id}?schedule={fiction}").text
    assert not set(ROW.findall(grid)) & set(ROW.findall(there))
    audit = operator.get(f"/studies/{study_id}/audit?schedule={fiction}").text
    assert "Judged layers against the truth of this fictional world" in audit
    assert "over 24 judged eras" in audit
    results = operator.get(f"/studies/{study_id}/results?scale=fictional").text
    assert "4 on history-short, 4 on" in results
    for path in ("audit/findings", "deviations", "judges", "exports"):
        assert operator.get(f"/studies/{study_id}/{path}?schedule={fiction}").status_code == 200
    assert operator.get(f"{ROW.search(there).group(1)}/eras/F1").status_code == 200


def test_the_form_counts_the_runs_of_every_schedule(operator: Browser):
    one = operator.post("/studies/estimate", BOTH | {"schedules": ["history-short"]}).text
    both = operator.post("/studies/estimate", BOTH | {"world_seeds": "7, 8 7"}).text
    assert "4 on each of 3 schedules" in " ".join(both.split())
    assert int(CALLS.search(both).group(1)) > int(CALLS.search(one).group(1))
    page = operator.post("/studies/estimate", BOTH | {"schedules": []}).text
    assert "choose at least one" in page
    assert "write whole numbers" in operator.post("/studies/estimate", BOTH | {"world_seeds": "7, x"}).text


OWN = FORM | {
    "schedules": [],
    "own_title": "Spring of 2026",
    "own_eras": "2026-02-01, 2026-08-01, Spring",
    "own_events": "date,domain,event,source\n2026-01-05,ai,Before the era.,S\n"
    "2026-03,ai,A maker sold a small model.,S\n",
    "conditions": ["single_prompt"],
    "repetitions": "1",
}


def test_a_post_cutoff_era_is_played_with_its_own_events(operator: Browser, perform: Callable[..., int]):
    page = operator.post("/studies", OWN)
    study_id = UUID(page.url.path.rsplit("/", 1)[-1])
    assert "Spring of 2026" in page.text
    kept = read_study_file(operator.get(f"/studies/{study_id}/study.toml").text)
    perform()
    with reading() as look:
        study = look.studies.get(study_id)
        (run,) = look.runs.of_study(study_id)
        heard = [look.calls.texts(call.id)[0] for call in look.calls.of_run(run.id)]
        fiction = fiction_found(look, study, [run])
        scores = list(level_rows(look, study, Level.SCORES))
    assert kept == study.design
    assert [event.text for event in kept.schedules[0].events] == ["Before the era.", "A maker sold a small model."]
    told = ["A maker sold a small model." in text for text in heard]
    assert any(told)
    assert not all(told)  # what happened is the judge's alone
    assert fiction is not None
    assert [row["mode"] for row in scores] == ["post_cutoff"]
    assert "A maker sold a small model." in operator.get(f"/runs/{run.id}/eras/P1/window").text
    assert "post-cutoff eras" in operator.get(f"/studies/{study_id}/results").text


def test_events_are_taken_over_from_an_earlier_study(operator: Browser):
    page = operator.post("/studies", OWN | {"repetitions": "2", "alpha": "0.02", "run_calls": "50"})
    study_id = UUID(page.url.path.rsplit("/", 1)[-1])
    assert f"/studies/new?from={study_id}" in page.text
    copied = operator.get(f"/studies/new?from={study_id}").text
    offered = operator.get("/studies/new").text
    assert f'href="/studies/new?events={study_id}"' in offered
    assert "A maker sold a small model." not in offered
    taken = operator.get(f"/studies/new?events={study_id}").text
    for shown in (copied, taken):
        assert "2026-03,ai,A maker sold a small model.,S,unresolved" in shown
        assert "2026-02-01, 2026-08-01, Spring" in shown
        assert 'value="Spring of 2026"' in shown
    assert 'value="Small again"' in copied
    assert 'value="Small again"' not in taken
    with reading() as look:
        form = copied_form(look, study_id)
        whole = look.studies.get(study_id).design
    again = design_from(form)
    assert again.schedules[0].events == whole.schedules[0].events
    assert again.schedules[0].eras == whole.schedules[0].eras
    same = {"name", "schedules", "schedule"}
    assert complete_design(again).model_dump(exclude=same) == whole.model_dump(exclude=same)
    assert operator.get(f"/studies/new?from={UUID(int=5)}").status_code == 404


def test_a_study_is_launched_again_from_its_own_page(operator: Browser):
    again = {"further_judges": ["rehearsal/dazzled"], "further_anchors": ["options"], "temperature": "0.7"}
    study_id = UUID(operator.post("/studies", BOTH | again).url.path.rsplit("/", 1)[-1])
    with reading() as look:
        form, whole = copied_form(look, study_id), look.studies.get(study_id).design
    copy = complete_design(design_from(form))
    assert copy.model_copy(update={"name": whole.name}) == whole


def test_a_post_cutoff_era_is_refused_with_field_row_and_mend(operator: Browser):
    for changes, words in (
        ({"own_eras": "2025-12-01, 2026-08-01"}, "is not after the training cutoff 2025-12-31 of rehearsal/steady"),
        ({"own_eras": "2026-02-01, 2099-08-01"}, "is still open on"),
        ({"own_eras": "2026-02-01"}, "line 1: write start, end and title"),
        ({"own_events": "date,event\n2026-03,x\n"}, "column missing: domain, source"),
    ):
        page = operator.post("/studies", OWN | changes)
        assert page.status_code == 422
        assert words in " ".join(page.text.split())


def test_a_file_of_events_takes_the_place_of_what_is_written(operator: Browser):
    def sent(content: bytes) -> str:
        files = {"events_file": ("events.csv", content, "text/csv")}
        form = OWN | {"own_events": "", "csrf_token": operator.token}
        return operator.client.post("/studies/estimate", data=form, files=files).text

    read = sent(OWN["own_events"].encode())
    assert CALLS.search(read)
    assert "A maker sold a small model." in read
    assert "is not UTF-8 text. Save the file as CSV in UTF-8." in sent(b"date,domain,event,source\n2026-03,ai,\xff,s\n")
    assert "larger than" in sent(b"x" * 300_000) or "180000" in sent(b"x" * 300_000)
