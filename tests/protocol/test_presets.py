"""Presets and conditions fix what the protocol's tables say."""

import pytest

from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Preset


@pytest.mark.parametrize(
    ("condition", "departments", "red_team", "playbook"),
    [
        (Condition.FULL, True, True, True),
        (Condition.NO_PLAYBOOK, True, True, False),
        (Condition.NO_RED_TEAM, True, False, True),
        (Condition.SINGLE_PROMPT, False, False, True),
    ],
)
def test_a_condition_takes_one_thing_away(condition: Condition, departments: bool, red_team: bool, playbook: bool):
    assert condition.has_departments is departments
    assert condition.has_red_team is red_team
    assert condition.players_see_playbook is playbook


@pytest.mark.parametrize("preset", list(Preset))
def test_a_preset_is_as_published_or_controlled(preset: Preset):
    published = preset is Preset.PILOT
    assert preset.board_in_one_call is published
    assert preset.judge_writes_next_briefing is published
    assert preset.judge_types_total is published
    assert preset.judge_is_blind is not published
    assert preset.has_second_reading is not published
