"""A rubric has its five dimensions and every anchor."""

import pytest

from app.domain.protocol.eras import Mode
from app.domain.protocol.rubrics import (
    ANCHOR_POINTS,
    AUDITOR_DIMENSIONS,
    RECORD_DIMENSIONS,
    SCALE,
    Dimension,
    Rubric,
    RubricId,
    dimensions_of,
    rubric_of,
)

ANCHORS = dict.fromkeys(ANCHOR_POINTS, "text")


def dimension(name: str) -> Dimension:
    return Dimension(id=name, name=name, question="?", anchors=ANCHORS, caution="earns 3")


@pytest.mark.parametrize("mode", list(Mode))
def test_the_record_judges_where_an_outcome_is_on_record(mode: Mode):
    assert rubric_of(mode) is (RubricId.RECORD if mode.has_outcome else RubricId.AUDITOR)


def test_each_rubric_has_dimensions_of_its_own():
    assert dimensions_of(RubricId.RECORD) == RECORD_DIMENSIONS
    assert dimensions_of(RubricId.AUDITOR) == AUDITOR_DIMENSIONS


def test_anchors_lie_on_the_scale():
    assert (ANCHOR_POINTS[0], ANCHOR_POINTS[-1]) == SCALE


def test_a_missing_anchor_is_refused():
    with pytest.raises(ValueError, match="dimension timing: anchors must be written at"):
        Dimension(id="timing", name="Timing", question="?", anchors={0: "none", 10: "all"}, caution="")


def test_a_rubric_with_other_dimensions_is_refused():
    dimensions = tuple(dimension(name) for name in RECORD_DIMENSIONS)
    assert Rubric(id=RubricId.RECORD, judge="J", version="1", dimensions=dimensions).dimensions == dimensions
    with pytest.raises(ValueError, match="rubric record: dimensions must be frontier_accuracy"):
        Rubric(id=RubricId.RECORD, judge="J", version="1", dimensions=dimensions[:4])
