"""After a panel's raw phase: which items are shown again for guesses, and labels permuted for adjudication."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

GUESS, LABELS = 5, 6
"""Streams of one seed, beside those of the draw and the queues."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One rater's value under a label that means nothing beyond its item."""

    label: str
    value: int | None
    note: str


def guess_keys(keys: Sequence[str], *, seed: int, slot: int, count: int) -> tuple[str, ...]:
    """The seeded subset of a rater's items that is shown again after the last submission."""
    ordered = sorted(set(keys))
    chosen = np.random.default_rng([seed, GUESS, slot]).permutation(len(ordered))[:count]
    return tuple(ordered[position] for position in chosen)


def permuted_opinions(
    opinions: Mapping[str, tuple[int | None, str]], *, seed: int, item: int, dimension: int
) -> tuple[Opinion, ...]:
    """Values and notes of all raters in an order drawn per item and dimension, labelled A, B, C anew."""
    raters = sorted(opinions)
    order = np.random.default_rng([seed, LABELS, item, dimension]).permutation(len(raters))
    return tuple(
        Opinion(f"Opinion {_letters(place)}", *opinions[raters[position]]) for place, position in enumerate(order)
    )


def rater_label(slot: int) -> str:
    """The pseudonym of a slot, from 1: Rater A, Rater B, … Rater Z, Rater AA."""
    return f"Rater {_letters(slot - 1)}"


def _letters(number: int) -> str:
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
