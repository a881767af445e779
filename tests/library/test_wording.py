"""Numbers with their nouns."""

import pytest

from app.domain.protocol.budgets import Budget
from app.domain.wording import counted, of_number


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (counted(1, "call"), "1 call"),
        (counted(0, "call"), "0 calls"),
        (counted(2_000, "study", "studies"), "2,000 studies"),
        (counted(1, "study", "studies"), "1 study"),
        (counted(1.5, "hour"), "1.5 hours"),
        (counted(None, "call"), "– calls"),
        (of_number(1, "is", "are"), "is"),
        (of_number(3, "is", "are"), "are"),
    ],
)
def test_a_noun_goes_with_its_number(said: str, words: str):
    assert said == words


def test_a_budget_says_its_bounds():
    assert Budget().words == "no bound"
    assert Budget(calls=1, tokens=2_000, cost_usd=1.5, hours=1).words == "1 call, 2,000 tokens, US$ 1.50, 1 hour"
