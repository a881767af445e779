"""The Audit tab, the review list and the pages of fictional worlds, as a browser without a screen sees them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from uuid import UUID

import pytest

from app.domain.world.histories.documents import history_bytes
from app.services.audits import audit_run
from app.services.probe_quality import probe_qualities
from app.services.probes import probe_versions
from app.services.unit_of_work import reading
from app.services.worlds import fictional_world
from app.templating import marked, spans
from tests.services.stage import Script, said, scripted
from tests.web.conftest import Browser, auditor, launch, operator, perform, services, stranger

__all__ = ["auditor", "launch", "operator", "perform", "scripted", "services", "stranger"]
pytestmark = pytest.mark.services

LEAK = "By 2019 a smartphone in every pocket had become the product. Analysts expect that the race was lost in 1999. "


@pytest.fixture
def audited(launch: Callable[..., UUID], perform: Callable[..., int], scripted: Script) -> UUID:
    """A study of one run whose first decision holds planted leaks, audited as far as it is."""
    study = launch()
    for key in ("E1/decision", "E1/board"):
        scripted.say(
            key,
            lambda _, usual: said(
                usual, re.sub('("rationale": ?")', lambda one: one.group() + LEAK, usual.text, count=1)
            ),
        )
    perform(12)
    with reading() as look:
        run = look.runs.of_study(study)[0].id
    audit_run(run)
    return study


def first_open(browser: Browser, study: UUID) -> str:
    found = re.search(r"/findings/[0-9a-f-]{36}", browser.get(f"/studies/{study}/audit/findings?probe=dates").text)
    assert found
    return found.group()


def test_a_study_without_documents_says_what_to_do(operator: Browser, launch: Callable[..., UUID]):
    html = operator.get(f"/studies/{launch()}/audit").text
    assert "No document of this study is audited yet" in html
    assert "How good the probes are" in html


def test_the_audit_tab_shows_rates_selection_and_quality(operator: Browser, audited: UUID):
    html = operator.get(f"/studies/{audited}/audit").text
    for heading in ("Vocabulary probe", "Dates probe", "Entities probe", "Selection", "How good the probes are"):
        assert heading in html
    assert "style=" not in html
    assert "No check of the judge was made for this study." in html
    assert f"/studies/{audited}/checks" in html


def test_a_person_decides_once_with_a_reason(operator: Browser, audited: UUID):
    path = first_open(operator, audited)
    assert "<mark>1999<sup>dates</sup></mark>" in operator.get(path).text
    refused = operator.post(f"{path}/decision", {"is_hit": "yes", "reason": ""})
    assert refused.status_code == 422
    assert "problem-reason" in refused.text
    assert operator.post(f"{path}/decision", {"is_hit": "no", "reason": "a forecast"}).status_code == 200
    decided = operator.get(f"/studies/{audited}/audit/findings?shown=decided&probe=dates&era=E1").text
    assert "olga" in decided
    assert "a forecast" in decided
    assert "No passage waits" in operator.get(f"/studies/{audited}/audit/findings?probe=vocabulary").text


def test_an_auditor_reads_and_does_not_decide(auditor: Browser, audited: UUID):
    path = first_open(auditor, audited)
    assert "Keep this decision" not in auditor.get(path).text
    assert auditor.post(f"{path}/decision", {"is_hit": "no", "reason": "a forecast"}).status_code == 403
    assert auditor.post(f"/studies/{audited}/audit").status_code == 403


def test_marks_stand_in_the_document_with_the_probes_name(operator: Browser, audited: UUID):
    with reading() as look:
        run = look.runs.of_study(audited)[0].id
    html = operator.get(f"/runs/{run}/eras/E1").text
    assert "<mark>2019<sup>dates</sup></mark>" in html
    assert "<mark>smartphone<sup>vocabulary</sup></mark>" in html
    assert "<mark>1999<sup>dates?</sup></mark>" in html
    assert "Passages marked by the audit" in html


def test_asking_for_an_audit_comes_back_to_the_tab(operator: Browser, launch: Callable[..., UUID]):
    assert "Asked for." in operator.post(f"/studies/{launch()}/audit").text


def test_a_world_is_read_by_its_seed(auditor: Browser):
    assert "Worlds that never were" in auditor.get("/record/worlds").text
    html = auditor.get("/record/worlds?seed=7").text
    world = fictional_world(7)
    assert world.title in html
    assert all(one.name in html for one in world.technologies)
    assert all(escape(firm.name) in html for firm in world.firms)
    assert "no contradiction found" in html
    assert "style=" not in html
    assert auditor.get("/record/worlds?seed=7").text == html
    assert auditor.get("/record/worlds/7.json").content == history_bytes(world)
    assert json.loads(auditor.get("/record/worlds/7.json").content)["seed"] == 7


@pytest.mark.parametrize("seed", ["x", "-1", "1000000000", "²"])
def test_what_is_no_seed_is_said(auditor: Browser, seed: str):
    answer = auditor.get(f"/record/worlds?seed={seed}")
    assert answer.status_code == 422
    assert "Write a whole number" in answer.text
    assert auditor.get(f"/record/worlds/{seed}.json").status_code == 404


def test_the_probes_are_as_good_as_the_audit_page_promises():
    quality = probe_qualities()
    assert set(quality) == set(probe_versions()) - {"selection"}
    assert sum(one.texts - one.clean for one in quality.values()) >= 30
    assert sum(one.clean for one in quality.values()) >= 30
    for one in quality.values():
        assert one.planted.precision.value == 1
        assert (one.planted.recall.value or 0) > 0.8
    cases = quality["vocabulary"].cases
    assert cases
    assert all((measure.value or 0) >= 0.97 for measure in cases)


@dataclass(frozen=True)
class Mark:
    text: str
    span: tuple[int, int]
    name: str


def test_marks_stand_in_their_exact_place_nested_or_cut():
    line = "1999 and 1999 again"
    assert spans(line, (Mark(line, (9, 13), "dates"),)) == "1999 and <mark>1999<sup>dates</sup></mark> again"
    assert spans("another text", (Mark(line, (9, 13), "dates"),)) == "another text"
    nested = spans(line, ("and 1999 again", Mark(line, (9, 13), "dates")))
    assert nested == "1999 <mark>and <mark>1999<sup>dates</sup></mark> again</mark>"
    cut = spans(line, ("1999 and 1999", Mark(line, (9, 19), "a")))
    assert cut == "<mark>1999 and 1999</mark><mark> again<sup>a</sup></mark>"
    assert marked("\ue002x\ue003 <i>", ()).strip() == "<p>x &lt;i&gt;</p>"
