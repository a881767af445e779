"""Pages of runs that people changed: a skipped step, a redacted document, and every new mark can be read."""

from uuid import UUID

import pytest
from starlette.testclient import TestClient

from app.domain.auth import Role
from app.providers.chat import ChatError
from app.services.interventions import Wish, annotate_exposure, skip_step
from app.services.redactions import redact_artifact
from app.services.unit_of_work import reading, unit_of_work
from tests.services.stage import Script, Stage
from tests.web.conftest import Browser, application, sign_in

pytestmark = pytest.mark.services


def test_pages_tell_what_was_skipped_and_hold_nothing_of_what_was_redacted(stage: Stage, scripted: Script):
    scripted.say("E1/attack", ChatError("never", final=True))
    run = stage.launch()
    stage.play(run)
    wish = Wish(stage.user(), "The Red Team was away that week.")
    with unit_of_work() as work:
        skip_step(work, stage.step(run, "E1/attack").id, wish)
    stage.play(run)
    memo = next(step for step in stage.steps(run) if step.kind == "memo")
    with reading() as look:
        secret = look.artifacts.of_run(run, era="E1")[1].artifact.summary
    with TestClient(application()) as client:
        browser = sign_in(Browser(client), "olga", Role.OPERATOR)
        assert secret in shown(browser, run, memo.key)
        with unit_of_work() as work:
            redact_artifact(work, memo.id, wish)
            annotate_exposure(work, run, wish, seen=("the published run 001",))
        skipped = browser.get(f"/runs/{run}/documents/E1/attack")
        assert skipped.status_code == 200
        assert "The Red Team was away that week." in skipped.text
        assert "[redacted]" in shown(browser, run, memo.key)
        for path in (f"/runs/{run}", f"/runs/{run}/eras/E1", "/interventions"):
            page = browser.get(path)
            assert page.status_code == 200, path
            assert secret not in page.text
        assert "exposure noted" in browser.get("/interventions").text
        for call in stage.calls(run):
            assert secret not in browser.get(f"/calls/{call.id}").text


def shown(browser: Browser, run: UUID, key: str) -> str:
    page = browser.get(f"/runs/{run}/documents/{key}")
    assert page.status_code == 200
    return str(page.text)
