"""The delete-one-cluster jackknife over sums of per-item contributions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from app.domain.inference.intervals import Floats, Interval, Transform

FEWEST_CLUSTERS = 6


def cluster_sums(contributions: Floats, clusters: NDArray[np.int64]) -> Floats:
    """Add up rows of `contributions` (items, columns) by cluster code: (clusters present, columns), codes ascending."""
    order = np.argsort(clusters, kind="stable")
    ordered = clusters[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sums: Floats = np.add.reduceat(contributions[order], starts, axis=0)
    return sums


def leave_one_out(contributions: Floats, clusters: NDArray[np.int64]) -> Floats:
    """Give the sums (clusters, columns) that remain when each cluster in turn is left out.

    Every statistic that is a function of sums over items needs one evaluation of this array instead of G passes
    over the data.
    """
    left: Floats = contributions.sum(axis=0) - cluster_sums(contributions, clusters)
    return left


def standard_error(replicates: Floats) -> float:
    """Jackknife standard error, sqrt((G-1)/G * sum of squared deviations of the G leave-one-out values).

    Source: Efron and Stein (1981), Annals of Statistics 9:586-596.
    """
    count = len(replicates)
    return float(np.sqrt((count - 1) / count * np.sum((replicates - replicates.mean()) ** 2)))


def jackknife_interval(value: float, replicates: Floats, transform: Transform, *, unit: str = "item") -> Interval:
    """95 % interval around `value` from its G leave-one-out `replicates`, by t with G-1 degrees of freedom.

    The interval is built on the scale of `transform`, or on the raw scale (and said so) when a replicate sits on the
    edge of that scale. There is none, with a reason, for fewer than six clusters, for an undefined replicate and for
    a sample without any variance between clusters. `unit` names what is left out: "item", or "run" for clusters.
    """
    count = len(replicates)
    method = f"delete-one-{unit} jackknife, {transform}, t({count - 1})"
    if count < FEWEST_CLUSTERS:
        between = f"between-{unit} " if unit != "item" else ""
        return Interval(None, method, f"fewer than six {unit}s (G = {count}): no {between}interval can be given")
    if not np.all(np.isfinite(replicates)):
        return Interval(None, method, f"leaving out one {unit} leaves the statistic undefined: no interval")
    if np.ptp(replicates) <= 1e-12 * max(1.0, abs(value)):
        return Interval(None, method, f"leaving out any {unit} changes nothing: the sample shows no spread to build on")
    quantile = float(stdtrit(count - 1, 0.975))
    if transform.holds(np.append(replicates, value)):
        center = transform.forward(np.array([value]))
        reach = quantile * standard_error(transform.forward(replicates))
        low, high = transform.back(np.append(center - reach, center + reach))
    else:
        method = f"delete-one-{unit} jackknife, raw scale at the edge, t({count - 1})"
        reach = quantile * standard_error(replicates)
        low, high = transform.clip(np.array([value - reach, value + reach]))
    return Interval((float(min(low, value)), float(max(high, value))), method)
