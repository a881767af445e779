"""Every pair of raters: kappa, rank correlation, bias and limits of agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.domain.agreement.bland_altman import PairDifferences
from app.domain.agreement.dimension import NAMES_ONLY, TOO_MANY_VALUES, Setting
from app.domain.agreement.estimate import Estimate, estimate, undefined
from app.domain.agreement.kappa import PairKappa
from app.domain.agreement.rank_agreement import PairSpearman, direct_spearman
from app.domain.agreement.tables import fits_tables
from app.domain.inference.intervals import Transform

PAIR_TRANSFORMS = {
    **dict.fromkeys(("kappa", "kappa_quadratic", "kappa_linear", "spearman"), Transform.FISHER_Z),
    **dict.fromkeys(("bias", "loa_low", "loa_high"), Transform.RAW),
}


@dataclass(frozen=True)
class RaterPair:
    """Two raters and their statistics by name."""

    raters: tuple[str, str]
    statistics: dict[str, Estimate]

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "raters": list(self.raters),
            "statistics": {name: one.as_json() for name, one in self.statistics.items()},
        }


def rater_pairs(setting: Setting) -> list[RaterPair]:
    """All pairs in the order of the raters."""
    return [_pair(setting, first, second) for first, second in setting.matrix.pairs]


def _pair(setting: Setting, first: int, second: int) -> RaterPair:
    matrix = setting.matrix
    both = np.isfinite(matrix.values[:, [first, second]]).all(axis=1)
    pair = matrix.values[both][:, [first, second]]

    def why(name: str) -> str:
        if not len(pair):
            return "the two raters share no item"
        if name.startswith("kappa"):
            return "no variation: both raters gave one and the same value throughout"
        if name == "spearman":
            return "a rater gave the same value throughout"
        return "the two raters share too few items"

    found: dict[str, Estimate] = {}
    if fits_tables(matrix):
        found |= estimate(PairKappa(matrix, first, second), setting.design, PAIR_TRANSFORMS, why)
    if matrix.numeric:
        found |= estimate(PairDifferences(matrix, first, second), setting.design, PAIR_TRANSFORMS, why)
        if fits_tables(matrix):
            found |= estimate(PairSpearman(matrix, first, second), setting.design, PAIR_TRANSFORMS, why)
        else:
            rho = direct_spearman(pair[:, 0], pair[:, 1])
            found["spearman"] = (
                Estimate(rho, None, "value only", len(pair), f"{TOO_MANY_VALUES}: no interval")
                if np.isfinite(rho)
                else undefined(why("spearman"), len(pair))
            )
    missing = undefined(TOO_MANY_VALUES if matrix.numeric or not fits_tables(matrix) else NAMES_ONLY)
    raters = (matrix.raters[first], matrix.raters[second])
    return RaterPair(raters, {name: found.get(name, missing) for name in PAIR_TRANSFORMS})
