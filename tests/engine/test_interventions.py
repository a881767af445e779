"""What may be done to a step: skipped only if an era can go on without it, asked of another model only if allowed."""

from typing import Any

import pytest

from app.domain.engine.interventions import InterventionKind, choice_problem, skip_problem, without_red_team
from app.domain.engine.material import input_for
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from app.domain.study import ModelChoice
from tests.engine.plays import AUTHOR, JUDGE, PLAYER, library, whole

FULL = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
PILOT = (Preset.PILOT, Briefings.MODEL, Condition.FULL)
PERSONAS = (Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL, Mapping.PERSONA)
MATCHED = (Preset.CONTROLLED, Briefings.DRAWN, Condition.SINGLE_PROMPT_MATCHED)


def step(cell: Any, key: str) -> PlannedStep:
    return next(step for step in whole(*cell).state.plan if step.key == key)


def with_only(cell: Any, *keys: str, **changes: Any) -> RunState:
    """The run as it was when only these steps were done, under a changed design."""
    state = whole(*cell).state
    kept = {key: state.artifacts[key] for key in keys}
    return RunState(state.design.model_copy(update=changes), state.run, kept)


@pytest.mark.parametrize(
    ("cell", "key"),
    [
        (FULL, "E2/attack"),
        (FULL, "E2/reading"),
        (FULL, "E2/memo/market_capital"),
        (PERSONAS, "E2/note/economist"),
        (PERSONAS, "E2/reply/cto"),
        (MATCHED, "E2/critique/1"),
    ],
)
def test_an_era_can_do_without(cell: Any, key: str):
    assert skip_problem(step(cell, key), whole(*cell).state) is None


@pytest.mark.parametrize(
    ("cell", "key"), [(FULL, "E2/briefing"), (FULL, "E2/decision"), (FULL, "E2/review"), (PILOT, "E2/board")]
)
def test_nobody_can_go_on_without(cell: Any, key: str):
    problem = skip_problem(step(cell, key), whole(*cell).state)
    assert problem == f"{key} cannot be skipped: every later step builds on it. Write it by hand, or retry."


def test_somebody_must_write_a_memo():
    memo = step(FULL, "E2/memo/market_capital")
    assert skip_problem(memo, with_only(FULL)) is None
    assert skip_problem(memo, with_only(FULL, "E2/memo/frontier_research")) is None
    state = whole(*FULL).state
    others = {f"E2/memo/{name}": state.artifacts["E2/attack"] for name in ("frontier_research", "product_engineering")}
    skipped = RunState(state.design, state.run, others)
    assert "it is the last memo of its era" in (skip_problem(memo, skipped) or "")


@pytest.mark.parametrize(
    ("key", "family", "side"),
    [
        ("E2/decision", JUDGE.family, "judge's"),
        ("E2/review", PLAYER.family, "players'"),
        ("E2/decision", AUTHOR.family, None),
        ("E2/review", "another", None),
        ("E8/briefing", JUDGE.family, None),
    ],
)
def test_judge_and_players_stay_of_different_families(key: str, family: str, side: str | None):
    other = ModelChoice(model="other/model", family=family)
    problem = choice_problem(step(FULL, key), whole(*FULL).state, other)
    assert (problem is None) if side is None else (f"of the {side} family" in (problem or ""))
    excused = with_only(FULL, same_family_reason="only one model is at hand")
    assert choice_problem(step(FULL, key), excused, other) is None


def test_the_pilot_takes_any_family():
    assert choice_problem(step(PILOT, "E2/board"), whole(*PILOT).state, JUDGE) is None


def test_kinds_have_plain_names():
    assert all(kind.value.replace("_", "").isalpha() for kind in InterventionKind)


def test_a_board_decided_alone_is_asked_for_no_attack():
    state = whole(*PILOT).state
    given = input_for(step(PILOT, "E1/board"), state, library())
    assert given.wanted.red_team
    alone = without_red_team(given)
    assert not alone.wanted.red_team
    assert alone.briefing == given.briefing


def test_each_kind_of_intervention_has_words_of_its_own():
    assert len({kind.done for kind in InterventionKind}) == len(InterventionKind)
