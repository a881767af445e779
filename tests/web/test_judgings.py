"""Pages of judging again: planned with the study and on the audit tab, side by side, and one by one."""

import re
from collections.abc import Callable
from uuid import UUID

import pytest

from app.services.judgings import start_further
from app.services.studies import estimate_study, read_study_file
from app.services.unit_of_work import reading, unit_of_work
from tests.web.conftest import Browser
from tests.web.test_new_study import CALLS, FORM

pytestmark = pytest.mark.services

SHORT = FORM | {"schedules": ["history-short"], "conditions": ["single_prompt", "full"], "repetitions": "1"}
AGAIN = SHORT | {"further_judges": ["rehearsal/dazzled"], "further_anchors": ["options"]}
CHECK = {"judge": "rehearsal/strict", "other": "rehearsal/author", "repetitions": "1", "questions": "2", "seed": "3"}


def test_a_study_judged_again_from_its_launch_to_its_findings(operator: Browser, perform: Callable[..., int]):
    calls = int(CALLS.search(operator.post("/studies/estimate", SHORT).text).group(1))
    estimate = operator.post("/studies/estimate", AGAIN).text
    assert int(CALLS.search(estimate).group(1)) == calls + 12
    assert "of them by further judges" in estimate
    page = operator.post("/studies", AGAIN)
    assert "Further judges of the design begin when all runs have ended: 12 calls." in page.text
    study = UUID(page.url.path.rsplit("/", 1)[-1])
    assert "waits until all runs have ended" in operator.get(f"/studies/{study}/judges").text
    kept = read_study_file(operator.get(f"/studies/{study}/study.toml").text)
    assert [one.anchors for one in kept.further_judges] == ["standard", "options"]
    perform(200)
    with unit_of_work() as work:
        assert start_further(work, study) == 2
    perform(200)
    with reading() as look:
        sums = look.overviews.study(study)
        judgings = look.runs.judgings(study)
        design = look.studies.get(study).design
    assert (sums.runs, sums.finished) == (2, 2)
    assert sums.calls_made == sums.calls_owed == estimate_study(design).calls == calls + 12
    html = operator.get(f"/studies/{study}/judges").text
    assert html.count("Judges side by side:") == len({era.mode.has_outcome for era in design.schedules[0].eras})
    assert "Does the judge decide the finding?" in html
    assert "rehearsal/strict, options" in html
    assert "style=" not in html
    own = operator.get(f"/studies/{study}").text
    assert not any(f"/runs/{one.id}" in own for one in judgings)
    one = judgings[1]
    moved = operator.get(f"/runs/{one.id}")
    assert moved.url.path == f"/judgings/{one.id}"
    assert "anchors" in moved.text
    assert operator.get(f"/runs/{one.id}/eras/E1").url.path == f"/judgings/{one.id}"
    assert operator.part(f"/judgings/{one.id}").text.lstrip().startswith('<div id="judging-now"')
    document = re.search(rf"/runs/{one.id}/documents/[^\"]+", moved.text).group()
    assert operator.get(document).status_code == 200
    step = re.search(r"/steps/[0-9a-f-]{36}", moved.text).group()
    assert operator.get(step).status_code == 200
    assert operator.get(f"/judgings/{judgings[0].study_id}").status_code == 404
    deviations = operator.get(f"/studies/{study}/deviations").text
    assert "Judgings missing" not in deviations


def test_checks_are_planned_estimated_started_and_shown(
    operator: Browser, launch: Callable[..., UUID], perform: Callable[..., int]
):
    study = launch()
    address = f"/studies/{study}/checks"
    assert "Plan checks" in operator.get(address).text
    nothing = operator.post(address, CHECK | {"checks": ["retest"]})
    assert nothing.status_code == 422
    assert "No decision of this study is judged yet" in nothing.text
    perform(12)
    wrong = operator.post(address, CHECK)
    assert wrong.status_code == 422
    assert "Choose at least one check." in wrong.text
    assert operator.post(address, CHECK | {"checks": ["retest"], "sample": "many"}).status_code == 422
    part = operator.post(
        f"{address}/estimate", CHECK | {"checks": ["recall", "outcome_flip"]}, HX_Request_Type="partial"
    )
    assert part.text.lstrip().startswith('<div id="check-estimate"')
    calls = int(re.search(r'id="check-calls">(\d+)<', part.text).group(1))
    done = operator.post(address, CHECK | {"checks": ["recall", "outcome_flip"]})
    assert done.url.path == f"/studies/{study}/judges"
    with reading() as look:
        judgings = look.runs.judgings(study)
    assert sum(one.calls_owed for one in judgings) == calls
    perform(400)
    audit = operator.get(f"/studies/{study}/audit").text
    assert "outcome flip by rehearsal/strict" in audit
    assert "T*: shown a success − shown a failure" in audit
    assert "right answers" in audit
    alone = operator.post(address, CHECK | {"checks": ["blindness"]})
    assert alone.url.path.startswith("/judgings/")
    running = alone.url.path.rsplit("/", 1)[-1]
    refused = operator.post(f"/runs/{running}/cancel", {"reason": ""})
    assert refused.status_code == 422
    assert "an intervention is kept for ever" in refused.text
    assert operator.post(f"/runs/{running}/cancel", {"reason": "it was a trial"}).url.path == f"/judgings/{running}"


def test_an_auditor_may_look_and_not_plan(auditor: Browser, launch: Callable[..., UUID]):
    study = launch()
    assert auditor.get(f"/studies/{study}/judges").status_code == 200
    assert auditor.get(f"/studies/{study}/checks").status_code == 403
