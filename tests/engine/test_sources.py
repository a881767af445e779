"""What a call's page says that its prompt was made from, held against the material of whole runs."""

from app.domain.engine.sources import documents_given, lessons_from
from app.domain.protocol.conditions import Condition
from app.domain.protocol.presets import Briefings, Mapping, Preset
from tests.engine.plays import Play, whole

MEMOS = ("E2/memo/frontier_research", "E2/memo/product_engineering", "E2/memo/market_capital")


def told(played: Play, key: str) -> set[str]:
    return set(documents_given(played.given[key], played.state))


def test_every_document_in_the_material_is_named_and_no_other():
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL)
    entering = {"E2/briefing", "E1/decision", "E1/review"}

    assert told(played, MEMOS[0]) == entering
    assert told(played, "E2/attack") == entering | set(MEMOS)
    assert told(played, "E2/decision") == entering | set(MEMOS) | {"E2/attack"}
    assert told(played, "E2/review") == {"E2/briefing", "E2/decision"}
    assert told(played, "E1/attack") == {"E1/briefing", *(memo.replace("E2", "E1") for memo in MEMOS)}
    assert lessons_from(played.given["E1/attack"], played.state) == ()
    assert lessons_from(played.given["E2/attack"], played.state) == ("E1/review",)
    assert lessons_from(played.given["E3/decision"], played.state) == ("E1/review", "E2/review")


def test_a_playbook_that_is_withheld_is_not_named():
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.NO_PLAYBOOK)

    assert lessons_from(played.given["E2/attack"], played.state) == ()


def test_a_memo_names_the_notes_of_its_own_department_only():
    played = whole(Preset.CONTROLLED, Briefings.DRAWN, Condition.FULL, Mapping.PERSONA)

    notes = {key for key in told(played, MEMOS[0]) if "/note/" in key}

    assert len(notes) == len(played.given[MEMOS[0]].member_notes) > 0
    assert {played.given[key].department for key in notes} == {played.given[MEMOS[0]].department}
