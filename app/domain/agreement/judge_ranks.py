"""Whether a judge orders decisions as the humans do, within runs or eras and pooled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.agreement.estimate import Estimate, undefined
from app.domain.agreement.judge_bias import human_mean
from app.domain.agreement.measure import Floats, Ints, ratio
from app.domain.agreement.rank_agreement import direct_spearman
from app.domain.inference.intervals import Transform
from app.domain.inference.jackknife import jackknife_interval

FEWEST_ITEMS = 4
EDGE = 1 - 1e-6


def pooled_rank_correlation(judge: Floats, humans: Floats) -> Estimate:
    """Spearman's rho of judge (items,) and human mean over all items; mixes differences within and between runs."""
    mean = human_mean(humans)
    both = np.isfinite(judge) & np.isfinite(mean)
    value = direct_spearman(judge[both], mean[both])
    if not np.isfinite(value):
        return undefined("the judge or the humans' mean does not vary", int(both.sum()))
    return Estimate(value, None, "Spearman over all items", int(both.sum()), "pooled over runs: shown without interval")


def rank_correlation_within(
    judge: Floats, humans: Floats, groups: Sequence[object], clusters: Ints, unit: str = "run"
) -> Estimate:
    """Spearman's rho within each group, averaged on the Fisher z scale with weights n - 3.

    `groups` are labels per item (runs or eras); the interval leaves out one of `clusters` (items,), called `unit`, at
    a time. Groups with fewer than four items or without variation on either side are left out and not counted in n.
    """
    codes = np.unique([str(group) for group in groups], return_inverse=True)[1]
    mean = human_mean(humans)
    both = np.isfinite(judge) & np.isfinite(mean)
    value, n = _mean_within(judge[both], mean[both], codes[both])
    if not np.isfinite(value):
        return undefined("no group has four items that vary for both judge and humans")
    replicates = [
        _mean_within(judge[kept], mean[kept], codes[kept])[0]
        for kept in (both & (clusters != cluster) for cluster in np.unique(clusters[both]))
    ]
    found = jackknife_interval(value, np.array(replicates), Transform.FISHER_Z, unit=unit)
    return Estimate(value, found.bounds, f"Spearman within groups, mean Fisher z; {found.method}", n, found.reason)


def _mean_within(judge: Floats, mean: Floats, codes: Ints) -> tuple[float, int]:
    """Averaged correlation, NaN where no group can be used, and the items in the groups used."""
    inside = [places for code in np.unique(codes) if len(places := np.flatnonzero(codes == code)) >= FEWEST_ITEMS]
    rho = np.array([direct_spearman(judge[places], mean[places]) for places in inside])
    sizes = np.array([len(places) for places in inside], dtype=np.float64)[np.isfinite(rho)]
    z = np.arctanh(np.clip(rho[np.isfinite(rho)], -EDGE, EDGE))
    weights = sizes - 3
    return float(np.tanh(ratio(weights @ z, weights.sum()))), int(sizes.sum())
