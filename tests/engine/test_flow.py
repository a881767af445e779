"""The information-flow invariant: a prompt that would show too much is refused, and the document named."""

from dataclasses import replace
from typing import Any

import pytest

from app.domain.engine.flow import ALLOWED, DOCUMENTS, InformationFlowError, check_flow, late_items
from app.domain.engine.inputs import Arms, Choice, ShownOutcome, StepInput, StepKind
from app.domain.engine.judging_material import guessed_at
from app.domain.ids import LessonId
from app.domain.protocol.artifacts import BriefingItem, Critique, Note, Reply
from app.domain.protocol.company import Identity
from app.domain.protocol.conditions import Condition
from app.domain.protocol.personas import Group
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.world.events import NumberedEvent, events_within, numbered
from tests.engine.plays import Play, library, whole
from tests.protocol import samples

FULL = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
MODEL = (Preset.CONTROLLED, Briefings.MODEL, Condition.FULL)
PILOT = (Preset.PILOT, Briefings.MODEL, Condition.FULL)
NO_PLAYBOOK = (Preset.CONTROLLED, Briefings.DRAWN, Condition.NO_PLAYBOOK)
MATCHED = (Preset.CONTROLLED, Briefings.DRAWN, Condition.SINGLE_PROMPT_MATCHED)
PERSONAS = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL, Mapping.PERSONA)
KEYS = {
    StepKind.BRIEFING: (MODEL, "E2/briefing"),
    StepKind.MEMO: (FULL, "E2/memo/market_capital"),
    StepKind.ATTACK: (FULL, "E2/attack"),
    StepKind.DECISION: (FULL, "E2/decision"),
    StepKind.BOARD: (PILOT, "E2/board"),
    StepKind.NOTE: (PERSONAS, "E2/note/economist"),
    StepKind.REPLY: (PERSONAS, "E2/reply/cto"),
    StepKind.DRAFT: (MATCHED, "E2/draft/1"),
    StepKind.CRITIQUE: (MATCHED, "E2/critique/1"),
    StepKind.REVIEW: (FULL, "E2/review"),
    StepKind.READING: (FULL, "E2/reading"),
    StepKind.GUESS: (FULL, "E2/review"),
    StepKind.RECALL: (FULL, "E2/review"),
}
FORBIDDEN = [(kind, name) for kind in KEYS for name in DOCUMENTS if name not in ALLOWED[kind]]


def documents(played: Play) -> dict[str, Any]:
    """A document of every kind, as a careless maker of inputs might pass it on."""
    state = played.state
    return {
        "company": state.company("E2"),
        "playbook": state.playbook("E2"),
        "briefing": state.briefing("E2"),
        "previous_decision": state.decision("E1"),
        "previous_review": state.review("E1"),
        "previous_briefing": state.briefing("E1"),
        "member_notes": (Note(persona="economist", observations=("x",), proposal="x", doubt="x"),),
        "memos": state.memos("E2"),
        "attack": state.attack("E2"),
        "replies": (Reply(persona="cto", backs="market_capital/1", position="x", concedes=()),),
        "drafts": (state.decision("E2"),),
        "critiques": (Critique(points=("x",), keep=()),),
        "decision": state.decision("E2"),
        "review": state.review("E2"),
        "known": library().known(state.schedule.era("E2")),
        "outcomes": library().outcomes(state.schedule.era("E2")),
        "next_known": library().known(state.schedule.era("E2")),
        "shown_outcome": ShownOutcome(is_success=True, text="x"),
        "arms": Arms(),
        "choice": Choice("x", ("a", "b", "c", "d")),
    }


def given_for(kind: StepKind) -> StepInput:
    """What a step of a kind is given in a run or, in a judging, from the packet of a run."""
    cell, key = KEYS[kind]
    given = whole(*cell).given[key]
    if kind is StepKind.GUESS:
        return guessed_at(given, Arms())
    if kind is StepKind.RECALL:
        return StepInput(given.key, kind, given.role, given.era, given.layers, given.roster, given.wanted)
    return given


def check(given: StepInput, cell: Any = FULL) -> None:
    state = whole(*cell).state
    check_flow(given, state.design, state.run, library().by_text)


def test_every_kind_of_document_is_tried_with_every_kind_of_step():
    assert set(documents(whole(*FULL))) == set(DOCUMENTS)
    assert set(KEYS) == set(StepKind) == set(ALLOWED)


@pytest.mark.parametrize(("kind", "name"), FORBIDDEN)
def test_a_forbidden_document_is_refused_and_named(kind: StepKind, name: str):
    cell, key = KEYS[kind]
    given = given_for(kind)
    assert not getattr(given, name), "not given in a run"
    with pytest.raises(InformationFlowError, match=rf"^{key}: .*{name} is not for this step"):
        check(replace(given, **{name: documents(whole(*FULL))[name]}), cell)


@pytest.mark.parametrize("name", ["memos", "attack", "next_known"])
def test_only_the_pilots_judge_sees_the_table(name: str):
    check(whole(*PILOT).given["E2/review"], PILOT)
    with pytest.raises(InformationFlowError, match=name):
        check(replace(whole(*FULL).given["E2/review"], **{name: documents(whole(*FULL))[name]}))


@pytest.mark.parametrize("name", ["dissents", "lessons"])
def test_a_decision_that_names_its_dissents_or_lessons_is_not_for_a_blind_judge(name: str):
    given = whole(*FULL).given["E2/review"]
    telling = given.decision.model_copy(update={name: getattr(samples.decision(), name)})
    with pytest.raises(InformationFlowError, match="names its dissents or lessons to a blind judge"):
        check(replace(given, decision=telling))
    check(whole(*PILOT).given["E2/review"], PILOT)


@pytest.mark.parametrize("key", ["E2/memo/market_capital", "E2/attack", "E2/decision"])
def test_lessons_do_not_reach_players_where_they_are_withheld(key: str):
    played = whole(*NO_PLAYBOOK)
    given = played.given[key]
    check(given, NO_PLAYBOOK)
    with pytest.raises(InformationFlowError, match="playbook is withheld in this condition"):
        check(replace(given, playbook=played.state.playbook("E2")), NO_PLAYBOOK)
    with pytest.raises(InformationFlowError, match="previous_review carries lessons"):
        check(replace(given, previous_review=played.state.review("E1")), NO_PLAYBOOK)
    check(replace(given, playbook=None, previous_review=None), NO_PLAYBOOK)


def test_the_judge_keeps_its_playbook_in_every_condition():
    given = whole(*NO_PLAYBOOK).given["E2/review"]
    assert given.playbook.lessons
    check(given, NO_PLAYBOOK)
    check(whole(*NO_PLAYBOOK).given["E2/reading"], NO_PLAYBOOK)


def test_nothing_of_a_later_era_enters():
    played = whole(*FULL)
    given = played.given["E3/decision"]
    with pytest.raises(InformationFlowError, match="playbook holds a lesson"):
        check(replace(given, playbook=played.state.playbook("E4")))
    own = played.state.playbook("E3").lessons[0].model_copy(update={"id": LessonId("E3-9"), "era": "E3"})
    with pytest.raises(InformationFlowError, match="playbook holds a lesson"):
        check(replace(given, playbook=given.playbook.model_copy(update={"lessons": (own,)})))
    later = given.company.model_copy(update={"identities": (Identity(era="E3", name="x", line="x"),)})
    with pytest.raises(InformationFlowError, match="company holds an identity"):
        check(replace(given, company=later))


def test_notes_of_another_department_are_refused():
    given = whole(*FULL).given["E2/memo/market_capital"]
    own = library().roster.of(Group.MARKET_CAPITAL)[0].id
    note = documents(whole(*FULL))["member_notes"][0]
    check(replace(given, member_notes=(note.model_copy(update={"persona": own}),)))
    with pytest.raises(InformationFlowError, match="another department"):
        check(replace(given, member_notes=(note.model_copy(update={"persona": "cto"}),)))


def test_a_late_or_unrecorded_event_is_not_known():
    given = whole(*MODEL).given["E2/briefing"]
    check(given, MODEL)
    late = library().outcomes(given.era)[0]
    invented = NumberedEvent(number=99, on="1990", domain="ai", text="Something that was never recorded.")
    for event in (late, invented):
        with pytest.raises(InformationFlowError, match=f"event {event.number} is not on record before 1996-01-01"):
            check(replace(given, known=(*given.known, event)), MODEL)


def test_outcomes_lie_in_the_window_and_on_the_record():
    given = whole(*FULL).given["E2/review"]
    early = library().known(given.era)[-1]
    late = numbered(events_within(library().events, given.era.end, given.era.end.replace(year=2008)))[0]
    invented = replace(late, text="Something that was never recorded.")
    for event in (early, late, invented):
        with pytest.raises(InformationFlowError, match=f"outcome event {event.number} does not lie in"):
            check(replace(given, outcomes=(event,)))


def test_the_pilots_judge_is_not_shown_the_window_of_the_next_era():
    given = whole(*PILOT).given["E2/review"]
    after = library().outcomes(given.next_era)[0]
    with pytest.raises(InformationFlowError, match=f"known event {after.number} is not on record before 2002-01-01"):
        check(replace(given, next_known=(after,)), PILOT)


@pytest.mark.parametrize("on", ["1996-01-01", "1996", "1999-05", "soon", "1995-13"])
def test_a_briefing_item_that_is_late_or_undatable_is_refused(on: str):
    given = whole(*FULL).given["E2/decision"]
    section = given.briefing.sections[0]
    items = (*section.items, BriefingItem(text="x", date=on))
    late = given.briefing.model_copy(update={"sections": (section.model_copy(update={"items": items}),)})
    with pytest.raises(InformationFlowError, match=f"briefing item dated {on} is not before 1996-01-01"):
        check(replace(given, briefing=late))


def test_an_item_without_a_date_and_one_just_before_pass():
    assert list(late_items(samples.briefing(), samples.ERA)) == []
    items = (BriefingItem(text="x", date="1995"), BriefingItem(text="x", date="1995-12-31"))
    fine = samples.briefing().model_copy(
        update={"sections": (samples.briefing().sections[0].model_copy(update={"items": items}),)}
    )
    assert list(late_items(fine, samples.ERA)) == []
