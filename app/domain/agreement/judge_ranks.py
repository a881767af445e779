"""Whether a judge orders decisions as the humans do, within runs or eras and pooled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.agreement.estimate import Estimate, undefined
from app.domain.agreement.judge_bias import human_mean
from app.domain.agreement.measure import Floats
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


def rank_correlation_within(judge: Floats, humans: Floats, groups: Sequence[object], unit: str = "run") -> Estimate:
    """Spearman's rho within each group, averaged on the Fisher z scale with weights n - 3; interval by leaving one out.

    Groups with fewer than four items or without variation on either side are left out and not counted in n.
    """
    labels = np.asarray([str(group) for group in groups])
    mean = human_mean(humans)
    both = np.isfinite(judge) & np.isfinite(mean)
    inside = [np.flatnonzero(both & (labels == label)) for label in dict.fromkeys(labels)]
    inside = [places for places in inside if len(places) >= FEWEST_ITEMS]
    rho = np.array([direct_spearman(judge[places], mean[places]) for places in inside])
    kept = np.isfinite(rho)
    if not kept.any():
        return undefined(f"no {unit} has four items that vary for both judge and humans")
    weights = np.array([len(places) - 3.0 for places in inside])[kept]
    z = np.arctanh(np.clip(rho[kept], -EDGE, EDGE))
    n = sum(len(places) for places, keep in zip(inside, kept, strict=True) if keep)
    value = float(np.tanh(weights @ z / weights.sum()))
    left = weights.sum() - weights
    if not np.all(left > 0):
        return Estimate(value, None, f"one {unit}", n, f"only one {unit} can be used: no interval")
    replicates = np.tanh((weights @ z - weights * z) / left)
    found = jackknife_interval(value, replicates, Transform.FISHER_Z, unit=unit)
    return Estimate(value, found.bounds, f"mean Fisher z within {unit}s; {found.method}", n, found.reason)
