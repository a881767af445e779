"""Bang's index, and what words alone give away."""

import numpy as np
import pytest

from app.domain.agreement.blinding import bang_indices, guess_scores
from app.domain.agreement.text_classifier import cross_validated_accuracy


def test_the_index_is_its_formula():
    truth = ["a"] * 10 + ["b"] * 10
    guesses = ["a"] * 6 + ["b"] * 2 + [None] * 2 + ["a"] * 5 + ["b"] * 5
    found = bang_indices(truth, guesses, np.arange(20), unit="item")
    assert found["a"].value == pytest.approx((2 * 6 / 8 - 1) * 8 / 10)
    assert found["b"].value == 0
    assert found["a"].ci95[0] < 0.4 < found["a"].ci95[1]


def test_three_arms_and_complete_unblinding():
    scores = guess_scores(["a", "b", "c", "a"], ["a", "b", "c", "b"], 3)
    assert scores.tolist() == [1, 1, 1, -0.5]
    arms = ["x", "y"] * 8
    assert bang_indices(arms, arms, np.arange(16))["x"].value == 1


def test_one_arm_cannot_be_guessed():
    with pytest.raises(ValueError, match="two arms or more"):
        guess_scores(["a"], ["a"], 1)


def test_a_text_that_names_its_author_is_found():
    texts = [f"{'delve tapestry' if number % 2 else 'plain sober'} word{number % 7}" for number in range(40)]
    labels = ["one" if number % 2 else "two" for number in range(40)]
    found = cross_validated_accuracy(texts, labels, np.arange(40) // 4)
    assert found.value == 1
    assert found.n == 40


def test_texts_without_a_trace_stay_near_chance():
    generator = np.random.default_rng(1)
    texts = [" ".join(generator.choice(list("abcdefgh"), 20)) for _ in range(120)]
    labels = list(generator.permutation(["one", "two"] * 60))
    found = cross_validated_accuracy(texts, labels, np.arange(120))
    assert found.value == pytest.approx(0.5, abs=0.15)


def test_a_classifier_needs_two_labels_and_two_runs():
    assert cross_validated_accuracy(["a", "b"], ["x", "x"], np.arange(2)).value is None
    assert cross_validated_accuracy(["a", "b"], ["x", "y"], np.zeros(2, dtype=np.int64)).value is None
