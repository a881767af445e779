"""Blinding as a property of every response a rater can get."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from app.domain.protocol.rubrics import RubricId
from app.domain.rating.designs import PanelDesign, SourceKind
from app.imports.published.runs import parse_published_run
from app.services.panels import create_panel, lock_panel
from app.services.published_frames import published_items
from app.services.unit_of_work import reading, unit_of_work
from tests.web_rating.conftest import RECORD, design, fields_of

Make = Callable[..., Any]
PUBLISHED = Path(__file__).parents[3] / "shared" / "published" / "runs" / "run-001"
FORBIDDEN = (
    "secret", "Secret panel", "no_red_team", "no red team", "Recourse", "frontier autolab", "Person 1", "Person 2",
    "Rater A", "Rater B", "judge's",
)  # fmt: skip


def everything(one: Any) -> str:
    """Bodies, headers, cookies and addresses of all the rater saw, but for the closing questions."""
    parts = [
        f"{answer.url} {dict(answer.headers)} {answer.text}"
        for answer in one.seen
        if answer.url.path != "/rate/questions"
    ]
    return "\n".join([*parts, str(dict(one.client.cookies))])


def walk(one: Any) -> None:
    page = one.here()
    for path in re.findall(r'(?:href|src)="(/[^"#]+)"', page.text):
        one.get(path)
    for path in ("/rate/answers", "/rate/pause", "/rate/code", "/rate/consent", "/rate/nowhere", "/rate/item/x"):
        one.get(path)
    one.get(f"/rate/item/{uuid4()}")
    one.post(f"{page.url.path}/lock", fields_of(page.text))
    one.post(f"{page.url.path}/skip", fields_of(page.text))
    one.client.put("/rate/answers")


def test_no_response_to_a_rater_says_what_must_not_be_known(panel: Make, rater: Make):
    one = rater(panel())
    walk(one)
    while one.here().url.path.startswith("/rate/item/"):
        one.rate(5)
    walk(one)
    found = everything(one)
    assert "/static/rate.js" in found
    assert "OpenAI is a fact of the world" in found
    for word in FORBIDDEN:
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
    for word in ("Switchyard", "Manifest", "Ledgerline", "Clearline", "Clearsight", "Clearproof", "orchestrator",
                 "run-001", "Run 001", "Victor Hale", "Red Team", "/100"):  # fmt: skip
        assert word not in found, word
