"""Whether a call fits a budget, by arithmetic alone."""

import pytest

from app.domain.engine.budgets import Amounts, lowered, shortage
from app.domain.protocol.budgets import Budget, Budgets

ONE = Amounts(calls=1, tokens=100, cost_usd=0.3)


def short(budget: Budget, used: Amounts = Amounts(), reserved: Amounts = Amounts(), wanted: Amounts = ONE):
    return shortage(budget, used, reserved, wanted, of="the run")


def test_without_bounds_everything_fits():
    assert short(Budget(), Amounts(10**6, 10**9, 1e6, 1e3)) is None


@pytest.mark.parametrize(
    ("budget", "used"),
    [
        (Budget(calls=3), Amounts(calls=3)),
        (Budget(tokens=250), Amounts(tokens=151)),
        (Budget(cost_usd=1.0), Amounts(cost_usd=0.71)),
        (Budget(hours=2), Amounts(hours=2.0)),
    ],
)
def test_what_is_used_and_the_coming_call_are_too_much_for_good(budget: Budget, used: Amounts):
    found = short(budget, used)
    assert found is not None
    assert found.is_final
    assert "the budget of the run is" in found.words


@pytest.mark.parametrize(
    ("budget", "used"),
    [
        (Budget(calls=3), Amounts(calls=2)),
        (Budget(tokens=250), Amounts(tokens=150)),
        (Budget(cost_usd=1.0), Amounts(cost_usd=0.7)),
        (Budget(hours=2), Amounts(hours=1.99)),
    ],
)
def test_up_to_the_bound_a_call_fits(budget: Budget, used: Amounts):
    assert short(budget, used) is None


def test_a_sum_of_floats_that_is_the_bound_fits():
    assert short(Budget(cost_usd=0.9), Amounts(cost_usd=0.1 + 0.2), Amounts(cost_usd=0.3)) is None


def test_what_is_only_reserved_may_yet_be_given_back():
    found = short(Budget(cost_usd=1.0), Amounts(cost_usd=0.3), Amounts(cost_usd=0.6))
    assert found is not None
    assert not found.is_final
    assert found.words == (
        "the budget of the run is US$1.0000: US$0.3000 are used and the coming call may take US$0.3000"
    )


def test_a_final_shortage_goes_before_one_that_may_pass():
    budget = Budget(tokens=1_000, cost_usd=1.0)
    found = short(budget, Amounts(tokens=100, cost_usd=0.9), Amounts(tokens=850, cost_usd=0.0))
    assert found is not None
    assert found.is_final
    assert "US$" in found.words


def test_a_lower_or_a_new_bound_raises_nothing():
    before = Budget(calls=10, cost_usd=1.0)
    assert lowered(before, Budget(calls=10, cost_usd=2.0)) == ()
    assert lowered(before, Budget(calls=11)) == ()
    assert lowered(before, Budget(calls=9, cost_usd=2.0)) == ("calls",)
    assert lowered(before, Budget(calls=10, tokens=5, cost_usd=1.0)) == ("tokens",)


@pytest.mark.parametrize(
    ("budgets", "bounds"),
    [
        (Budgets(), False),
        (Budgets(study=Budget(cost_usd=1)), True),
        (Budgets(run=Budget(cost_usd=1)), True),
        (Budgets(run=Budget(calls=1)), False),
    ],
)
def test_only_a_bound_on_cost_needs_prices(budgets: Budgets, bounds: bool):
    assert budgets.bounds_cost is bounds
