"""Importing through the browser: read, looked at, confirmed, stored whole, and never twice."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from app.domain.engine.interventions import InterventionKind
from app.domain.engine.ledger import first_misfit
from app.imports.scores import parse_scores, read_scores
from app.services.marks import Wish
from app.services.redactions import redact_artifact
from app.services.unit_of_work import reading, unit_of_work
from app.storage.imports import Imports
from tests.imports_published.records import PUBLISHED, TABLE, a_run, published, zipped
from tests.web.conftest import Browser

pytestmark = pytest.mark.services


def upload(browser: Browser, content: bytes, name: str, **fields: str):
    return browser.client.post(
        "/imports", data={"csrf_token": browser.token, **fields}, files={"file": (name, content)}
    )


def confirm(browser: Browser, shown: Any, name: str = "Pilot", accept: list[str] | None = None) -> UUID:
    found = re.findall(r'name="accept" value="([^"]+)"', shown.text)
    sent = {"name": name, "accept": found if accept is None else accept}
    done = browser.post(str(shown.url.path), sent)
    assert done.status_code == 200
    return UUID(done.url.path.split("/")[2])


def rows(table: str) -> int:
    with reading() as look:
        return look.session.execute(text(f"select count(*) from {table}")).scalar_one()


def test_a_run_is_shown_confirmed_and_stored_with_its_proposals(operator: Browser):
    shown = upload(operator, zipped(a_run()), "run-a.zip")
    assert "Nothing is imported yet" in shown.text
    assert "written by the orchestrator" in shown.text
    assert rows("studies") == 0
    study = confirm(operator, shown)
    with reading() as look:
        (run,) = look.runs.of_study(study)
        made = {(one.kind, one.era) for one in look.interventions.of_run(run.id)}
        events = look.ledgers.of_run(run.id)
    assert (run.name, run.state) == ("run-a", "finished")
    assert (InterventionKind.IMPORT, None) in made
    assert (InterventionKind.WRITE_BY_HAND, "E1") in made
    assert first_misfit(events, run.ledger_head) is None
    assert rows("import_drafts") == 0


def test_its_pages_and_results_work(operator: Browser):
    study = confirm(operator, upload(operator, zipped(a_run()), "run-a.zip"))
    with reading() as look:
        (run,) = look.runs.of_study(study)
    era = operator.get(f"/runs/{run.id}/eras/E1").text
    for words in ("It saw the shift.", "We connect harbours.", "Ana (via Tomas)", "The judge typed 55"):
        assert words in era
    assert "sell surveys first" in era
    memo = operator.get(f"/runs/{run.id}/documents/E1/memo/market_capital").text
    assert "kept as text" in memo
    assert "Harbour Press" in operator.get(f"/runs/{run.id}").text
    results = operator.get(f"/studies/{study}/results").text
    assert "nothing was fixed before its runs were made" in results
    assert "Totals the judge typed against mechanical totals" in results
    assert "Written by hand" in operator.get(f"/studies/{study}/deviations").text
    imported = operator.get(f"/studies/{study}/import").text
    assert "Date the death of every bridge" in imported
    assert "Revised E2" in imported


def test_a_document_that_is_taken_out_is_gone_from_the_kept_texts_too(operator: Browser):
    study = confirm(operator, upload(operator, zipped(a_run()), "run-a.zip"))
    with unit_of_work() as work:
        (run,) = work.runs.of_study(study)
        step = next(step for step in work.steps.of_run(run.id) if step.key == "E1/memo/market_capital")
        author = work.users.all()[0].id
        redact_artifact(work, step.id, Wish(author=author, reason="private"))
    with reading() as look:
        kept = Imports(look.session).run(run.id)
    assert kept is not None
    assert "sell surveys first" not in str(kept)
    assert "We connect harbours." in kept.texts["eras/E1/board_decision.md"]
    assert "sell surveys first" not in operator.get(f"/studies/{study}/import").text
    assert "sell surveys first" not in operator.get(f"/runs/{run.id}/eras/E1").text


def test_importing_twice_changes_nothing(operator: Browser):
    content = zipped(a_run())
    waiting = upload(operator, content, "run-a.zip")
    study = confirm(operator, upload(operator, content, "run-a.zip"))
    counted = [rows(table) for table in ("studies", "runs", "artifacts", "interventions", "ledger")]
    again = upload(operator, content, "run-a.zip")
    assert "These contents are imported already" in again.text
    assert confirm(operator, again) == study
    assert confirm(operator, waiting) == study
    assert [rows(table) for table in ("studies", "runs", "artifacts", "interventions", "ledger")] == counted


def test_proposals_that_are_dropped_leave_no_mark(operator: Browser):
    study = confirm(operator, upload(operator, zipped(a_run()), "run-a.zip"), accept=[])
    with reading() as look:
        (run,) = look.runs.of_study(study)
        assert [one.kind for one in look.interventions.of_run(run.id)] == [InterventionKind.IMPORT]


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (zipped(a_run())[:300], "cut.zip", "is not a whole zip file"),
        (TABLE.replace("training", "fictional").encode(), "table.csv", "has no fictional era of that name"),
        (TABLE.replace("E2", "E99").encode(), "table.csv", "has no training era of that name"),
        (b"", "empty.csv", "the file is empty"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(operator: Browser, content: bytes, name: str, words: str):
    shown = upload(operator, content, name)
    assert shown.status_code == 422
    assert "Nothing was imported." in shown.text
    assert words in shown.text
    assert [rows(table) for table in ("studies", "runs", "import_drafts", "imports")] == [0, 0, 0, 0]


def test_no_file_no_name_and_no_right_are_refused(operator: Browser):
    assert operator.post("/imports").status_code == 422
    shown = upload(operator, TABLE.encode(), "table.csv")
    assert operator.post(str(shown.url.path), {"name": ""}).status_code == 422
    assert operator.get("/imports/00000000-0000-0000-0000-000000000001").status_code == 404


def test_auditors_may_not_import(auditor: Browser):
    assert auditor.get("/imports/new").status_code == 403


def test_a_launched_study_has_no_import(auditor: Browser, launch: Callable[..., UUID]):
    assert auditor.get(f"/studies/{launch()}/import").status_code == 404


@pytest.mark.shared
@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published records are not beside the project")
def test_the_published_records_import_whole(operator: Browser):
    shown = upload(operator, published("."), "published.zip")
    for words in ("run-001, E6", "run-002", "run-004", "Switchyard", "2020–2025"):
        assert words in shown.text
    study = confirm(operator, shown)
    scores = operator.get(f"/studies/{study}/exports/scores.csv").content
    table = {(era.run, era.era): era for era in read_scores(PUBLISHED / "all_runs_scores.csv").eras}
    kept = operator.get(f"/studies/{study}/results?total=typed").text
    assert "24 of 24 positive" in kept
    for era in parse_scores(scores, "scores.csv").eras:
        given = table[era.run, era.era]
        assert (era.company, era.typed_total) == (given.company, given.typed_total)
        assert dict(era.subscores) == dict(given.subscores)


@pytest.mark.shared
@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published records are not beside the project")
def test_the_shifted_file_is_explained_and_mended_only_by_choice(operator: Browser):
    content = (PUBLISHED / "results" / "run-002-scores.shifted.csv").read_bytes()
    refused = upload(operator, content, "run-002-scores.csv")
    assert refused.status_code == 422
    assert "lines 8, 9, 10" in refused.text
    assert "tick “Mend subscores”" in refused.text
    mended = upload(operator, content, "run-002-scores.csv", mend="yes")
    assert "Mended by choice" in mended.text
