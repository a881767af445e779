"""Designs: hashed as a whole, amended with reasons, the rubric fixed once anything is rated."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from app.domain.protocol.rubrics import RubricId
from app.domain.rating.designs import (
    AmendmentError,
    DrawnItem,
    LockedDesign,
    PanelDesign,
    SourceKind,
    amend,
    amended,
    changed_fields,
    frame_hash,
    locked_hash,
)
from app.domain.rating.scales import rubric_for_raters
from app.domain.rating.shortening import Rules
from app.library.reader import rubric

NOW = datetime(2026, 11, 30, tzinfo=UTC)
DESIGN = PanelDesign(
    name="P", source=SourceKind.TABLE, rubric=rubric_for_raters(rubric(RubricId.RECORD)), strata=("era",)
)


def locked(**changes: Any) -> LockedDesign:
    values: dict[str, Any] = {
        "design": DESIGN, "frame_sha256": "f", "frame_size": 2, "sample": (DrawnItem(key="a", probability=0.5),),
        "probabilities": "exact", "shortfalls": (), "repeats": 0, "queues": (("a#1",),),
    }  # fmt: skip
    return LockedDesign.model_validate({**values, **changes})


def test_the_hash_covers_everything_that_was_locked():
    one = locked_hash(locked())
    assert one == locked_hash(LockedDesign.model_validate(locked().model_dump(mode="json")))
    others = [{"repeats": 1}, {"sample": (DrawnItem(key="a", probability=0.6),)}, {"queues": (("a#2",),)}]
    assert len({one, *(locked_hash(locked(**other)) for other in others)}) == 4


def test_the_frames_hash_does_not_depend_on_order_but_on_every_text():
    assert frame_hash({"a": "1", "b": "2"}) == frame_hash({"b": "2", "a": "1"})
    assert len({frame_hash({"a": "1"}), frame_hash({"a": "2"}), frame_hash({"b": "1"}), frame_hash({})}) == 4


def test_amendments_stand_beside_the_design():
    one = amend(DESIGN, "name", "Q", reason=" a typo ", rated=True, at=NOW)
    assert (one.before, one.after, one.reason) == ("P", "Q", "a typo")
    two = amend(DESIGN, "training.most_missed", 0.5, reason="too strict", rated=True, at=NOW)
    held = amended(DESIGN, (one, two))
    assert (held.name, held.training.most_missed, DESIGN.name) == ("Q", 0.5, "P")
    assert changed_fields(DESIGN, held) == ("name", "training")


@pytest.mark.parametrize(
    ("field", "value", "reason", "words"),
    [
        ("seed", 2, "because", "make a new panel"),
        ("name", "Q", " ", "say why"),
        ("raters", 2, "one left", "cannot be taken away"),
        ("rubric", {}, "because", "a rating exists"),
    ],
)
def test_what_must_not_change_is_refused(field: str, value: Any, reason: str, words: str):
    with pytest.raises(AmendmentError, match=words):
        amend(DESIGN, field, value, reason=reason, rated=True, at=NOW)


def test_the_rubric_may_change_until_the_first_rating_and_values_must_fit():
    new = DESIGN.rubric.model_copy(update={"title": "New"}).model_dump(mode="json")
    assert amend(DESIGN, "rubric", new, reason="a word", rated=False, at=NOW).after["title"] == "New"
    with pytest.raises(ValidationError):
        amend(DESIGN, "guesses", 99, reason="more", rated=False, at=NOW)
    with pytest.raises(ValidationError, match="each stratum once"):
        PanelDesign.model_validate({**DESIGN.model_dump(mode="json"), "strata": ["era", "era"]})


def test_a_design_of_the_first_rules_keeps_the_json_its_hash_was_made_of():
    assert "packet_rules" not in DESIGN.model_dump(mode="json")
    later = DESIGN.model_copy(update={"packet_rules": Rules.EVEN})
    assert later.model_dump(mode="json")["packet_rules"] == 2
    assert PanelDesign.model_validate(later.model_dump(mode="json")) == later
    assert changed_fields(later, DESIGN) == ("packet_rules",)
