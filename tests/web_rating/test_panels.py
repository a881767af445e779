"""The operator's pages: a panel from a table, plan, masks, training, lock, amendments, invitations, exports."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

from app.domain.agreement import agreement
from app.domain.auth import Role
from app.domain.ids import PanelItemId
from app.imports.rating_rubrics import EXAMPLE
from app.services.panel_masks import label_of
from app.services.panels import close_panel
from app.services.unit_of_work import reading, unit_of_work
from app.services.users import add_user, create_sign_in_link
from app.storage.panels import FrameLine
from tests.web_rating.conftest import OTHERS, fields_of

Make = Callable[..., Any]
TAIL = ("5,so", ",")
HEADER = "key,unit,era,text,outcome,names,consensus:timing,reason:timing"
LINES = [f"k{n},u{n % 8},E{n % 2},Acme{n} acts.,later,Acme{n},{TAIL[n > 0]}" for n in range(26)]
TABLE = "\n".join([HEADER, *LINES])


class Desk:
    """An operator's browser."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path: str, data: dict[str, Any] | None = None, files: Any = None, **headers: str) -> Any:
        found = re.search(r'csrf_token" value="([^"]+)', self.get("/account").text)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        fields = {**(data or {}), "csrf_token": found.group(1) if found else ""}
        return self.client.post(path, data=fields, files=files, headers=named)


@pytest.fixture
def desk_of(application: Any) -> Iterator[Callable[[Role], Desk]]:
    clients = []

    def signed_in(role: Role) -> Desk:
        client = TestClient(application, raise_server_exceptions=False)
        client.__enter__()
        clients.append(client)
        with unit_of_work() as work:
            add_user(work, name=f"a {role}", role=role)
            path = create_sign_in_link(work, name=f"a {role}")
        client.post(path)
        return Desk(client)

    yield signed_in
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def operator(desk_of: Callable[[Role], Desk]) -> Desk:
    return desk_of(Role.OPERATOR)


def draft(operator: Desk, **more: Any) -> str:
    files = {"file": ("items.csv", TABLE.encode())}
    made = operator.post("/panels", {"name": "T", "source": "table", "rubric": "record", **more}, files)
    assert made.status_code == 200, made.text
    return str(made.url.path)


FORM = {"name": "T", "strata": ["era"], "items": "24", "cap": "0", "raters": "3", "repeats": "3", "seed": "4"}


def test_a_panel_from_a_table_is_planned_previewed_and_locked(operator: Desk):
    assert "No panel yet" in operator.get("/panels").text
    path = draft(operator)
    page = operator.get(path).text
    assert "Half-width" in page
    part = operator.post(f"{path}/plan", FORM, HX_Request_Type="partial")
    assert part.text.lstrip().startswith('<section class="sheet" id="panel-plan"')
    assert "24 items from 8 runs" in part.text
    assert "±" in part.text
    wrong = operator.post(f"{path}/design", {**FORM, "items": "0"})
    assert wrong.status_code == 422
    assert "write 1 or more" in wrong.text
    assert operator.post(f"{path}/design", FORM).status_code == 200
    masks = operator.get(f"{path}/blinding").text
    assert "<mark>Acme1</mark>" in masks
    operator.post(f"{path}/blinding", {"action": "add", "term": "acts"})
    operator.post(f"{path}/blinding", {"action": "lift", "term": "Acme1"})
    masks = operator.get(f"{path}/blinding").text
    assert "<mark>acts</mark>" in masks
    assert "<mark>Acme1</mark>" not in masks
    assert operator.post(f"{path}/blinding", {"action": "burn", "term": "x"}).status_code == 409
    assert "k0" in operator.get(f"{path}/training?key=k3").text
    operator.post(f"{path}/training", {"key": "k3", "v.timing": "7", "r.timing": "because"})
    operator.post(f"{path}/training", {"key": "k3"})
    locked = operator.post(f"{path}/lock")
    assert "Rater C" in locked.text
    assert operator.post(f"{path}/lock").status_code == 409
    locked_design = operator.get(f"{path}/design").text
    for words in ("exact", "Closing guesses", "Expected reliability", "30 % of its", "blind to the condition"):
        assert words in locked_design
    assert "added: acts; lifted: Acme1" in locked_design
    assert "You are asked to read" in locked_design
    assert "Every mask of the panel" in operator.get(f"{path}/blinding").text
    with reading() as look:
        rows = look.session.execute(text("select count(*), count(distinct rater_id) from assignments")).one()
    assert rows == (3 * (24 + 3 + 1), 3)


def test_a_draft_that_cannot_be_drawn_is_shown_again_with_what_to_change(operator: Desk):
    path = draft(operator)
    operator.post(f"{path}/design", {**FORM, "minimum": "13"})
    refused = operator.post(f"{path}/lock")
    assert (refused.status_code, str(refused.url.path)) == (200, path), "loading it again posts nothing again"
    assert (
        '<span class="problem" id="problem-items">at least 13, or all there are, from each of 2 cells makes 25'
        in refused.text
    )
    assert "Lock the design" in refused.text
    operator.post(f"{path}/design", FORM)
    assert "problem-items" not in operator.get(f"{path}?lock=refused").text
    assert "Rater A" in operator.post(f"{path}/lock").text


@pytest.mark.parametrize(("eras", "strata"), [(9, ["condition", "era"]), (18, ["condition", "mode"])])
def test_the_strata_of_a_new_draft_leave_no_cell_without_a_place(operator: Desk, eras: int, strata: list[str]):
    lines = [f"k{n},u{n},{('fictional', 'training')[n % 2]},E{n % eras},c{n // 18},text" for n in range(36)]
    table = "\n".join(["key,unit,mode,era,condition,text", *lines])
    made = operator.post("/panels", {"name": "T", "source": "table", "rubric": "record"}, {"file": ("i.csv", table)})
    assert re.findall(r'name="strata" value="(\w+)" checked', made.text) == strata


def test_a_changed_field_of_a_locked_design_answers_with_a_form_for_amendments(operator: Desk, panel: Make):
    path = f"/panels/{panel()}"
    answer = operator.post(
        f"{path}/design", {**FORM, "name": "Another", "seed": "77", "most_missed": "0.7", "margin_points": "2"}
    )
    assert answer.status_code == 409
    assert 'id="value-training.most_missed" name="value" value="0.7"' in answer.text
    assert 'id="value-plan.margin_points" name="value" value="2.0"' in answer.text
    assert "Amend the locked design" in answer.text
    assert "Not amendable" in answer.text
    amended = operator.post(f"{path}/amend", {"field": "name", "value": "Another", "reason": "a typo"})
    assert "a typo" in amended.text
    assert operator.post(f"{path}/amend", {"field": "name", "value": "Third", "reason": " "}).status_code == 409
    assert operator.post(f"{path}/amend", {"field": "guesses", "value": "99", "reason": "more"}).status_code == 409
    form = {"field": "plan.headline", "value": "icc_a1", "reason": "what is used is one rater"}
    assert "icc_a1" in operator.post(f"{path}/amend", form).text
    more = operator.post(f"{path}/amend", {"field": "raters", "value": "4", "reason": "one more"})
    assert more.status_code == 200
    assert "Rater D" in operator.get(path).text


def test_the_rubric_is_fixed_once_a_rating_exists(operator: Desk, panel: Make, rater: Make):
    made = panel()
    path = f"/panels/{made}"
    with reading() as look:
        rubric = look.panels.get(made).design.rubric.model_dump(mode="json")
    changed = {**rubric, "title": "Sharper"}
    form = {"field": "rubric", "value": json.dumps(changed), "reason": "a word"}
    assert operator.post(f"{path}/amend", form).status_code == 200
    rater(made).rate(5)
    refused = operator.post(f"{path}/amend", {**form, "value": json.dumps(rubric)})
    assert refused.status_code == 409
    assert "a rating exists" in refused.text


def test_exports_carry_the_hash_and_alpha_can_be_computed_from_them(operator: Desk, panel: Make, rater: Make):
    made = panel(raters=2)
    path = f"/panels/{made}/exports"
    one, two = rater(made, 1), rater(made, 2)
    for number in range(12):
        one.rate(3 + number % 4)
        two.rate(4 + number % 3)
    page = two.here()
    two.post(f"{page.url.path}/skip", {**fields_of(page.text), "reason": "cannot_judge"})
    with reading() as look:
        digest = look.panels.get(made).locked_hash
    rows = list(csv.DictReader(io.StringIO(operator.get(f"{path}/ratings-long.csv").text)))
    assert {row["panel_hash"] for row in rows} == {digest}
    assert {row["rater"] for row in rows} == {"Rater A", "Rater B"}
    assert [row["value"] for row in rows if row["skip_reason"]] == [""] * 5
    assert len(rows) == 25 * 5
    table: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["dimension"] == "timing" and row["occasion"] == "1" and row["value"]:
            table.setdefault(row["item"], {})[row["rater"]] = float(row["value"])
    values = np.array([[cells.get(name, np.nan) for name in ("Rater A", "Rater B")] for cells in table.values()])
    alpha = agreement(values, raters=("Rater A", "Rater B"), scale=(0, 10)).dimensions["value"].statistics
    assert alpha["alpha_interval"].n == np.isfinite(values).all(axis=1).sum()
    wide = list(csv.DictReader(io.StringIO(operator.get(f"{path}/ratings-wide.csv").text)))
    assert {"item", "run", "dimension", "Rater A", "Rater B", "inclusion_probability"} <= set(wide[0])
    assert {row["panel_hash"] for row in wide} == {digest}
    cells = {row["dimension"]: row for row in wide if row["item"] == wide[0]["item"]}
    composite = cells.pop("composite-score")
    assert int(composite["Rater A"]) == sum(int(row["Rater A"]) for row in cells.values())
    assert (composite["scale_low"], composite["scale_high"]) == ("0", "50")
    body = operator.get(f"{path}/panel.json").json()
    assert body["panel_hash"] == digest
    assert "judge" not in body["items"][0]
    assert "Person" not in json.dumps(body)
    masks = list(csv.DictReader(io.StringIO(operator.get(f"{path}/masks.csv").text)))
    assert {row["panel_hash"] for row in masks} == {digest}
    assert {row["kind"] for row in masks} == {"company"}
    assert len({row["item"] for row in masks}) == 24
    dictionary = operator.get(f"{path}/dictionary.md").text
    assert f"Panel {digest}" in dictionary
    unnamed = {*rows[0], *wide[0], *masks[0], *body} - {"Rater A", "Rater B", "locked_at", "closed_at"}
    assert [name for name in unnamed if f"`{name}" not in dictionary] == []
    assert operator.get(f"{path}/other.txt").status_code == 404
    with unit_of_work() as work:
        close_panel(work, made)
    body = operator.get(f"{path}/panel.json").json()
    assert body["items"][0]["judge"] == {"timing": 9}
    assert body["adjudications"] == []


def test_adjudication_opens_after_closing_and_stays_apart(operator: Desk, panel: Make, rater: Make):
    made = panel(raters=2)
    path = f"/panels/{made}"
    rater(made, 1).rate(2)
    two = rater(made, 2)
    for _ in range(27):
        two.rate(9)
    assert operator.get(f"{path}/adjudication").status_code == 409
    assert operator.post(f"{path}/state/close").status_code == 200
    page = operator.get(f"{path}/adjudication").text
    assert "Opinion A" in page
    assert "Rater A" not in page
    item = re.search(r'name="item" value="([^"]+)"', page).group(1)
    form = {"item": item, "dimension": "timing", "value": "5", "reason": "midway"}
    assert "settled on 5" in operator.post(f"{path}/adjudication", form).text
    assert operator.post(f"{path}/adjudication", {**form, "value": "11"}).status_code == 409
    assert operator.post(f"{path}/adjudication", {**form, "reason": ""}).status_code == 409
    body = operator.get(f"{path}/exports/panel.json").json()
    assert [one["value"] for one in body["adjudications"]] == [5]
    assert "5" not in {
        row["value"] for row in csv.DictReader(io.StringIO(operator.get(f"{path}/exports/ratings-long.csv").text))
    }


def test_access_of_raters_is_made_shown_once_and_ended(operator: Desk, panel: Make, visitor: Make):
    path = f"/panels/{panel()}"
    shown = operator.post(f"{path}/raters/1/invite", {"name": "Ada", "days": "3"}).text
    assert "Other machines cannot open this link" in shown
    assert "Send this link to the person who is Rater" in shown
    link = re.search(r"http://[^<\s]+(/rate/join/[\w-]+)", shown).group(1)
    assert "/rate/join/" not in operator.get(path).text
    assert "Ada" in shown
    assert operator.post(f"{path}/raters/1/invite", {"days": "0"}).status_code == 409
    assert operator.post(f"{path}/raters/9/invite", {"days": "3"}).status_code == 404
    assert operator.post(f"{path}/raters/2/code").status_code == 409
    one = visitor()
    one.come_in(link)
    assert operator.post(f"{path}/raters/1/invite", {"days": "3"}).status_code == 409
    assert "new" in operator.post(f"{path}/raters/1/code").text
    assert operator.post(f"{path}/raters/1/release").status_code == 200
    assert operator.post(f"{path}/raters/1/erase").status_code == 200
    assert "Ada" not in operator.get(path).text
    assert operator.post(f"{path}/raters/1/praise").status_code == 404
    assert operator.post(f"{path}/state/pause").status_code == 200
    assert operator.post(f"{path}/state/resume").status_code == 200
    assert operator.post(f"{path}/state/resume").status_code == 409
    assert operator.post(f"{path}/state/fly").status_code == 404


def test_auditors_read_but_do_not_see_people_nor_act(desk_of: Callable[[Role], Desk], panel: Make, invite: Make):
    made = panel()
    invite(made, 1)
    auditor = desk_of(Role.AUDITOR)
    assert "Person 1" not in auditor.get(f"/panels/{made}").text
    assert auditor.get("/panels/new").status_code == 403
    assert auditor.post(f"/panels/{made}/state/close").status_code == 403
    assert auditor.get(f"/panels/{made}/blinding").status_code == 403
    assert auditor.get(f"/panels/{made}/exports/ratings-long.csv").status_code == 200


@pytest.mark.parametrize(
    ("more", "name", "content", "words"),
    [
        ({}, "items.csv", b"key,text\na,", "no text"),
        ({}, "items.csv", b"", "choose a file"),
        ({"source": "published"}, "run.zip", b"nothing", "zip file"),
        ({"source": "studies"}, "x.csv", b"", "choose at least one study"),
        ({"rubric": "custom", "rubric_text": "x ="}, "items.csv", b"key,text\na,b", "not TOML"),
        ({"name": ""}, "items.csv", b"key,text\na,b", "write something here"),
    ],
)
def test_what_cannot_make_a_panel_is_said_beside_its_field(
    operator: Desk, more: dict[str, str], name: str, content: bytes, words: str
):
    form = {"name": "T", "source": "table", "rubric": "record", **more}
    answer = operator.post("/panels", form, {"file": (name, content)})
    assert answer.status_code == 422
    assert words in answer.text


def test_an_own_rubric_of_every_scale_is_rated_on_the_same_page(operator: Desk, visitor: Make):
    files = {"file": ("items.jsonl", b'{"key": "a", "text": "One"}\n{"key": "b", "text": "Two"}\n')}
    form = {"name": "T", "source": "table", "rubric": "custom", "rubric_text": EXAMPLE}
    path = operator.post("/panels", form, files).url.path
    operator.post(f"{path}/lock")
    shown = operator.post(f"{path}/raters/1/invite", {"days": "3"}).text
    one = visitor()
    one.come_in(re.search(r"(/rate/join/[\w-]+)", shown).group(1))
    one.consent()
    page = one.here()
    assert "buyer and workflow" in page.text
    values = {"v.kind": "1", "v.changed": "0", "v.caution": "5", "v.clarity": "10"}
    assert one.post(f"{page.url.path}/submit", {**fields_of(page.text), **values}).status_code == 200
    rows = list(csv.DictReader(io.StringIO(operator.get(f"{path}/exports/ratings-long.csv").text)))
    assert {row["dimension"]: row["label"] for row in rows} == {
        "kind": "buyer and workflow", "changed": "no", "caution": "all building waits", "clarity": "",
    }  # fmt: skip
    assert OTHERS


def test_operators_read_items_by_run_condition_and_era():
    strata = {"era": "F3", "condition": "no_red_team"}
    some_id = PanelItemId(uuid4())
    line = FrameLine(some_id, "S|8c93|0009|F3", "S, run 9, steady", strata, False, 9, "frame", None, None, {})
    assert label_of(line) == "S, run 9, steady, no red team, era F3"
    assert label_of(replace(line, unit="S, no red team r01")) == "S, no red team r01, era F3"
    assert label_of(replace(line, key="k3")) == "k3"
