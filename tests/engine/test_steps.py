"""The plan of a run: the protocol's calls, and steps owed once, each after what it needs."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.engine import steps
from app.domain.engine.estimates import TOKENS_IN, TOKENS_OUT, TokenPrices, estimate
from app.domain.engine.inputs import Role, StepKind
from app.domain.engine.steps import (
    PlannedStep,
    RosterMissingError,
    count_calls,
    next_steps,
    sequential_calls,
    unlocked_steps,
)
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.study import StudyDesign
from app.library import reader
from tests.engine.plays import AUTHOR, CELLS, JUDGE, PLAYER, design

CALLS = {
    (Preset.PILOT, Briefings.MODEL): dict(zip(Condition, (46, 46, 46, 19, 46), strict=True)),
    (Preset.CONTROLLED, Briefings.DRAWN): dict(zip(Condition, (65, 65, 56, 20, 56), strict=True)),
    (Preset.CONTROLLED, Briefings.MODEL): dict(zip(Condition, (72, 72, 63, 27, 63), strict=True)),
}
"""The protocol's table; a founder matched to ``full`` makes its players' calls, and has no second reading."""


def plan_steps(asked: StudyDesign, condition: Condition) -> tuple[PlannedStep, ...]:
    return steps.plan_steps(asked, condition, asked.schedules[0])


PLANS = [
    *(plan_steps(design(preset=preset, briefings=briefings), condition) for preset, briefings, condition in CELLS),
    *(plan_steps(design(mapping=Mapping.PERSONA), condition) for condition in Condition),
]


@pytest.mark.parametrize(("preset", "briefings", "condition"), CELLS)
def test_calls_are_those_of_the_protocols_table(preset: Preset, briefings: Briefings, condition: Condition):
    plan = plan_steps(design(preset=preset, briefings=briefings), condition)
    assert count_calls(plan) == CALLS[preset, briefings][condition]
    assert len({step.key for step in plan}) == len(plan)


@pytest.mark.parametrize(("preset", "briefings", "condition"), CELLS)
def test_the_estimate_is_the_plan_of_every_run(preset: Preset, briefings: Briefings, condition: Condition):
    asked = design(preset=preset, briefings=briefings, conditions=(condition,), repetitions=3)
    free = {choice.model: TokenPrices(0.0, 0.0) for choice in (PLAYER, JUDGE, AUTHOR)}
    found = estimate(asked, free)
    assert (found.runs, found.calls) == (3, 3 * CALLS[preset, briefings][condition])
    assert (found.cost_usd, found.unpriced) == (0.0, ())
    steps = [step for step in plan_steps(asked, condition) if not step.by_code]
    assert found.tokens_in == 3 * sum(TOKENS_IN[step.kind] for step in steps)
    assert found.tokens_out == 3 * sum(TOKENS_OUT[step.kind] for step in steps)


def test_a_price_that_is_not_known_is_named_and_no_cost_is_made_up():
    prices = {PLAYER.model: TokenPrices(1.0, 2.0), JUDGE.model: TokenPrices(None, 2.0), AUTHOR.model: TokenPrices(1, 1)}
    found = estimate(design(), prices)
    assert (found.cost_usd, found.unpriced) == (None, (JUDGE.model,))
    assert TokenPrices(1.0, 2.0).cost(1_000_000, 500_000) == 2.0
    assert TokenPrices(1.0, None).cost(1, 1) is None


def test_the_critical_path_waits_once_for_three_memos():
    longest = {condition: sequential_calls(plan_steps(design("history-short"), condition)) for condition in Condition}
    # three eras: memo, attack, decision, review each, and the last second reading
    assert longest == dict(zip(Condition, (13, 13, 10, 6, 18), strict=True))
    assert sequential_calls(()) == 0


def test_a_step_waits_for_what_its_prompt_shows():
    plan = {step.key: step for step in plan_steps(design(), Condition.FULL)}
    assert plan["E1/briefing"].needs == ()
    assert plan["E2/briefing"].needs == ("E1/review",)
    assert plan["E2/memo/market_capital"].needs == ("E2/briefing",)
    assert set(plan["E2/attack"].needs) == {key for key in plan if key.startswith("E2/memo/")}
    assert plan["E2/decision"].needs == ("E2/attack",)
    assert plan["E2/reading"].needs == ("E2/review",)
    assert plan["E8/briefing"].role is Role.AUTHOR
    assert not plan["E8/briefing"].by_code
    assert plan["E7/briefing"].by_code
    calm = {step.key: step for step in plan_steps(design(), Condition.NO_RED_TEAM)}
    assert set(calm["E2/decision"].needs) == {key for key in calm if key.startswith("E2/memo/")}


def test_the_pilots_judge_writes_briefings_and_its_board_is_one_call():
    pilot = design(preset=Preset.PILOT, briefings=Briefings.MODEL)
    plan = {step.key: step for step in plan_steps(pilot, Condition.FULL)}
    assert (plan["E1/briefing"].role, plan["E1/briefing"].by_code) == (Role.JUDGE, False)
    assert plan["E2/briefing"].by_code
    assert plan["E1/review"].needs == ("E1/board",)
    assert {step.kind for step in plan.values()} == {
        StepKind.BRIEFING,
        StepKind.MEMO,
        StepKind.BOARD,
        StepKind.REVIEW,
    }


@settings(max_examples=40, deadline=None)
@given(plan=st.sampled_from(PLANS), data=st.data())
def test_any_order_of_completion_yields_every_step_once_after_its_needs(plan: Any, data: st.DataObject):
    done: dict[str, None] = {}
    while owed := next_steps(plan, done.keys()):
        assert owed == next_steps(plan, done.keys())
        step = data.draw(st.sampled_from(owed))
        assert step.key not in done
        assert all(need in done for need in step.needs)
        done[step.key] = None
    assert set(done) == {step.key for step in plan}


@settings(max_examples=40, deadline=None)
@given(plan=st.sampled_from(PLANS), data=st.data())
def test_only_what_a_completed_step_unlocks_is_new(plan: Any, data: st.DataObject):
    """The engine owes just these inside the transaction, so nothing may become owed for another reason."""
    done: set[str] = set()
    owed = next_steps(plan, done)
    assert unlocked_steps(plan, done, None) == owed
    for _ in range(data.draw(st.integers(0, 25))):
        step = data.draw(st.sampled_from(owed))
        done.add(step.key)
        after = next_steps(plan, done)
        assert all(step.key in new.needs for new in set(after) - set(owed))
        assert unlocked_steps(plan, done, step.key) == tuple(new for new in after if new not in owed)
        if not after:
            break
        owed = after


def test_sixteen_voices_add_fourteen_calls_an_era():
    def calls(condition: Condition, mapping: Mapping) -> int:
        return count_calls(plan_steps(design(mapping=mapping), condition))

    added = [calls(condition, Mapping.PERSONA) - calls(condition, Mapping.DEPARTMENT) for condition in Condition]
    assert added[:4] == [126, 126, 126, 0]
    plan = {step.key: step for step in plan_steps(design(mapping=Mapping.PERSONA), Condition.FULL)}
    notes = {key for key, step in plan.items() if step.kind is StepKind.NOTE and step.era == "E1"}
    assert len(notes) == 11
    assert all(plan[key].needs == ("E1/briefing",) for key in notes)
    memos = [step for step in plan.values() if step.kind is StepKind.MEMO and step.era == "E1"]
    assert {need for memo in memos for need in memo.needs} == notes
    replies = {key for key, step in plan.items() if step.kind is StepKind.REPLY and step.era == "E1"}
    assert all(plan[key].needs == ("E1/attack",) for key in replies)
    assert set(plan["E1/decision"].needs) == replies
    assert len(replies) == 3


@pytest.mark.parametrize("mapping", Mapping)
def test_a_matched_founder_makes_as_many_players_calls_as_the_organization(mapping: Mapping):
    def calls(condition: Condition) -> int:
        plan = plan_steps(design(mapping=mapping), condition)
        return sum(step.role is Role.PLAYER for step in plan)

    assert calls(Condition.SINGLE_PROMPT_MATCHED) == calls(Condition.FULL)


def test_the_persona_mapping_needs_personas():
    with pytest.raises(RosterMissingError, match="roster"):
        plan_steps(design(mapping=Mapping.PERSONA, roster=None), Condition.FULL)
    assert plan_steps(design(roster=None), Condition.FULL)


def test_the_schedule_is_data():
    short = plan_steps(design("history-short"), Condition.SINGLE_PROMPT)
    assert [step.era for step in short if step.kind is StepKind.REVIEW] == ["E1", "E2", "E3"]
    assert len(reader.schedule("history-short").eras) == 3
