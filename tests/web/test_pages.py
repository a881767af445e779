"""Every page answers for those who may see it, in every state of a study."""

import html
import re
from collections.abc import Callable
from uuid import UUID

import pytest

from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.library.reader import schedule
from app.services.unit_of_work import reading
from tests.web.conftest import Browser

TAG = re.compile(r"<[a-z][^>]*>")
INLINE = re.compile(r"</?(?:a|b|i|em|small|span|code|mark)(?:\s[^>]*)?>")
RAW = re.compile(r"<pre.*?</pre>", re.DOTALL)
GLUED = re.compile(r"\w{2}[.;:][A-Z][a-z]|\w\s+[,.;]\s")
MOST_NODES = 1_500
SHORT = {"schedule": schedule("history-short")}


def nodes(page: str) -> int:
    return len(TAG.findall(page))


def glued(page: str) -> list[str]:
    """Where sentences of a page run into each other, or a space stands before a comma; texts of models apart."""
    prose = RAW.sub("", page.partition("<main")[2])
    words = html.unescape(re.sub(r"<[^>]*>", "\n|\n", INLINE.sub("", prose)))
    return [words[max(0, one.start() - 40) : one.end() + 20] for one in GLUED.finditer(words)]


@pytest.mark.parametrize(
    "path", ["/", "/studies", "/interventions", "/record", "/models", "/health", "/account", "/help"]
)
def test_empty_house_shows_its_pages(auditor: Browser, path: str):
    assert auditor.get(path).status_code == 200


def test_every_page_leads_to_help_with_its_words_and_links(auditor: Browser):
    assert 'href="/help/glossary"' in auditor.get("/health").text
    methods = auditor.get("/help/methods").text
    assert "controlled total" in methods
    assert '<a href="/help/audit">' in methods
    assert ".md" not in re.sub(r"<code>.*?</code>", "", methods)
    assert auditor.get("/help/other").status_code == 404


def test_empty_home_offers_the_rehearsal_study_to_those_who_may_launch(operator: Browser):
    assert "/studies/new?from=rehearsal" in operator.get("/").text


def test_home_lists_a_study_once_whether_it_runs_or_has_ended(operator: Browser, launch: Callable, perform: Callable):
    study = launch(**SHORT, conditions=(Condition.SINGLE_PROMPT,))
    running = operator.get("/").text
    perform()
    ended = operator.get("/").text
    for page in (running, ended):
        assert page.count(f'href="/studies/{study}"') == 1
    assert "None has ended yet." in running
    assert "No study is running." in ended


def test_empty_home_offers_nothing_to_an_auditor(auditor: Browser):
    assert "/studies/new" not in auditor.get("/").text


def check_sources(operator: Browser, run: UUID) -> None:
    """A decision's call names every memo, not only what its step waited for."""
    with reading() as look:
        steps = {step.id: step.key for step in look.steps.of_run(run)}
        call = next(call for call in look.calls.of_run(run) if steps[call.step_id] == "E2/decision")
    page = operator.get(f"/calls/{call.id}").text
    for key in ("E2/memo/frontier_research", "E2/memo/market_capital", "E2/attack", "E2/briefing", "E1/decision"):
        assert f'/documents/{key}">{key}</a>' in page
    assert "the Playbook as it entered" not in page


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {**SHORT, "conditions": (Condition.NO_PLAYBOOK,)},
        {**SHORT, "conditions": (Condition.NO_RED_TEAM,), "briefings": Briefings.MODEL},
        {**SHORT, "conditions": (Condition.SINGLE_PROMPT,)},
        {**SHORT, "conditions": (Condition.SINGLE_PROMPT_MATCHED,)},
        {**SHORT, "mapping": Mapping.PERSONA},
        {**SHORT, "preset": Preset.PILOT, "briefings": Briefings.MODEL},
    ],
    ids=["full", "no-playbook", "no-red-team", "single", "matched", "persona", "pilot"],
)
def test_finished_study_shows_every_page_and_document(
    operator: Browser, launch: Callable, perform: Callable, changes: dict
):
    study = launch(**changes)
    made = perform()
    page = operator.get(f"/studies/{study}")
    assert f"{made} of {made}" in page.text
    with reading() as look:
        run = look.runs.of_study(study)[0]
        keys = [kept.key for kept in look.artifacts.of_run(run.id)]
        call = look.calls.of_run(run.id)[0]
    pages = [f"/runs/{run.id}", f"/runs/{run.id}?era=E1", f"/calls/{call.id}", f"/steps/{call.step_id}"]
    with reading() as look:
        eras = look.studies.get(study).design.schedules[0].eras
    pages += [f"/runs/{run.id}/eras/{era.id}" for era in eras]
    for path in pages:
        answer = operator.get(path)
        assert answer.status_code == 200, path
        assert nodes(answer.text) <= MOST_NODES, path
        assert "rehearsal model" in answer.text, path
        assert not glued(answer.text), path
    if Condition.NO_PLAYBOOK in changes.get("conditions", ()):
        check_sources(operator, run.id)
    for key in keys:
        assert operator.get(f"/runs/{run.id}/documents/{key}").status_code == 200, key
        assert operator.part(f"/runs/{run.id}/documents/{key}").text.count("<html") == 0
    assert operator.get(f"/calls/{call.id}/request.json").headers["content-type"] == "application/json"
    assert operator.get(f"/calls/{call.id}/other.json").status_code == 404


def test_grid_of_a_large_study_stays_small_and_pages_on(operator: Browser, launch: Callable):
    study = launch(conditions=tuple(Condition)[:4], repetitions=10)
    page = operator.get(f"/studies/{study}")
    assert nodes(page.text) <= MOST_NODES
    assert "page 1 of 2" in page.text
    assert "single_prompt r10" in operator.get(f"/studies/{study}?page=2").text
    only = operator.get(f"/studies/{study}?condition=no_playbook").text
    assert "no_playbook r01" in only
    assert "single_prompt r01" not in only


def test_run_under_way_shows_who_has_spoken_and_what_is_owed(operator: Browser, launch: Callable, perform: Callable):
    study = launch()
    perform(4)
    with reading() as look:
        run = look.runs.of_study(study)[0]
    page = operator.part(f"/runs/{run.id}").text
    assert page.lstrip().startswith('<div id="run-now"')
    assert "4 of 65" in page
    assert "✎" not in page
    assert operator.get(f"/runs/{run.id}/eras/E5").text.count("has no document yet") == 1


def test_era_marks_the_passages_a_judge_suspects(operator: Browser, launch: Callable, perform: Callable):
    study = launch()
    perform()
    with reading() as look:
        run = look.runs.of_study(study)[0]
        reviews = [one for one in look.artifacts.of_run(run.id) if getattr(one.artifact, "leaks", ())]
    assert reviews
    for kept in reviews:
        era = kept.key.split("/")[0]
        assert "<mark>" in operator.get(f"/runs/{run.id}/eras/{era}").text


def test_window_shows_what_the_record_holds_of_it(operator: Browser, launch: Callable):
    study = launch()
    with reading() as look:
        run = look.runs.of_study(study)[0]
    assert operator.part(f"/runs/{run.id}/eras/E1/window").text.count("<li>") > 20
    assert "No event of the record" in operator.get(f"/runs/{run.id}/eras/E9/window").text


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/studies/7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "/studies/none",
        "/runs/7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "/runs/7c9e6679-7425-40de-944b-e07fc1f90ae7/eras/E1",
        "/runs/7c9e6679-7425-40de-944b-e07fc1f90ae7/documents/E1/memo",
        "/calls/7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "/steps/7c9e6679-7425-40de-944b-e07fc1f90ae7",
    ],
)
def test_unknown_id_is_not_found(operator: Browser, path: str):
    assert operator.get(path).status_code == 404


def test_unknown_era_or_document_of_a_run_is_not_found(operator: Browser, launch: Callable):
    study = launch()
    with reading() as look:
        run = look.runs.of_study(study)[0]
    for path in ("eras/E10", "documents/E1/memo", "documents/E9/decision", "eras/E0/window"):
        assert operator.get(f"/runs/{run.id}/{path}").status_code == 404


def test_record_filters_by_domain_and_date(auditor: Browser):
    page = auditor.get("/record?domain=capital&since=1990-01-01&before=1996-01-01").text
    assert page.count("<td>capital</td>") > 0
    assert "<td>ai</td>" not in page
    assert "Write a date" in auditor.get("/record?since=yesterday").text
    assert auditor.get("/record?since=yesterday").status_code == 422
    assert "No event fits" in auditor.get("/record?domain=capital&before=1900-01-01").text


def test_health_says_that_no_worker_is_there(auditor: Browser):
    page = auditor.get("/health").text
    assert "No worker was seen" in page
    assert "PostgreSQL" in page


def test_every_page_carries_the_security_headers(stranger: Browser):
    headers = stranger.get("/sign-in").headers
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert stranger.get("/static/app.css?v=1").headers["cache-control"].endswith("immutable")
