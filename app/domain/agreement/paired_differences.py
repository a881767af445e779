"""Two panels or two judges on the same items, compared by paired differences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.agreement.estimate import Design, Estimate, estimate, undefined
from app.domain.agreement.measure import Floats, Measure
from app.domain.inference.intervals import Transform


class Difference:
    """Statistics of one measure less those of another, replicate by replicate over the same items."""

    def __init__(self, first: Measure, second: Measure) -> None:
        self._first, self._second = first, second
        self._cut = first.contributions.shape[1]
        self.contributions = np.hstack([first.contributions, second.contributions])

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give first less second for every statistic that both have."""
        first = self._first.evaluate(sums[:, : self._cut])
        second = self._second.evaluate(sums[:, self._cut :])
        return {name: values - second[name] for name, values in first.items() if name in second}


def paired_difference(first: Measure, second: Measure, names: Sequence[str], design: Design) -> dict[str, Estimate]:
    """Differences of the named statistics with intervals; both measures are over the same items in the same order.

    Raises ValueError when they are not of the same number of items.
    """
    if len(first.contributions) != len(second.contributions):
        raise ValueError("paired differences need the same items on both sides, in the same order")
    found = estimate(
        Difference(first, second),
        design,
        dict.fromkeys(names, Transform.RAW),
        lambda _: "undefined on one of the two sides",
    )
    return {name: found.get(name, undefined("only one of the two sides has this statistic")) for name in names}
