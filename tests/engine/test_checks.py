"""What a schema cannot say of an answer: ids that exist, lists that are complete, dates that precede."""

import json
from dataclasses import replace
from typing import Any

import pytest

from app.domain.engine.answers import AnswerError, check_artifact
from app.domain.engine.forms import form_for
from app.domain.engine.inputs import StepInput
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from tests.engine.plays import spoken, whole

FULL = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
MODEL = (Preset.CONTROLLED, Briefings.MODEL, Condition.FULL)
PILOT = (Preset.PILOT, Briefings.MODEL, Condition.FULL)
PERSONAS = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL, Mapping.PERSONA)
NO_PLAYBOOK = (Preset.CONTROLLED, Briefings.DRAWN, Condition.NO_PLAYBOOK)
CALM_PILOT = (Preset.PILOT, Briefings.MODEL, Condition.NO_RED_TEAM)


def body_of(cell: Any, key: str) -> dict[str, Any]:
    return json.loads(spoken(whole(*cell).given[key]))


def changed(body: Any, path: str, value: Any) -> Any:
    """The body with one place changed; numbers in a path are positions."""
    head, _, rest = path.partition(".")
    whole_body = list(body) if isinstance(body, list) else dict(body)
    at = int(head) if isinstance(body, list) else head
    whole_body[at] = changed(whole_body[at], rest, value) if rest else value
    return whole_body


def problem(given: StepInput, body: dict[str, Any]) -> str:
    with pytest.raises(AnswerError) as caught:
        check_artifact(body, form_for(given), given)
    return str(caught.value)


USE = {"lesson": "E9-9", "stance": "cites", "how": "x"}
LATE = [{"heading": "x", "items": [{"text": "x", "date": "1996-02", "event": None}]}]
UNKNOWN = [{"heading": "x", "items": [{"text": "x", "date": "1995-02", "event": 99_999}]}]
TWICE = [{"id": "D1", "who": "x", "why": "x"}] * 2
CASES: list[tuple[Any, str, str, Any, str]] = [
    (
        FULL,
        "E2/memo/market_capital",
        "theses.0.chain.layer",
        "the cloud",
        "chain.layer: 'the cloud' is no layer id; ch",
    ),
    (FULL, "E2/memo/market_capital", "department", "executive", "department: must be market_capital"),
    (FULL, "E2/memo/market_capital", "lessons", [], "lessons: cite or dispute at least one lesson of the Playbook"),
    (FULL, "E2/memo/market_capital", "lessons", [USE], "lessons: 'E9-9' is no lesson of the Playbook"),
    (NO_PLAYBOOK, "E2/memo/market_capital", "lessons", [{**USE, "lesson": "E1-1"}], "lessons: 'E1-1' is no lesson"),
    (FULL, "E7/memo/market_capital", "claims", [], "claims: tag every claim"),
    (FULL, "E2/attack", "points.0.thesis", "market_capital/3", "points: 'market_capital/3' is no thesis on the table"),
    (FULL, "E2/decision", "chain.layer", "moon", "chain.layer: 'moon' is no layer id"),
    (FULL, "E2/decision", "lessons", [USE], "lessons: 'E9-9' is no lesson of the Playbook"),
    (FULL, "E2/decision", "deferral", {"deferred": True, "gate": None}, "deferral.gate: say what must be shown"),
    (FULL, "E2/decision", "deferral", {"deferred": True, "gate": ""}, "deferral.gate: say what must be shown"),
    (FULL, "E2/decision", "dissents", TWICE, "dissents: each needs an id of its own"),
    (FULL, "E7/decision", "claims", [], "claims: tag every claim"),
    (PILOT, "E2/board", "attack", None, "attack: the Red Team attacks before the CEO decides"),
    (PILOT, "E2/board", "attack.points.0.thesis", "x/1", "points: 'x/1' is no thesis on the table"),
    (PILOT, "E2/board", "decision.chain.layer", "moon", "chain.layer: 'moon' is no layer id"),
    (PILOT, "E2/board", "decision.lessons", [USE], "lessons: 'E9-9' is no lesson of the Playbook"),
    (PILOT, "E2/board", "decision.dissents", TWICE, "dissents: each needs an id of its own"),
    (FULL, "E2/review", "pooled_layer", "moon", "pooled_layer: 'moon' is no layer id"),
    (FULL, "E2/review", "scores.0.dimension", "timing", "scores: exactly one for each of frontier_accuracy, timing"),
    (FULL, "E2/review", "scores.0.dimension", "plausibility", "scores: exactly one for each of frontier_accuracy"),
    (FULL, "E2/review", "lessons.0.revises", "E9-9", "lessons: 'E9-9' is no lesson of the Playbook; use null"),
    (FULL, "E2/review", "lessons.0.retires", "E9-9", "lessons: 'E9-9' is no lesson of the Playbook; use null"),
    (FULL, "E2/review", "typed_total", 62, "typed_total: not asked for here; leave it out"),
    (FULL, "E2/review", "next_briefing", {"x": 1}, "next_briefing: not asked for here; leave it out"),
    (PILOT, "E1/review", "typed_total", None, "typed_total: type the era's total, 0 to 100"),
    (PILOT, "E1/review", "typed_total", 101, "typed_total: Input should be less than or equal to 100"),
    (PILOT, "E1/review", "next_briefing", None, "next_briefing: write the briefing of the next era"),
    (PILOT, "E1/review", "next_briefing.sections", LATE, "item dated 1996-02 is not before 1996-01-01"),
    (PILOT, "E1/review", "next_briefing.sections", UNKNOWN, "event 99999 is not in the list given"),
    (PILOT, "E9/review", "next_briefing", {"x": 1}, "next_briefing: not asked for here; leave it out"),
    (MODEL, "E2/briefing", "sections", LATE, "briefing item dated 1996-02 is not before 1996-01-01"),
    (MODEL, "E2/briefing", "sections", UNKNOWN, "event 99999 is not in the list given"),
    (FULL, "E2/reading", "verdicts", [], "verdicts: exactly one for each dissent (D1"),
    (FULL, "E2/reading", "named_by", ["market_capital/9"], "named_by: 'market_capital/9' is no thesis on the table"),
    (PERSONAS, "E2/note/economist", "persona", "cfo", "persona: must be economist"),
    (PERSONAS, "E2/reply/cto", "persona", "ceo", "persona: must be cto"),
    (PERSONAS, "E2/reply/cto", "backs", "market_capital/3", "backs: 'market_capital/3' is no thesis on the table; ch"),
]


@pytest.mark.parametrize(("cell", "key", "path", "value", "wanted"), CASES)
def test_an_answer_that_cannot_be_used_says_why(cell: Any, key: str, path: str, value: Any, wanted: str):
    body = body_of(cell, key)
    given = whole(*cell).given[key]
    check_artifact(body, form_for(given), given)
    assert wanted in problem(given, changed(body, path, value))


def test_every_thesis_is_attacked():
    given = whole(*FULL).given["E2/attack"]
    body = body_of(FULL, "E2/attack")
    body["points"] = [point for point in body["points"] if point["thesis"] != "market_capital/2"]
    assert "points: thesis market_capital/2 is not attacked; attack every thesis" in problem(given, body)


def test_where_there_is_no_red_team_there_is_no_attack():
    given = whole(*CALM_PILOT).given["E2/board"]
    body = body_of(CALM_PILOT, "E2/board")
    assert body["attack"] is None
    attack = body_of(PILOT, "E2/board")["attack"]
    assert "attack: there is no Red Team here; set it to null" in problem(given, {**body, "attack": attack})


def test_verdicts_are_one_for_each_dissent_and_none_where_there_is_none():
    given = whole(*FULL).given["E2/reading"]
    body = body_of(FULL, "E2/reading")
    verdict = body["verdicts"][0]
    for verdicts in ([*body["verdicts"], verdict], [{**verdict, "dissent": "D77"}, *body["verdicts"][1:]]):
        assert problem(given, {**body, "verdicts": verdicts}).startswith("verdicts: exactly one for each dissent")
    for decision in (None, given.decision.model_copy(update={"dissents": ()})):
        calm = replace(given, decision=decision)
        assert "there are none: leave it empty" in problem(calm, body)
        check_artifact({**body, "verdicts": []}, form_for(calm), calm)


def test_fields_not_asked_for_may_be_null():
    given = whole(*FULL).given["E2/review"]
    body = {**body_of(FULL, "E2/review"), "typed_total": None, "next_briefing": None}
    assert check_artifact(body, form_for(given), given).typed_total is None


def test_without_material_nothing_is_known():
    """Inputs that lack what an answer refers to: nothing can be cited, scored or voiced."""
    review = replace(whole(*FULL).given["E2/review"], playbook=None)
    cites = changed(body_of(FULL, "E2/review"), "lessons.0.revises", "E1-1")
    assert "lessons: 'E1-1' is no lesson" in problem(review, cites)
    assert "scores: exactly one for each of ," in problem(replace(review, rubric=None), cites)
    memo = replace(whole(*FULL).given["E2/memo/market_capital"], playbook=None)
    assert "is no lesson of the Playbook" in problem(memo, body_of(FULL, "E2/memo/market_capital"))
    note = replace(whole(*PERSONAS).given["E2/note/economist"], persona=None)
    assert "persona: must be none" in problem(note, body_of(PERSONAS, "E2/note/economist"))


def test_several_problems_are_told_together():
    given = whole(*FULL).given["E2/review"]
    body = changed(changed(body_of(FULL, "E2/review"), "pooled_layer", "moon"), "lessons.0.revises", "E9-9")
    assert problem(given, body).count("; ") >= 2
