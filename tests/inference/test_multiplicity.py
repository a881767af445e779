"""Holm's adjustment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.inference.multiplicity import adjust_holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def test_holm_by_hand():
    adjusted = adjust_holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})

    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})


@given(p_values, st.floats(0.001, 0.2))
def test_rejects_as_the_step_down_procedure_does(values: list[float], alpha: float):
    adjusted = sorted(adjust_holm({str(i): p for i, p in enumerate(values)}).values())
    rejected = 0
    for rank, p in enumerate(sorted(values)):
        if p * (len(values) - rank) > alpha:
            break
        rejected += 1

    assert sum(p <= alpha for p in adjusted) == rejected


@given(p_values)
def test_never_below_the_plain_p_and_in_the_same_order(values: list[float]):
    adjusted = list(adjust_holm({str(i): p for i, p in enumerate(values)}).values())

    assert all(p <= a <= 1 for p, a in zip(values, adjusted, strict=True))
    assert sorted(adjusted) == [a for _, a in sorted(zip(values, adjusted, strict=True))]


def test_an_undefined_hypothesis_stays_in_the_family():
    assert adjust_holm({"H1": 0.01, "H2": None, "H3": 0.04}) == {
        "H1": pytest.approx(0.03),
        "H2": None,
        "H3": pytest.approx(0.08),
    }


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_a_p_value_outside_its_range_is_refused(p: float):
    with pytest.raises(ValueError, match="H1: a p-value"):
        adjust_holm({"H1": p})
