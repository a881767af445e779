"""Permutation within strata and sign flips: exact where the count allows, else Monte Carlo with a stated seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from app.domain.inference.intervals import Floats

EXACT_UP_TO = 2**20
DRAWS = 99_999
# Arrangements that tie with the observed one must count; sums in another order differ by rounding.
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """One-sided test that the statistic is large. `statistic` and `p_value` are None with a reason, or both numbers.

    `arrangements` is how many were looked at; `seed` is None where all of them were (exact).
    """

    statistic: float | None
    p_value: float | None
    arrangements: int
    seed: int | None
    reason: str | None = None

    @property
    def is_exact(self) -> bool:
        """Whether every arrangement was enumerated."""
        return self.seed is None

    @property
    def method(self) -> str:
        """How p was found, in words for a table."""
        if self.reason is not None:
            return f"no test: {self.reason}"
        if self.is_exact:
            return f"exact, {self.arrangements:,} arrangements"
        return f"Monte Carlo, {self.arrangements:,} arrangements, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Stratum:
    """The values of one block, split by label; both sides are filled."""

    treated: Floats
    control: Floats

    @property
    def weight(self) -> float:
        """The precision n1 * n0 / (n1 + n0) of the block's difference in means, for equal variances."""
        return len(self.treated) * len(self.control) / (len(self.treated) + len(self.control))

    @property
    def difference(self) -> float:
        """Mean of the treated less mean of the controls."""
        return float(self.treated.mean() - self.control.mean())


def split_strata(values: Floats, treated: NDArray[np.bool_], strata: Sequence[object]) -> list[Stratum]:
    """Split values (runs,) by stratum, in order of first appearance; strata without both labels carry no contrast.

    Raises ValueError when the three do not have one length.
    """
    if not len(values) == len(treated) == len(strata):
        raise ValueError(f"one label and stratum per value: {len(values)}, {len(treated)}, {len(strata)}")
    split = []
    for key in dict.fromkeys(strata):
        inside = np.array([each == key for each in strata])
        stratum = Stratum(values[inside & treated], values[inside & ~treated])
        if len(stratum.treated) and len(stratum.control):
            split.append(stratum)
    return split


def stratified_difference(strata: Sequence[Stratum]) -> float | None:
    """Difference treated - control, averaged over strata by their precision; None without strata.

    Source: the Cochran-Mantel-Haenszel form of a stratified mean difference (Fleiss 1986, The Design and Analysis of
    Clinical Experiments, section 6.3); with one run of each label per stratum it is the plain mean of the differences.
    """
    if not strata:
        return None
    total = math.fsum(stratum.weight for stratum in strata)
    return math.fsum(stratum.weight * stratum.difference for stratum in strata) / total


def permute_within_strata(
    strata: Sequence[Stratum], *, seed: int, exact_up_to: int = EXACT_UP_TO, draws: int = DRAWS
) -> PermutationTest:
    """Permute labels within strata and compare the stratified difference, one-sided for treated > control.

    Exact p = share of all arrangements at least as large as the observed one; Monte Carlo p = (b + 1) / (draws + 1)
    (Phipson and Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9:39).
    """
    observed = stratified_difference(strata)
    if observed is None:
        return PermutationTest(None, None, 0, None, "no block holds both conditions")
    total = math.fsum(stratum.weight for stratum in strata)
    ways = math.prod(math.comb(len(each.treated) + len(each.control), len(each.treated)) for each in strata)
    if ways <= exact_up_to:
        found = _all_sums([_arrangements(stratum) for stratum in strata])
        return PermutationTest(observed, _share(found, observed * total), ways, None)
    generator = np.random.default_rng(seed)
    found = np.zeros(draws)
    for stratum in strata:
        found += _drawn(stratum, draws, generator)
    return PermutationTest(observed, _monte_carlo(found, observed * total), draws, seed)


def flip_signs(
    values: Sequence[float], *, seed: int, exact_up_to: int = EXACT_UP_TO, draws: int = DRAWS
) -> PermutationTest:
    """Flip the signs of independent values and compare their mean, one-sided for a positive centre of symmetry.

    Source: Fisher 1935, The Design of Experiments, section 21. Exact over all 2^n flips, else Monte Carlo.
    """
    if not values:
        return PermutationTest(None, None, 0, None, "there is no run to test")
    array = np.asarray(values, dtype=np.float64)
    observed = float(array.mean())
    if 2 ** len(array) <= exact_up_to:
        found = _all_sums([np.array([value, -value]) for value in array])
        return PermutationTest(observed, _share(found, float(array.sum())), len(found), None)
    flips = np.random.default_rng(seed).integers(2, size=(draws, len(array)), dtype=np.int8) * 2 - 1
    return PermutationTest(observed, _monte_carlo(flips @ array, float(array.sum())), draws, seed)


def _arrangements(stratum: Stratum) -> Floats:
    """Weighted differences of every way to label the stratum's runs."""
    pooled = np.concatenate([stratum.treated, stratum.control])
    chosen = np.array(list(combinations(range(len(pooled)), len(stratum.treated))))
    return _weighted(stratum, pooled[chosen].sum(axis=1), float(pooled.sum()))


def _drawn(stratum: Stratum, draws: int, generator: np.random.Generator) -> Floats:
    pooled = np.concatenate([stratum.treated, stratum.control])
    shuffled = generator.permuted(np.tile(pooled, (draws, 1)), axis=1)
    return _weighted(stratum, shuffled[:, : len(stratum.treated)].sum(axis=1), float(pooled.sum()))


def _weighted(stratum: Stratum, treated_sums: Floats, total: float) -> Floats:
    means = treated_sums / len(stratum.treated) - (total - treated_sums) / len(stratum.control)
    return stratum.weight * means


def _all_sums(choices: Sequence[Floats]) -> Floats:
    sums = np.zeros(1)
    for choice in choices:
        sums = np.add.outer(sums, choice).ravel()
    return sums


def _share(found: Floats, observed: float) -> float:
    return float(np.mean(found >= observed - _tolerance(found)))


def _monte_carlo(found: Floats, observed: float) -> float:
    return float((1 + np.count_nonzero(found >= observed - _tolerance(found))) / (1 + len(found)))


def _tolerance(found: Floats) -> float:
    return TIE * max(1.0, float(np.abs(found).max()))
