"""A judge beside the humans: planted faults are found, a judge like a human is left in peace."""

import numpy as np
import pytest

from app.domain.agreement.annotator_test import annotator_test
from app.domain.agreement.estimate import Design
from app.domain.agreement.judge_bias import judge_bias, judge_bias_by, score_bands
from app.domain.agreement.judge_ceiling import judge_ceiling
from app.domain.agreement.judge_ranks import pooled_rank_correlation, rank_correlation_within
from app.domain.agreement.judges import judge_agreement
from app.domain.agreement.matrix import RatingMatrix, matrix_of

RUNS, ERAS = 40, 5


def panel(seed: int = 0, *, raters: int = 3, noise: float = 1.0) -> tuple[RatingMatrix, np.ndarray, np.ndarray]:
    """Humans, a judge as noisy as a human, and words per text."""
    generator = np.random.default_rng(seed)
    items = RUNS * ERAS
    truth = generator.normal(5, 2, (items, 1)) + np.repeat(generator.normal(0, 0.5, RUNS), ERAS)[:, None]
    scores = truth + generator.normal(0, noise, (items, raters + 1))
    words = generator.integers(100, 1000, items).astype(float)
    return matrix_of(scores[:, :raters], clusters=np.arange(items) // ERAS), scores[:, raters], words


def design(matrix: RatingMatrix) -> Design:
    return Design(matrix.clusters, "run")


@pytest.mark.parametrize("seed", range(5))
def test_a_judge_as_noisy_as_a_human_is_not_called_worse(seed: int):
    matrix, judge, words = panel(seed)
    found = judge_agreement(judge, matrix, epsilon=0.15, words=words)
    assert not any("less than" in word for word in found.words)
    assert found.ceiling.difference.value == pytest.approx(0, abs=0.06)
    assert found.replacement.rho == pytest.approx(0.5, abs=0.1)


def test_a_noisy_judge_is_called_worse():
    matrix, judge, _ = panel(1)
    noisy = judge + np.random.default_rng(2).normal(0, 3, len(judge))
    found = judge_agreement(noisy, matrix, epsilon=0.15)
    assert found.words[-1] == "It agrees with the panel less than the panel's members do."
    assert found.replacement.omega == 0
    assert not found.replacement.passes
    assert found.on_length is None


def test_a_judge_closer_than_the_humans_is_called_better():
    matrix, _, _ = panel(1, noise=2)
    found = judge_agreement(matrix.values.mean(axis=1), matrix, epsilon=0.1)
    assert found.replacement.omega == 1
    assert found.replacement.passes
    assert found.words[-1] == "It agrees with the panel more than the panel's members do."


def test_a_bias_on_long_texts_is_found():
    matrix, judge, words = panel(3)
    longs = np.where(words > 550, "long", "short")
    found = judge_agreement(judge + (longs == "long"), matrix, epsilon=0.15, words=words, groupings={"length": longs})
    slope, by = found.on_length["slope"], found.bias_by["length"]
    assert slope.ci95[0] > 0
    assert by["long"].ci95[0] > 0.5
    assert by["short"].ci95[0] < 0 < by["short"].ci95[1]
    assert any("per 100 words" in word for word in found.words)
    assert any("points above the humans' mean" in word for word in found.words)


def test_a_family_that_prefers_itself_is_found():
    matrix, judge, _ = panel(4)
    family = np.where(np.arange(len(judge)) // ERAS % 2 == 0, "own", "other")
    by = judge_bias_by(judge + 0.8 * (family == "own"), matrix.values, family, design(matrix))
    assert by["own"].value == pytest.approx(0.8, abs=0.3)
    assert by["own"].ci95[0] > by["other"].ci95[1]


def test_a_strict_judge_is_said_to_be_below():
    matrix, judge, _ = panel(5)
    found = judge_agreement(judge - 1, matrix, epsilon=0.15)
    assert found.bias.value == pytest.approx(-1, abs=0.25)
    assert "points below the humans' mean" in found.words[0]


def test_the_judge_never_counts_among_the_humans():
    matrix, judge, _ = panel(6)
    eras = [f"E{number % ERAS}" for number in range(len(judge))]
    found = judge_agreement(judge, matrix, epsilon=0.15, eras=eras)
    other = judge_agreement(-judge, matrix, epsilon=0.15, eras=eras)
    assert found.alpha_humans == other.alpha_humans
    assert found.alpha_with_judge.value > other.alpha_with_judge.value
    assert set(found.rank_within) == {"run", "era"}
    assert found.rank_within["era"].ci95[0] < found.rank_within["era"].value < found.rank_within["era"].ci95[1]


def test_a_handful_of_runs_is_not_judged():
    matrix, judge, _ = panel(13)
    small = matrix_of(matrix.values[:20], clusters=matrix.clusters[:20])
    found = judge_agreement(judge[:20], small, epsilon=0.15)
    assert found.words == []
    assert found.ceiling.difference.ci95 is None


def test_a_level_dependent_judge_shows_a_slope():
    matrix, judge, _ = panel(7)
    assert judge_agreement(1.5 * judge, matrix, epsilon=0.1).on_level["slope"].ci95[0] > 0


def test_items_without_judge_or_human_are_left_out():
    matrix, judge, _ = panel(8)
    judge[:10] = np.nan
    assert judge_bias(judge, matrix.values, design(matrix)).n == len(judge) - 10
    nothing = judge_bias(np.full(len(judge), np.nan), matrix.values, design(matrix))
    assert nothing.reason == "no item has both a judge's score and a human rating"


def test_score_bands_are_named():
    assert score_bands(np.array([3.9, 4.0, 6.9, 7.0])) == ["below 4", "4 to below 7", "4 to below 7", "7 and above"]


def test_the_ceiling_needs_two_humans():
    matrix, judge, _ = panel(9, raters=1)
    assert judge_ceiling(judge, matrix, design(matrix)).judge.value is None


def test_few_items_in_a_run_give_no_rank_correlation():
    matrix, judge, _ = panel(10)
    few = rank_correlation_within(judge[:9], matrix.values[:9], np.arange(9) // 3, np.arange(9) // 3)
    assert few.reason == "no group has four items that vary for both judge and humans"
    one = rank_correlation_within(judge[:5], matrix.values[:5], np.zeros(5), np.zeros(5, dtype=np.int64))
    assert one.value is not None
    assert one.ci95 is None
    flat = pooled_rank_correlation(np.full(5, 3.0), matrix.values[:5])
    assert flat.value is None
    assert pooled_rank_correlation(judge[:1], matrix.values[:1]).value is None


def test_two_humans_make_the_annotator_test_descriptive():
    matrix, judge, _ = panel(11, raters=2)
    found = annotator_test(judge, matrix, epsilon=0.15)
    assert found.passes is None
    assert any("two humans" in word for word in found.words)
    assert not any("asks for at least" in word for word in found.words)


def test_a_small_annotator_test_says_how_weak_it_is():
    matrix, judge, _ = panel(12)
    small = matrix_of(matrix.values[:25], clusters=matrix.clusters[:25])
    found = annotator_test(judge[:25], small, epsilon=0.15)
    assert any("asks for at least 30 independent units and has 5" in word for word in found.words)


def test_the_annotator_test_by_hand():
    # Human A is at 0 beside others at 4 and 6: the judge at 5 always wins against A, and loses or ties elsewhere.
    matrix = matrix_of(np.tile([0.0, 4.0, 6.0], (6, 1)))
    found = annotator_test(np.full(6, 5.0), matrix, epsilon=0.1)
    assert found.judge_wins == {"rater 1": 1.0, "rater 2": 0.0, "rater 3": 1.0}
    assert found.p_values == {"rater 1": 0.0, "rater 2": 1.0, "rater 3": 0.0}
    assert found.rho == pytest.approx(2 / 3)
    assert found.omega == pytest.approx(2 / 3)


def test_a_judge_without_scores_cannot_be_tested():
    matrix = matrix_of(np.tile([0.0, 4.0, 6.0], (6, 1)))
    found = annotator_test(np.full(6, np.nan), matrix, epsilon=0.1)
    assert found.omega is None
    assert found.rho is None
    assert found.words == ["There are not two runs with judge and humans on the same items: nothing can be tested."]
