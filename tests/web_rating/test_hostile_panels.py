"""Panels and raters that are sent what no page sends: never a failure, nothing half kept, and words that help."""

from collections.abc import Callable
from typing import Any

import pytest

from app.services.unit_of_work import reading
from tests.web_rating.conftest import fields_of
from tests.web_rating.test_panels import FORM, Desk, desk_of, draft, operator

__all__ = ["desk_of", "operator"]

Make = Callable[..., Any]
MANY_DIGITS = "9" * 5_000
DEEP = "[" * 50_000
NUMBERS = ("--5", "5-", "²", MANY_DIGITS, "1e400", "NaN", "x")
RUBRIC = """[[dimensions]]
id = "kind"
name = "Kind"
"""


@pytest.mark.parametrize("repeats", NUMBERS)
def test_a_number_of_repeats_that_is_none_is_named(operator: Desk, repeats: str):
    answer = operator.post(f"{draft(operator)}/design", {**FORM, "repeats": repeats})

    assert answer.status_code == 422
    assert "whole number" in answer.text


def test_training_that_does_not_fit_is_refused(operator: Desk):
    path = f"{draft(operator)}/training"
    for value in NUMBERS:
        assert "is not on the scale" in operator.post(path, {"key": "k3", "v.timing": value}).text
    assert operator.post(path, {"key": "", "v.timing": "5"}).status_code == 409


@pytest.mark.parametrize("value", [DEEP, MANY_DIGITS, "1e400", "NaN", '{"a": Infinity}'])
@pytest.mark.parametrize("field", ["raters", "guesses", "plan.epsilon", "training.most_missed"])
def test_an_amendment_that_does_not_fit_is_refused(operator: Desk, field: str, value: str):
    path = draft(operator)
    operator.post(f"{path}/design", FORM)
    operator.post(f"{path}/lock")
    answer = operator.post(f"{path}/amend", {"field": field, "value": value, "reason": "because"})

    assert answer.status_code == 409


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rubric_text": f"{RUBRIC}to = 1_000_000"}, "dimension kind: from and to: write whole numbers with 2 to 20"),
        ({"rubric_text": "x" * 60_001}, "at most 60,000 characters"),
        ({"source": "studies", "studies": "none"}, "choose one of the list"),
        ({"source": "none"}, "source: choose one of"),
    ],
)
def test_whatever_is_wrong_with_a_new_panel_is_said_on_its_page(operator: Desk, fields: dict[str, str], words: str):
    usual = {"name": "T", "source": "table", "rubric": "custom"}
    answer = operator.post("/panels", {**usual, **fields}, {"file": ("items.csv", b"key,text\na,b")})

    assert answer.status_code == 422
    assert words in answer.text


@pytest.mark.parametrize("events", [DEEP, '[[NaN,"used"],[1e400,"used"],[1e300,"used"]]', MANY_DIGITS])
def test_a_raters_events_that_cannot_be_are_left_out(panel: Make, rater: Make, events: str):
    one = rater(panel())
    page = one.here()
    sent = {**fields_of(page.text), "events": events, "visit": "v", "v.timing": MANY_DIGITS}

    assert one.post(f"{page.url.path}/activity", sent).status_code == 204
    assert one.post(f"{page.url.path}/draft", sent).status_code == 422
    with reading() as look:
        assert look.ratings.activity(page.url.path.rpartition("/")[2]) == {}
