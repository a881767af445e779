"""A statistic with its interval, its method and, where it has none, the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.domain.agreement.measure import Floats, Ints, Measure, point
from app.domain.inference.bootstrap import percentile_interval
from app.domain.inference.intervals import Interval, Transform
from app.domain.inference.jackknife import jackknife_interval, leave_one_out

ROUNDING = 1e-13


@dataclass(frozen=True)
class Estimate:
    """`value` is None with a `reason` when undefined; a `reason` beside a value says why it has no interval.

    `n` counts the items used; `others` are second-line intervals.
    """

    value: float | None
    ci95: tuple[float, float] | None
    method: str
    n: int
    reason: str | None = None
    others: tuple[Interval, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain values for JSON."""
        answer: dict[str, Any] = {
            "value": self.value,
            "ci95": list(self.ci95) if self.ci95 else None,
            "method": self.method,
            "n": self.n,
            "reason": self.reason,
        }
        if self.others:
            answer["other_intervals"] = [
                {"ci95": list(other.bounds) if other.bounds else None, "method": other.method, "reason": other.reason}
                for other in self.others
            ]
        return answer


@dataclass(frozen=True, eq=False)
class Design:
    """How uncertainty is computed for one set of items.

    `clusters` (items,) says which items belong together and `unit` what such a group is called; `resamples`
    (resamples, items) holds the weights of the item bootstrap, None to leave it out.
    """

    clusters: Ints
    unit: str = "item"
    resamples: Floats | None = None


def undefined(reason: str, n: int = 0) -> Estimate:
    """A statistic that has no value here."""
    return Estimate(None, None, "not computed", n, reason)


def estimate(
    measure: Measure,
    design: Design,
    transforms: dict[str, Transform],
    why: Callable[[str], str] = lambda _: "not defined for these ratings",
    *,
    resampled: bool = True,
) -> dict[str, Estimate]:
    """Estimate the statistics of `measure` named in `transforms`, each on its scale; `why` explains a missing value."""
    used = measure.contributions.any(axis=1)
    n = int(used.sum())
    values = {name: value for name, value in point(measure).items() if name in transforms}
    if not n:
        return {name: undefined(why(name)) for name in values}
    left_out = measure.evaluate(leave_one_out(measure.contributions[used], design.clusters[used]))
    drawn = {}
    if resampled and design.resamples is not None:
        drawn = measure.evaluate(design.resamples @ measure.contributions)
    answer = {}
    for name, raw in values.items():
        if not np.isfinite(raw):
            answer[name] = undefined(why(name), n)
            continue
        # Sums that cancel leave 1e-17 where the coefficient is exactly 0.
        value = raw if abs(raw) > ROUNDING else 0.0
        main = jackknife_interval(value, left_out[name], transforms[name], unit=design.unit)
        others = (percentile_interval(value, drawn[name]),) if name in drawn else ()
        answer[name] = Estimate(value, main.bounds, main.method, n, main.reason, others)
    return answer
