"""Packets of studies: the judge's own, blind to the condition, with every name that must not be said."""

from dataclasses import replace

import pytest

from app.domain.engine.state import RunState
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Preset
from app.domain.rating.mask_terms import MaskKind
from app.domain.rating.masking import mask_codes, mask_packet
from app.domain.rating.packets import Packet
from app.domain.rating.study_packets import era_packet, score_band, study_terms
from tests.engine.plays import library, whole


def state(condition: Condition = Condition.FULL, briefings: Briefings = Briefings.DRAWN) -> RunState:
    return whole(Preset.CONTROLLED, briefings, condition).state


def packet(run: RunState, era: str, *, blind: bool = True) -> Packet:
    made = era_packet(run, run.schedule.era(era), library(), blind=blind)
    assert made is not None
    return made


@pytest.mark.parametrize("condition", [Condition.FULL, Condition.NO_RED_TEAM, Condition.SINGLE_PROMPT])
def test_a_packet_has_the_same_parts_in_every_condition(condition: Condition):
    parts = [(one.id, one.outcome, one.world) for one in packet(state(condition), "E2").sections]
    assert parts == [
        ("company", False, False),
        ("briefing", False, True),
        ("decision", False, False),
        ("outcome", True, True),
    ]


def test_forecast_eras_have_lessons_and_no_outcome_and_model_briefings_are_no_facts_of_the_world():
    parts = [(one.id, one.world) for one in packet(state(), "E8").sections]
    assert parts == [("company", False), ("lessons", False), ("briefing", False), ("decision", False)]
    written = packet(state(briefings=Briefings.MODEL), "E2")
    assert not any(one.world for one in written.sections if one.id == "briefing")


def test_memos_and_attack_are_shown_only_where_the_design_is_not_blind():
    open_parts = [one.id for one in packet(state(), "E2", blind=False).sections]
    assert open_parts[-2:] == ["memos", "attack"]
    alone = packet(state(Condition.SINGLE_PROMPT), "E2", blind=False)
    assert "memos" not in {one.id for one in alone.sections}


def test_an_era_without_decision_or_review_has_no_packet():
    run = state()
    era = run.schedule.eras[0]
    assert era_packet(replace(run, artifacts={}), era, library(), blind=True) is None
    unreviewed = {key: one for key, one in run.artifacts.items() if "review" not in key}
    assert era_packet(replace(run, artifacts=unreviewed), era, library(), blind=True) is None


def test_masked_packets_say_none_of_the_runs_names():
    run = state()
    terms = study_terms(run, "full r01")
    names = {run.decision(era.id).company_name for era in run.schedule.eras}  # type: ignore[union-attr]
    meanings = {one.meaning for one in terms if one.kind is MaskKind.COMPANY}
    codes = mask_codes("run", {"E4": sorted(meanings)}, 1)["E4"]
    found = mask_packet(packet(run, "E4"), terms, codes, ())
    text = "\n".join(one.title + one.text for one in found.packet.sections if not one.world)
    assert found.masks
    for name in names:
        assert name not in text
        assert name.split()[0] not in text
    assert "rehearsal/" not in text
    assert not {"rehearsal", "steady"} & {one.text for one in terms}


@pytest.mark.parametrize(
    ("scores", "band"), [((6, 6, 6, 6, 6), "60-69"), ((10,) * 5, "90-100"), ((9, 9, 9, 9, 9), "90-100"), ((0,), "0-9")]
)
def test_bands_are_tens_of_the_mechanical_total(scores: tuple[int, ...], band: str):
    assert score_band({str(place): score for place, score in enumerate(scores)}) == band
