"""What each step is given over whole runs: what it needs, nothing from later, nothing its condition withholds."""

from dataclasses import fields
from datetime import date
from typing import Any

import pytest

from app.domain.engine.blinding import blind_company, blind_decision
from app.domain.engine.by_code import CarriedBriefingMissingError, write_by_code
from app.domain.engine.flow import ALLOWED, DOCUMENTS
from app.domain.engine.inputs import StepInput, StepKind
from app.domain.engine.material import input_for
from app.domain.engine.state import RunState
from app.domain.engine.steps import step_key
from app.domain.protocol.artifacts import AuditorReview, RecordReview
from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Era, Mode
from app.domain.protocol.personas import DEPARTMENTS
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.study import PlannedRun
from app.domain.world.events import last_day
from tests.engine.plays import CELLS, PLAYER, Play, design, library, whole

ORGANIZED = [Condition.FULL, Condition.NO_PLAYBOOK, Condition.NO_RED_TEAM]
PERSONAS = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL, Mapping.PERSONA)


def of_kind(played: Play, kind: StepKind) -> list[StepInput]:
    return [given for given in played.given.values() if given.kind is kind]


@pytest.mark.parametrize("cell", [*CELLS, PERSONAS])
def test_a_whole_run_finishes_and_each_call_sees_only_what_is_allowed(cell: Any):
    played = whole(*cell)
    assert played.state.is_finished
    assert len(played.order) == len(set(played.order)) == len(played.state.plan)
    for given in played.given.values():
        shown = {name for name in DOCUMENTS if getattr(given, name)}
        extra = (
            {"memos", "attack", "next_known"} if cell[0] is Preset.PILOT and given.kind is StepKind.REVIEW else set()
        )
        assert shown <= ALLOWED[given.kind] | extra


def test_every_document_of_an_input_is_under_the_invariant():
    about = {"key", "kind", "role", "era", "layers", "roster", "wanted", "department", "persona", "rubric"}
    switches = {"next_era", "blind", "notes"}
    assert {field.name for field in fields(StepInput)} == set(DOCUMENTS) | about | switches


@pytest.mark.parametrize("cell", [*CELLS, PERSONAS])
def test_no_player_is_given_a_fact_from_its_day_or_later(cell: Any):
    for given in whole(*cell).given.values():
        dated = [item.date for section in given.briefing.sections for item in section.items] if given.briefing else []
        known = [event.on for event in given.known]
        for on in filter(None, [*dated, *known]):
            assert last_day(on) < given.era.start
        if given.kind not in {StepKind.REVIEW, StepKind.READING}:
            assert given.outcomes == ()


@pytest.mark.parametrize("cell", CELLS)
def test_the_judge_gets_the_events_of_the_window(cell: Any):
    for given in of_kind(whole(*cell), StepKind.REVIEW):
        assert bool(given.outcomes) is given.era.mode.has_outcome
        for event in given.outcomes:
            assert given.era.start <= last_day(event.on) < given.era.end


def test_memos_are_blind_to_each_other_and_see_the_era_before():
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
    for given in of_kind(played, StepKind.MEMO):
        assert given.memos == ()
        assert given.attack is None
        first = given.era.id == "E1"
        assert (given.previous_decision is None, given.previous_review is None) == (first, first)
        assert given.wanted.lesson_use is not first
        assert len(given.voices) == len(library().roster.of(given.department))
    attack = played.given["E2/attack"]
    assert tuple(memo.department for memo in attack.memos) == DEPARTMENTS
    assert attack.voices == ()
    assert played.given["E2/decision"].attack == played.state.attack("E2")
    assert played.given["E2/memo/market_capital"].previous_decision == played.state.decision("E1")


def test_members_write_for_their_own_head_and_executives_for_the_ceo():
    played = whole(*PERSONAS)
    for given in of_kind(played, StepKind.MEMO):
        members = {persona.id for persona in library().roster.of(given.department)}
        assert {note.persona for note in given.member_notes} == members
    for given in of_kind(played, StepKind.NOTE):
        assert (given.member_notes, given.memos, given.persona.group) == ((), (), given.department)
    for given in of_kind(played, StepKind.REPLY):
        assert given.replies == ()
        assert given.attack is not None
    assert len(played.given["E3/decision"].replies) == 3
    assert all(given.member_notes == () for given in of_kind(played, StepKind.DECISION))


def test_a_matched_founder_revises_its_own_drafts():
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.SINGLE_PROMPT_MATCHED)
    drafts = [(len(given.drafts), len(given.critiques)) for given in of_kind(played, StepKind.DRAFT)][:2]
    assert drafts == [(0, 0), (1, 1)]
    assert (len(played.given["E1/decision"].drafts), len(played.given["E1/decision"].critiques)) == (2, 2)
    assert played.state.decision("E1") == played.state.artifacts["E1/decision"]


@pytest.mark.parametrize(
    ("preset", "briefings"), [(Preset.PILOT, Briefings.MODEL), (Preset.CONTROLLED, Briefings.DRAWN)]
)
def test_where_lessons_are_withheld_no_player_sees_one_and_the_judge_still_keeps_them(preset: Any, briefings: Any):
    played = whole(preset, briefings, Condition.NO_PLAYBOOK)
    for given in played.given.values():
        if given.kind is StepKind.REVIEW:
            assert bool(given.playbook.lessons) is (given.era.id != "E1")
        elif given.kind is not StepKind.READING:
            assert not (given.playbook and given.playbook.lessons)
            assert not (given.previous_review and given.previous_review.lessons)
            assert not given.wanted.lesson_use
    assert len(played.state.playbook("E9").lessons) >= 3 * 8


def test_without_a_red_team_nobody_attacks():
    for preset, briefings in [(Preset.PILOT, Briefings.MODEL), (Preset.CONTROLLED, Briefings.DRAWN)]:
        played = whole(preset, briefings, Condition.NO_RED_TEAM)
        assert all(given.attack is None and not given.wanted.red_team for given in played.given.values())
        assert played.state.attack("E1") is None


def test_the_blind_packet_has_the_same_shape_in_every_condition():
    shapes, wanted = set(), set()
    for condition in Condition:
        for given in of_kind(whole(Preset.CONTROLLED, Briefings.DRAWN, condition), StepKind.REVIEW):
            shapes.add((given.era.id, *(name for name in DOCUMENTS if getattr(given, name) is not None)))
            assert (given.decision.dissents, given.decision.lessons, given.decision.organization) == ((), (), ())
            assert (given.memos, given.attack, given.blind, given.next_known) == ((), None, True, ())
            assert given.decision == blind_decision(given.decision, library().roster)
            assert given.company == blind_company(given.company, library().roster)
            wanted.add((given.wanted.typed_total, given.wanted.next_briefing, given.wanted.tagged_claims))
    assert len(shapes) == 9
    assert wanted == {(False, False, False)}


def test_the_pilots_judge_sees_everything_and_writes_the_next_briefing():
    played = whole(Preset.PILOT, Briefings.MODEL, Condition.FULL)
    review = played.given["E1/review"]
    assert len(review.memos) == 3
    assert review.attack == played.state.attack("E1") is not None
    assert review.decision == played.state.decision("E1")
    assert (review.blind, review.wanted.typed_total, review.wanted.next_briefing) == (False, True, True)
    assert review.next_era.id == "E2"
    assert review.next_known
    assert played.given["E7/review"].next_known == ()
    assert not played.given["E9/review"].wanted.next_briefing
    assert played.state.briefing("E2") == played.state.review("E1").next_briefing
    memo = played.given["E2/memo/market_capital"]
    assert memo.previous_review.next_briefing is None
    assert played.state.reading("E1") is None


def test_a_forecasts_author_sees_no_document_of_the_company():
    for given in of_kind(whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL), StepKind.BRIEFING):
        assert {name for name in DOCUMENTS if getattr(given, name)} == {"previous_briefing"}
    model = of_kind(whole(Preset.CONTROLLED, Briefings.MODEL, Condition.FULL), StepKind.BRIEFING)
    assert [bool(given.known) for given in model] == [True] * 7 + [False] * 2


def test_claims_are_tagged_where_there_is_no_answer():
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
    for kind in (StepKind.MEMO, StepKind.DECISION):
        assert all(given.wanted.tagged_claims is given.era.mode.tags_claims for given in of_kind(played, kind))
    assert not any(given.wanted.tagged_claims for given in of_kind(played, StepKind.ATTACK))
    assert isinstance(played.state.review("E7"), AuditorReview)
    assert isinstance(played.state.review("E6"), RecordReview)


def test_a_state_knows_only_what_is_there():
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
    keep = ("E1/briefing", "E1/memo/market_capital")
    early = RunState(played.state.design, played.state.run, {key: played.state.artifacts[key] for key in keep})
    assert not early.is_finished
    assert len(early.memos("E1")) == 1
    assert (early.attack("E1"), early.decision("E1"), early.review("E1"), early.reading("E1")) == (None,) * 4
    assert early.briefing("E2") is None
    assert early.playbook("E3").lessons == ()
    assert early.company("E3").identities == ()
    reviewed = early.with_artifact("E1/review", played.state.review("E1"))
    assert reviewed.playbook("E2") == played.state.playbook("E2")
    assert reviewed.company("E2") == early.company("E1")
    memo = next(step for step in early.plan if step.key == "E2/memo/market_capital")
    assert input_for(memo, early, library()).previous_review is None
    assert [identity.era for identity in played.state.company("E3").identities] == ["E1", "E2"]
    assert played.state.reading("E1") == played.state.artifacts["E1/reading"]


def test_what_is_remembered_of_a_review_is_no_other_reviews():
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
    keep = ("E1/briefing", "E1/decision")
    early = RunState(played.state.design, played.state.run, {key: played.state.artifacts[key] for key in keep})
    review = played.state.review("E1")
    assert review is not None
    lost = review.model_copy(
        update={"lessons": review.lessons[:1], "outcome": review.outcome.model_copy(update={"capital_usd": 7})}
    )
    assert early.with_artifact("E1/review", lost).company("E2").capital_usd == 7
    kept = early.with_artifact("E1/review", review)
    assert kept.playbook("E2") == played.state.playbook("E2")
    assert kept.company("E2") == played.state.company("E2")
    assert kept.company("E2") is early.with_artifact("E1/review", review).company("E2")


def test_drawn_briefings_are_shared_by_replicate_and_era_alone():
    def drawn(replicate: int, condition: Condition, seed: int = 1) -> Any:
        asked = design("history-short", seed=seed)
        run = PlannedRun(replicate * 7, condition, replicate, PLAYER, asked.schedules[0])
        state = RunState(asked, run, {})
        return write_by_code(state.plan[0], state, library())

    same = drawn(1, Condition.FULL)
    assert same == drawn(1, Condition.SINGLE_PROMPT)
    assert same != drawn(2, Condition.FULL)
    assert same != drawn(1, Condition.FULL, seed=2)


def test_a_carried_briefing_must_be_there():
    played = whole(Preset.PILOT, Briefings.MODEL, Condition.FULL)
    plan = {step.key: step for step in played.state.plan}
    empty = RunState(played.state.design, played.state.run, {})
    with pytest.raises(CarriedBriefingMissingError, match="E2/briefing"):
        write_by_code(plan["E2/briefing"], empty, library())
    bare = played.state.review("E1").model_copy(update={"next_briefing": None})
    without = RunState(played.state.design, played.state.run, {"E1/review": bare})
    for key in ("E2/briefing", "E1/briefing"):
        with pytest.raises(CarriedBriefingMissingError, match=key):
            write_by_code(plan[key], without, library())


def test_a_forecast_that_comes_first_and_a_leap_day_are_met():
    early = Era(id="L1", start=date(2024, 2, 29), end=date(2025, 1, 1), mode=Mode.TRAINING)
    assert library().lately_known(early)
    late = early.model_copy(update={"mode": Mode.FORECAST})
    assert library().lately_known(late) == ()
    assert library().outcomes(late) == ()
    schedule = design("history-short").schedules[0].model_copy(update={"id": "odd", "eras": (late,)})
    asked = design("history-short").model_copy(update={"schedules": (schedule,)})
    state = RunState(asked, PlannedRun(1, Condition.FULL, 1, PLAYER, schedule), {})
    assert input_for(state.plan[0], state, library()).known
    assert step_key("L1", StepKind.MEMO, "x") == "L1/memo/x"


def test_a_study_may_have_personas_of_its_own():
    own = library().roster.model_copy(
        update={
            "personas": tuple(one.model_copy(update={"name": f"Zyx {one.id}"}) for one in library().roster.personas)
        }
    )
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.SINGLE_PROMPT)
    said = played.state.decision("E1").model_copy(update={"rationale": "Zyx ceo said so; Ada too."})
    asked = played.state.design.model_copy(update={"roster": own})
    state = RunState(asked, played.state.run, {**played.state.artifacts, "E1/decision": said})
    review = next(step for step in state.plan if step.key == "E1/review")
    assert input_for(review, state, library()).decision.rationale == "[withheld] said so; Ada too."
