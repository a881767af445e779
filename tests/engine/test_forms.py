"""The form of each step: the schema a provider is sent asks for all that is wanted, and for nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from app.domain.engine.forms import form_for, thesis_names
from app.domain.engine.inputs import StepKind
from app.domain.protocol.artifacts import AuditorReview, Board, Decision, RecordReview, Reply
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.protocol.rubrics import AUDITOR_DIMENSIONS, RECORD_DIMENSIONS
from tests.engine.plays import library, whole

FULL = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
PILOT = (Preset.PILOT, Briefings.MODEL, Condition.FULL)
CALM_PILOT = (Preset.PILOT, Briefings.MODEL, Condition.NO_RED_TEAM)
MATCHED = (Preset.CONTROLLED, Briefings.DRAWN, Condition.SINGLE_PROMPT_MATCHED)
PERSONAS = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL, Mapping.PERSONA)
LESSONS = ["E1-1", "E1-2", "E1-3"]


def schema(cell: Any, key: str) -> dict[str, Any]:
    return form_for(whole(*cell).given[key]).schema


def part(of: dict[str, Any], name: str, field: str) -> Any:
    return of["$defs"][name]["properties"][field]


@pytest.mark.parametrize("cell", [FULL, PILOT, MATCHED, PERSONAS])
def test_every_field_of_a_schema_is_required_and_no_other_allowed(cell: Any):
    for given in whole(*cell).given.values():
        form = form_for(given)
        assert form.schema["additionalProperties"] is False
        assert set(form.schema["required"]) - set(form.omitted) == set(form.schema["properties"])
        assert form.kind == form.artifact.model_fields["kind"].default


def test_a_judge_fills_the_rubric_of_its_mode():
    for era, artifact, dimensions in (
        ("E2", RecordReview, RECORD_DIMENSIONS),
        ("E7", AuditorReview, AUDITOR_DIMENSIONS),
        ("E9", AuditorReview, AUDITOR_DIMENSIONS),
    ):
        form = form_for(whole(*FULL).given[f"{era}/review"])
        assert form.artifact is artifact
        assert form.omitted == ("typed_total", "next_briefing")
        assert not {"typed_total", "next_briefing"} & set(form.schema["properties"])
        assert part(form.schema, "Score", "dimension")["enum"] == list(dimensions)
        value = part(form.schema, "Score", "value")
        assert (value["minimum"], value["maximum"]) == (0, 10)
        assert form.schema["properties"]["pooled_layer"]["enum"] == list(library().layers.ids)


def test_the_pilots_judge_is_asked_for_a_total_and_a_briefing_until_the_last_era():
    assert form_for(whole(*PILOT).given["E1/review"]).omitted == ()
    assert form_for(whole(*PILOT).given["E9/review"]).omitted == ("next_briefing",)


def test_only_lessons_that_hold_can_be_cited_revised_or_retired():
    memo = schema(FULL, "E2/memo/market_capital")
    held = [lesson.id for lesson in whole(*FULL).state.playbook("E2").active]
    assert part(memo, "LessonUse", "lesson")["enum"] == held
    assert memo["properties"]["lessons"]["minItems"] == 1
    assert "minItems" not in schema(FULL, "E2/decision")["properties"]["lessons"]
    draft = schema(FULL, "E2/review")
    for field in ("revises", "retires"):
        assert part(draft, "LessonDraft", field)["anyOf"] == [{"type": "string", "enum": held}, {"type": "null"}]
        assert part(draft, "LessonDraft", field)["description"]
    for key in ("E1/memo/market_capital", "E1/decision"):
        assert schema(FULL, key)["properties"]["lessons"]["maxItems"] == 0
    assert part(schema(FULL, "E1/review"), "LessonDraft", "revises")["anyOf"] == [{"type": "null"}]


def test_theses_dissents_and_departments_are_those_on_the_table():
    state = whole(*FULL).state
    names = list(thesis_names(state.memos("E2")))
    assert names[:3] == ["frontier_research/1", "frontier_research/2", "product_engineering/1"]
    assert part(schema(FULL, "E2/attack"), "AttackPoint", "thesis")["enum"] == names
    reading = schema(FULL, "E2/reading")
    dissents = [dissent.id for dissent in state.decision("E2").dissents]
    assert part(reading, "DissentVerdict", "dissent")["enum"] == dissents
    verdicts = reading["properties"]["verdicts"]
    assert (verdicts["minItems"], verdicts["maxItems"]) == (len(dissents), len(dissents))
    assert reading["properties"]["named_by"]["items"]["enum"] == names
    assert schema(FULL, "E2/memo/market_capital")["properties"]["department"]["enum"] == ["market_capital"]
    assert thesis_names(()) == ()


def test_a_board_attacks_only_where_there_is_a_red_team():
    assert form_for(whole(*PILOT).given["E2/board"]).artifact is Board
    assert schema(PILOT, "E2/board")["properties"]["attack"] == {"$ref": "#/$defs/Attack"}
    assert schema(CALM_PILOT, "E2/board")["properties"]["attack"] == {"type": "null"}


def test_voices_and_drafts_have_forms():
    assert form_for(whole(*MATCHED).given["E2/draft/1"]).artifact is Decision
    assert form_for(whole(*MATCHED).given["E2/critique/1"]).kind == "critique"
    reply = form_for(whole(*PERSONAS).given["E2/reply/cto"])
    assert reply.artifact is Reply
    assert reply.schema["properties"]["persona"]["enum"] == ["cto"]
    assert reply.schema["properties"]["backs"]["enum"] == list(thesis_names(whole(*PERSONAS).state.memos("E2")))


def test_without_material_a_schema_is_as_wide_as_its_type():
    given = whole(*FULL).given
    bare = form_for(replace(given["E2/review"], rubric=None, playbook=None)).schema
    assert "enum" not in part(bare, "Score", "dimension")
    reading = form_for(replace(given["E2/reading"], memos=(), decision=None)).schema
    assert "enum" not in reading["properties"]["named_by"]["items"]
    assert reading["properties"]["verdicts"]["maxItems"] == 0
    memo = form_for(replace(given["E2/memo/market_capital"], department=None, playbook=None)).schema
    assert "enum" not in memo["properties"]["department"]
    note = form_for(replace(whole(*PERSONAS).given["E2/note/economist"], persona=None)).schema
    assert "enum" not in note["properties"]["persona"]


def test_equal_steps_share_a_schema_and_others_do_not():
    one, two = (form_for(whole(*FULL).given["E2/decision"]) for _ in range(2))
    assert one.schema is two.schema
    assert one.schema is not schema(FULL, "E3/decision")
    assert {given.kind for given in whole(*FULL).given.values()} < set(StepKind)
