"""The item bootstrap: one weight matrix, every statistic."""

from __future__ import annotations

import numpy as np

from app.domain.inference.intervals import Floats, Interval


def resample_weights(generator: np.random.Generator, items: int, resamples: int) -> Floats:
    """Draw how often each item enters each resample: (resamples, items), every row adding up to `items`.

    `weights @ contributions` then gives the sums of all resamples at once (Efron 1979, Annals of Statistics 7:1-26).
    """
    drawn = generator.integers(items, size=(resamples, items), dtype=np.int64)
    drawn += np.arange(resamples, dtype=np.int64)[:, None] * items
    counts = np.bincount(drawn.ravel(), minlength=resamples * items)
    return counts.reshape(resamples, items).astype(np.float64)


def percentile_interval(value: float, replicates: Floats, *, unit: str = "item") -> Interval:
    """95 % percentile interval of the resampled values; undefined resamples are left out and counted.

    The bounds are widened to hold `value` where a skewed distribution would leave it outside.
    """
    defined = replicates[np.isfinite(replicates)]
    method = f"{unit} bootstrap, percentiles of {len(replicates)} resamples"
    if len(defined) < len(replicates):
        method += f", {len(replicates) - len(defined)} undefined left out"
    if 2 * len(defined) < len(replicates) or not len(defined):
        return Interval(None, method, "the statistic is undefined in most resamples")
    low, high = np.quantile(defined, [0.025, 0.975])
    return Interval((float(min(low, value)), float(max(high, value))), method)
