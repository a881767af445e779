"""Numbers with their nouns, and in digits."""

import pytest

from app.domain.protocol.budgets import Budget
from app.domain.wording import counted, of_number, written


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
        (written(-0.314), "−0.31"),
        (written(0.25, "%+.1f"), "+0.2"),
        (written(-0.004, "%+.2f"), "0.00"),
    ],
)
def test_numbers_are_said_as_people_say_them(said: str, words: str):
    assert said == words


def test_a_budget_says_its_bounds():
    assert Budget().words == "no bound"
    assert Budget(calls=1, tokens=2_000, cost_usd=1.5, hours=1).words == "1 call, 2,000 tokens, US$ 1.50, 1 hour"
