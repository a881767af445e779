"""Names with characters that nobody can see are refused at every door, by field; texts are isolated."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.imports.own_events import OwnEventsError, read_own_eras
from app.imports.rating_rubrics import EXAMPLE, RubricFileError, read_rubric
from app.services.errors import RefusedError
from app.services.studies import launch_study
from app.services.unit_of_work import unit_of_work
from tests.web.conftest import Browser, design

pytestmark = pytest.mark.services

TURNED = "Spring\u202egnirps"
WORDS = "U+202E, right-to-left override"
STATIC = Path(__file__).parents[2] / "static"
MODEL = {"name": "lab/m", "provider": "openai_compatible", "endpoint": "http://127.0.0.1:1/v1"}
DOORS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("/studies", {"name": TURNED}, "name"),
    ("/studies", {"name": "Spring", "own_title": TURNED}, "own_title"),
    ("/panels", {"name": TURNED, "source": "studies"}, "name"),
    ("/panels", {"name": " ", "source": "studies"}, "name"),
    ("/users", {"name": TURNED, "role": "operator"}, "name"),
    ("/models", {**MODEL, "family": TURNED, "wire_model": "m"}, "family"),
    ("/models", {**MODEL, "family": "f", "wire_model": TURNED}, "wire_model"),
)


@pytest.mark.parametrize(("path", "fields", "field"), DOORS)
def test_every_form_refuses_it_beside_the_field(admin: Browser, path: str, fields: dict[str, Any], field: str):
    answer = admin.post(path, fields)

    assert answer.status_code == 422
    words = re.escape(WORDS) if TURNED in fields.values() else "write something here"
    assert re.search(rf'id="problem-{field}"[^>]*>[^<]*{words}', answer.text)


def test_a_design_from_a_file_is_refused_at_launch(admin: Browser):
    turned = design(name=TURNED)
    with pytest.raises(RefusedError, match=r"^name: take out"), unit_of_work() as work:
        launch_study(work, turned, None)
    schedules = tuple(one.model_copy(update={"title": TURNED}) for one in design().schedules)
    with pytest.raises(RefusedError, match=r"^schedules\.title: take out"), unit_of_work() as work:
        launch_study(work, design().model_copy(update={"schedules": schedules}), None)


def test_titles_of_own_eras_and_names_in_own_rubrics_are_refused_by_line_or_field():
    with pytest.raises(OwnEventsError, match="line 1: take out"):
        read_own_eras(f"2026-01-01, 2026-06-30, {TURNED}")
    for written in ("What kind of lesson is this?", "Kind of lesson", "buyer and workflow"):
        with pytest.raises(RubricFileError, match="take out the character"):
            read_rubric(EXAMPLE.replace(written, TURNED))


@pytest.mark.parametrize("sheet", ["app.css", "rate.css"])
def test_inline_texts_turn_nothing_beside_them(sheet: str):
    rule = re.search(
        r"^([^{}\n]+)\{ unicode-bidi: isolate; \}", (STATIC / sheet).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rule
    assert {"a", "b", "bdi", "span", "code", "q", "label"} <= set(rule.group(1).replace(" ", "").split(","))
