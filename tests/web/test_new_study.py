"""The launch page: its estimate, its problems, and what launching makes."""

import re

import pytest

from app.domain.protocol.analysis import Hypothesis
from app.domain.study import design_hash
from app.services import budgets
from app.services.studies import read_study_file
from app.services.unit_of_work import reading
from tests.web.conftest import Browser

FORM = {
    "name": "Small",
    "preset": "controlled",
    "schedules": ["history-1990-2040"],
    "conditions": ["full", "single_prompt"],
    "repetitions": "2",
    "players": ["rehearsal/steady"],
    "judge": "rehearsal/strict",
    "author": "rehearsal/author",
    "mapping": "department",
    "briefings": "drawn",
    "briefing_facts": "22",
    "temperature": "",
    "seed": "7",
    "pace_seconds": "0",
    "hypotheses": [str(one) for one in Hypothesis],
}
CALLS = re.compile(r'id="estimate-calls">([\d,]+)<')


def test_rehearsal_is_filled_in_ready_to_launch(operator: Browser):
    page = operator.get("/studies/new?from=rehearsal").text
    assert 'value="Rehearsal study"' in page
    assert CALLS.search(page).group(1) == "65"


def test_estimate_needs_no_name_and_a_launch_does(operator: Browser):
    nameless = FORM | {"name": " "}
    assert CALLS.search(operator.get("/studies/new").text)
    assert CALLS.search(operator.post("/studies/estimate", nameless, HX_Request_Type="partial").text)
    refused = operator.post("/studies", nameless | {"name": ""})
    assert refused.status_code == 422
    assert "write something here" in refused.text


def test_estimate_follows_the_form(operator: Browser):
    part = operator.post("/studies/estimate", FORM, HX_Request_Type="partial").text
    assert part.lstrip().startswith('<div id="estimate"')
    assert CALLS.search(part).group(1) == "170"
    whole = operator.post("/studies/estimate", FORM).text
    assert "<html" in whole
    assert CALLS.search(whole).group(1) == "170"
    assert 'value="Small"' in whole


def test_launched_study_is_the_one_that_was_asked_for(operator: Browser):
    page = operator.post("/studies", FORM)
    assert page.url.path.startswith("/studies/")
    assert "Download study file" in page.text
    with reading() as look:
        (study,) = look.studies.newest(limit=5)
        assert len(look.runs.of_study(study.id)) == 4
    assert study.design.seed == 7
    assert study.design.judge.temperature is None
    kept = operator.get(f"{page.url.path}/study.toml")
    assert "attachment" in kept.headers["content-disposition"]
    assert design_hash(read_study_file(kept.text)) == study.design_hash
    assert operator.get(f"{page.url.path}/exports").status_code == 200
    assert operator.get(f"{page.url.path}/interventions").status_code == 200
    assert "Small" in operator.get("/").text
    assert "Small" in operator.get("/studies").text


def test_problems_are_said_beside_their_fields(operator: Browser):
    wrong = {
        "name": {"name": ""},
        "conditions": {"conditions": []},
        "players": {"players": []},
        "repetitions": {"repetitions": "many"},
        "judge": {"judge": "rehearsal/bold"},
        "briefings": {"preset": "pilot"},
        "schedules": {"schedules": ["none"]},
        "world_seeds": {"world_seeds": "7, x"},
    }
    for field, change in wrong.items():
        page = operator.post("/studies", {**FORM, **change})
        assert page.status_code == 422, field
        assert f'id="problem-{field}"' in page.text, field
    unknown = operator.post("/studies", {**FORM, "judge": "nobody/none"})
    assert unknown.status_code == 422
    assert "is not registered" in unknown.text
    with reading() as look:
        assert look.studies.newest(limit=5) == ()


def test_budgets_are_part_of_the_design(operator: Browser):
    bounds = {"study_calls": "500", "study_cost_usd": "1.5", "run_hours": "2", "run_tokens": ""}
    page = operator.post("/studies", {**FORM, **bounds})
    assert page.url.path.startswith("/studies/")
    with reading() as look:
        (study,) = look.studies.newest(limit=5)
    assert study.design.budgets.study.calls == 500
    assert study.design.budgets.study.cost_usd == 1.5
    assert study.design.budgets.run.hours == 2
    assert study.design.budgets.run.tokens is None


def test_budgets_that_do_not_fit_are_said_beside_their_fields(operator: Browser, monkeypatch: pytest.MonkeyPatch):
    for field, wrong in {"study_calls": "0", "run_cost_usd": "-1", "run_tokens": "many"}.items():
        page = operator.post("/studies", {**FORM, field: wrong})
        assert page.status_code == 422, field
        assert f'id="problem-{field}"' in page.text, field
    small = operator.post("/studies/estimate", {**FORM, "study_calls": "10", "run_calls": "2"}).text
    assert small.count("more than its budget") == 2
    monkeypatch.setattr(budgets, "is_priced", lambda _: False)
    unpriced = operator.post("/studies", {**FORM, "run_cost_usd": "5"})
    assert unpriced.status_code == 422
    assert 'id="problem-run_cost_usd"' in unpriced.text
    assert "a cost budget needs prices" in unpriced.text
