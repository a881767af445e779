"""Blinding as a property of every response a rater can get."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest
from fastapi.routing import APIRoute
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.domain.protocol.rubrics import RubricId
from app.domain.rating.designs import PanelDesign, SourceKind
from app.imports.published.runs import parse_published_run
from app.services.panels import create_panel, lock_panel
from app.services.published_frames import published_items
from app.services.sign_in_limits import PER_ADDRESS
from app.services.unit_of_work import reading, unit_of_work
from app.web.rate import create_rate_app
from tests.web_rating.conftest import FIRST, RECORD, design, fields_of, training

Make = Callable[..., Any]
PUBLISHED = Path(__file__).parents[3] / "shared" / "published" / "runs" / "run-001"
FORBIDDEN = (
    "secret", "Secret panel", "no_red_team", "no red team", "Recourse", "frontier autolab", "Person 1", "Person 2",
    "Rater A", "Rater B", "judge's",
)  # fmt: skip
UNSAID = (
    "Switchyard", "Manifest", "Ledgerline", "Clearline", "Clearsight", "Clearproof", "Clearbond", "Clearwork",
    "Proofworks", "orchestrator", "agent launch", "Run note", "run-001", "Run 001", "Victor Hale", "Red Team", "/100",
)  # fmt: skip
"""Names of the published Run 001, its notes on who wrote E6, and what is withheld from every packet."""
STATUSES = {200, 204, 303, 401, 403, 404, 405, 409, 422, 429, 500, 503}


def answers(one: Any) -> list[Any]:
    """Every response the rater's browser got, those that lead on to another page included."""
    return [answer for last in one.seen for answer in (*last.history, last)]


def everything(one: Any) -> str:
    """Bodies, headers, cookies and addresses of all the rater saw, but for the closing questions."""
    parts = [
        f"{answer.url} {dict(answer.headers)} {answer.text}"
        for answer in answers(one)
        if answer.url.path != "/rate/questions"
    ]
    return "\n".join([*parts, str(dict(one.client.cookies))])


def never_asked_for(one: Any) -> list[str]:
    """Methods and addresses of the rater's area that no response came from."""
    asked = {(answer.request.method, answer.url.path.removeprefix("/rate") or "/") for answer in answers(one)}
    routes = [route for route in create_rate_app().routes if isinstance(route, APIRoute)]
    wanted = [(method, route) for route in routes for method in route.methods]
    return [
        f"{method} {route.path}"
        for method, route in wanted
        if not any(method == given and route.path_regex.fullmatch(path) for given, path in asked)
    ]


def walk(one: Any) -> None:
    """Every link of the page at hand, every page, and what goes wrong: nothing there, another method, stale forms."""
    page = one.here()
    for path in re.findall(r'(?:href|src)="(/[^"#]+)"', page.text):
        one.get(path)
    for path in ("answers", "pause", "code", "consent", "return", "questions", "nowhere", "item/x", f"item/{uuid4()}"):
        one.get(f"/rate/{path}")
    one.seen.append(one.client.put("/rate/answers"))
    form = fields_of(one.get("/rate/pause").text)
    one.post("/rate/pause", form)
    one.post("/rate/leave", {**form, "csrf_token": "x"})
    one.post("/rate/consent", {**form, "text_hash": "x"})
    one.post("/rate/finish", form)


def work_on_an_item(one: Any, other_tab: str) -> None:
    """Drafts in both ways, two versions, half a form, a skip without and with a reason, and the skip taken back."""
    page = one.here()
    item, form = page.url.path, fields_of(page.text)
    for json in ({"Accept": "application/json"}, {}):
        one.post(f"{item}/draft", {**form, f"v.{FIRST}": "3"}, **json)
        one.post(f"{item}/draft", {**form, f"v.{FIRST}": "99", "tab": other_tab, "version": "9"}, **json)
        one.post(f"{item}/lock", fields_of(page.text), **json)
        one.post(f"{item}/submit", fields_of(page.text), **json)
        one.post(f"{item}/skip", fields_of(one.get(item).text), **json)
    one.post(f"{item}/compare", {**form, "tab": other_tab, "version": "9"})
    one.post(f"{item}/activity", {**form, "visit": "v", "events": '[[1,"used"]]'})
    one.post(f"{item}/skip", {**fields_of(one.get(item).text), "reason": "other"})
    one.post(f"{item}/undo", fields_of(one.get("/rate/answers").text))


def fail(one: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failing service whose error names the study, a database that is away, and too many wrong codes."""
    for error in (RuntimeError("secret study"), OperationalError("select secret", {}, Exception("secret"))):
        with monkeypatch.context() as patch:
            patch.setattr("app.web.rate.progress.list_answers", Mock(side_effect=error))
            one.get("/rate/answers")
    form = fields_of(one.get("/rate/pause").text)
    for _ in range(PER_ADDRESS.amount + 1):
        last = one.post("/rate/return", {**form, "code": "AAAA", "next": "/answers"})
    assert last.status_code == 429


def test_no_response_to_a_rater_says_what_must_not_be_known(
    panel: Make, rater: Make, visitor: Make, invite: Make, monkeypatch: pytest.MonkeyPatch
):
    made = panel(training=training(0))
    other = rater(made, 2)
    other.rate(5)
    other.rate(4, note="NOTE-OF-ANOTHER")
    with unit_of_work() as work:
        work.session.execute(text("update panel_items set judge = cast('{\"timing\": 98765}' as jsonb)"))
    one = visitor()
    path = invite(made)
    one.get(path)
    one.come_in(path)
    walk(one)
    one.consent()
    walk(one)
    training_item = one.here().url.path
    one.rate(5)
    one.get(training_item.replace("item", "feedback"))
    work_on_an_item(one, uuid4().hex)
    while one.here().url.path.startswith("/rate/item/"):
        one.rate(5)
    walk(one)
    one.post("/rate/questions", fields_of(one.here().text))
    walk(one)
    one.post("/rate/finish", fields_of(one.here().text))
    walk(one)
    fail(one, monkeypatch)
    one.post("/rate/leave", fields_of(one.get("/rate/pause").text))
    one.post(f"{training_item}/draft", {"note": "late"})
    one.here()
    assert never_asked_for(one) == []
    assert {answer.status_code for answer in answers(one)} >= {
        200,
        204,
        303,
        401,
        403,
        404,
        405,
        409,
        422,
        429,
        500,
        503,
    }
    found = everything(one)
    assert "/static/rate.js" in found
    assert "OpenAI is a fact of the world" in found
    with reading() as look:
        query = "select id from assignments where rater_id in (select id from raters where slot = 2) union "
        ids = look.session.execute(text(query + "select id from panels union select id from raters")).scalars()
        forbidden = (*FORBIDDEN, "98765", "NOTE-OF-ANOTHER", *map(str, ids))
    for word in forbidden:
        assert word.lower() not in found.replace("recourse to patience", "").lower(), word


def test_another_raters_items_answer_like_ones_that_do_not_exist(panel: Make, rater: Make):
    made = panel()
    rater(made, 1)
    two = rater(made, 2)
    with reading() as look:
        query = "select a.id from assignments a join raters r on r.id = a.rater_id where r.slot = 1"
        others = look.session.execute(text(query)).scalars().all()
    form = {**fields_of(two.here().text), "reason": "other"}
    for one in others:
        assert two.get(f"/rate/item/{one}").status_code == 404
        assert two.get(f"/rate/feedback/{one}").status_code == 404
    for action in ("draft", "lock", "submit", "skip", "undo", "compare", "activity"):
        assert two.post(f"/rate/item/{others[0]}/{action}", form).status_code == 404
    assert two.get(f"/rate/item/{others[0]}").text == two.get(f"/rate/item/{uuid4()}").text


def test_a_raters_session_opens_no_operators_page_and_the_other_way_round(panel: Make, rater: Make):
    one = rater(panel())
    assert one.get("/panels").url.path == "/sign-in"
    assert {cookie.path for cookie in one.client.cookies.jar} <= {"/rate", "/rate/code"}


def test_items_of_one_run_have_different_stand_ins(panel: Make):
    panel()
    with reading() as look:
        query = "select unit, stand_ins from panel_items where use = 'sample'"
        rows = look.session.execute(text(query)).all()
    by_unit: dict[str, list[str]] = {}
    for unit, stand_ins in rows:
        by_unit.setdefault(unit, []).extend(stand_ins)
    assert any(len(codes) > 1 for codes in by_unit.values())
    assert all(len(set(codes)) == len(codes) for codes in by_unit.values())


@pytest.mark.shared
def test_the_published_run_is_masked_everywhere_and_its_notes_on_authors_do_not_show(services: None, rater: Make):
    if not PUBLISHED.exists():
        pytest.skip("the published runs in ../shared are not here")
    files = {str(one.relative_to(PUBLISHED)): one.read_bytes() for one in PUBLISHED.rglob("*") if one.is_file()}
    run = parse_published_run(files, "run-001")
    plan = PanelDesign.model_validate(
        {**design().model_dump(mode="json"), "source": SourceKind.PUBLISHED, "items": 4, "repeats": 0, "rubric": RECORD}
    )
    with unit_of_work() as work:
        made = create_panel(work, plan, published_items(run, RubricId.RECORD), None)
    with unit_of_work() as work:
        lock_panel(work, made)
    one = rater(made)
    for _ in range(4):
        one.rate(5)
    found = everything(one)
    for word in UNSAID:
        assert word not in found, word
