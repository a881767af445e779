"""From judgements to the statistics of each check, and the draw of what is judged again."""

from collections import Counter

import pytest

from app.domain.audit.judge_checks import (
    MEASURES,
    Judged,
    outcome_flips,
    paddings,
    retests,
    self_preferences,
    swaps,
    value_of,
)
from app.domain.engine.judging_sample import JudgedDecision, draw_items
from app.domain.engine.judgings import JudgedItem, Variant
from app.domain.protocol.rubrics import RECORD_DIMENSIONS


def judged(run: str, value: int, *, player: str = "a", variant: Variant = Variant.PLAIN, era: str = "E1") -> Judged:
    """A judgement that gives every dimension the same."""
    return Judged(run, era, player, dict.fromkeys(RECORD_DIMENSIONS, value), variant)


def test_the_controlled_total_leaves_hindsight_out():
    one = Judged("r", "E1", "a", {**dict.fromkeys(RECORD_DIMENSIONS, 6), "hindsight_leakage": 1})
    assert [value_of(one, name) for name in MEASURES] == [60.0, 6.0, 6.0, 6.0, 6.0, 1.0]


def test_a_retest_sets_all_judgements_of_a_decision_beside_each_other():
    first = [judged("r1", 5), judged("r2", 5), judged("r3", 9)]
    again = [judged("r1", 7), judged("r2", 5)]
    found = retests(first, again)["T*"]
    assert (found.decisions, found.judgements) == (2, 4)
    assert found.within_sd.value == pytest.approx(10.0)
    assert found.exact.value == 0.5


def test_a_swap_and_the_two_variants_are_paired_by_decision():
    first = [judged(f"r{n}", 6) for n in range(7)]
    again = [judged(f"r{n}", 4) for n in range(6)] + [judged("r5", 6)]
    found = swaps(first, again, seed=1)["T*"].shift
    assert found.pairs == 6
    assert found.mean.value == pytest.approx((5 * 20 + 10) / 6)
    both = [judged("r1", 5), judged("r1", 7, variant=Variant.PADDED), judged("r2", 5)]
    assert paddings(both, seed=1)["timing"].mean.value == 2.0
    shown = [judged("r1", 8, variant=Variant.SUCCESS), judged("r1", 5, variant=Variant.FAILURE)]
    assert outcome_flips(shown, seed=1)["T*"].mean.value == 30.0
    assert outcome_flips([], seed=1)["T*"].mean.reason


def test_self_preference_counts_what_the_first_judge_scored_too():
    first = [judged(f"r{n}", 5, player="ab"[n % 2]) for n in range(8)]
    again = [judged(f"r{n}", 6 if n % 2 == 0 else 5, player="ab"[n % 2]) for n in range(9)]
    found = self_preferences(first, again, judge="a", seed=1)["T*"]
    assert found.preference.value == pytest.approx(10.0)
    assert (found.own.n, found.others.n) == (4, 4)


def decisions() -> list[JudgedDecision]:
    return [
        JudgedDecision(JudgedItem(run=10 * place + number, era=era), condition, "p")
        for place, condition in enumerate(("full", "no_playbook", "single_prompt"))
        for number in range(1, 5)
        for era in ("E1", "E2")
    ]


def test_a_sample_takes_from_every_stratum_in_turn():
    drawn = draw_items(decisions(), 9, seed=3)
    assert drawn == draw_items(list(reversed(decisions())), 9, seed=3)
    assert drawn != draw_items(decisions(), 9, seed=4)
    assert sorted(Counter((item.run // 10, item.era) for item in drawn).values()) == [1, 1, 1, 2, 2, 2]
    assert list(drawn) == sorted(drawn, key=lambda item: (item.run, item.era))
    assert len(draw_items(decisions(), None, seed=1)) == len(draw_items(decisions(), 100, seed=1)) == 24
    uneven = decisions()[:5]
    assert len(draw_items(uneven, 4, seed=1)) == 4
