"""Two clicks on one form launch one study, and start checks once; a form that was changed since is another."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from sqlalchemy import text

from app.services.unit_of_work import reading
from tests.web.conftest import Browser

pytestmark = pytest.mark.services

FORM = {
    "name": "Twice",
    "schedules": "history-short",
    "conditions": "full",
    "players": "rehearsal/steady",
    "judge": "rehearsal/strict",
    "author": "rehearsal/author",
    "hypotheses": "H1",
    "temperature": "",
}


def count(table: str) -> int:
    with reading() as look:
        return look.session.execute(text(f"select count(*) from {table}")).scalar_one()


def sent_at_once(browser: Browser, path: str, fields: dict) -> set[str]:
    fields = {**fields, "csrf_token": browser.token}

    def send(_: int) -> str:
        return browser.client.post(path, data=fields, follow_redirects=False).headers["Location"]

    with ThreadPoolExecutor(4) as threads:
        return set(threads.map(send, range(4)))


def test_a_form_sent_four_times_at_once_launches_one_study(operator: Browser):
    assert 'name="sending" value="' in operator.get("/studies/new").text
    fields = {**FORM, "sending": str(uuid4())}
    assert len(sent_at_once(operator, "/studies", fields)) == 1
    assert (count("studies"), count("runs")) == (1, 1)
    assert operator.post("/studies", {**fields, "seed": "2"}).status_code == 200
    assert operator.post("/studies", {**FORM, "sending": "x"}).status_code == 200
    assert count("studies") == 3


def test_checks_sent_four_times_at_once_start_once(operator: Browser, launch: Callable, perform: Callable[..., int]):
    study = launch()
    perform(14)
    fields = {"checks": ["retest", "recall"], "judge": "rehearsal/strict", "questions": "2", "sending": str(uuid4())}
    assert len(sent_at_once(operator, f"/studies/{study}/checks", fields)) == 1
    assert count("runs where kind = 'judging'") == 3
    assert operator.post(f"/studies/{study}/checks", {**fields, "questions": "3"}).status_code == 200
    assert count("runs where kind = 'judging'") == 5
