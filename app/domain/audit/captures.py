"""Capture without recall: what is left of frontier capture where nothing can be remembered."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from app.domain.inference.intervals import Interval
from app.domain.inference.jackknife import FEWEST_CLUSTERS
from app.domain.protocol.eras import Mode
from app.domain.protocol.layers import LayerDistance
from app.domain.scoring.captures import CAPTURE_CREDIT, capture_without_recall
from app.domain.scoring.measures import Measure, mean_of

UNRECALLABLE = frozenset({Mode.FICTIONAL, Mode.POST_CUTOFF})


@dataclass(frozen=True, slots=True)
class JudgedLayer:
    """How far one era's decision landed from where value pooled."""

    run: str
    condition: str
    model: str
    mode: Mode
    distance: LayerDistance


@dataclass(frozen=True, slots=True)
class CaptureContrast:
    """One condition and model: mean capture per run on history and elsewhere, and the difference with its interval."""

    condition: str
    model: str
    historical: Measure
    unrecallable: Measure
    difference: Measure
    interval: Interval


def contrast_captures(layers: Iterable[JudgedLayer]) -> tuple[CaptureContrast, ...]:
    """Historical capture less fictional and post-cutoff capture, by condition and model in order of name.

    The unit is a run: each counts with the mean credit of its eras. Live and forecast eras have no capture.
    """
    grouped: dict[tuple[str, str], list[JudgedLayer]] = defaultdict(list)
    for layer in layers:
        if layer.mode.has_outcome:
            grouped[layer.condition, layer.model].append(layer)
    return tuple(_contrast(condition, model, grouped[condition, model]) for condition, model in sorted(grouped))


def _contrast(condition: str, model: str, layers: Sequence[JudgedLayer]) -> CaptureContrast:
    past = _run_means([layer for layer in layers if layer.mode not in UNRECALLABLE])
    other = _run_means([layer for layer in layers if layer.mode in UNRECALLABLE])
    historical, unrecallable = mean_of(past, "historical run"), mean_of(other, "fictional or post-cutoff run")
    difference = capture_without_recall(historical, unrecallable)
    return CaptureContrast(condition, model, historical, unrecallable, difference, _interval(past, other))


def _run_means(layers: Sequence[JudgedLayer]) -> list[float]:
    credits_of: dict[str, list[float]] = defaultdict(list)
    for layer in layers:
        credits_of[layer.run].append(CAPTURE_CREDIT[layer.distance])
    return [math.fsum(each) / len(each) for _, each in sorted(credits_of.items())]


def _interval(first: Sequence[float], second: Sequence[float]) -> Interval:
    """95 % interval of the difference of two means of runs.

    The delete-one-run jackknife of a mean has the variance s²/n; degrees of freedom after Welch 1947, Biometrika 34:28.
    """
    method = "delete-one-run jackknife of two groups, t with Welch's degrees of freedom"
    if min(len(first), len(second)) < FEWEST_CLUSTERS:
        few = f"fewer than six runs on one side ({len(first)} and {len(second)}): no interval"
        return Interval(None, method, few)
    parts = [float(np.var(side, ddof=1)) / len(side) for side in (first, second)]
    if sum(parts) <= 1e-15:
        return Interval(None, method, "the runs of each side do not differ: no spread to build on")
    shares = [part**2 / (len(side) - 1) for part, side in zip(parts, (first, second), strict=True)]
    reach = float(stdtrit(sum(parts) ** 2 / sum(shares), 0.975)) * math.sqrt(sum(parts))
    middle = math.fsum(first) / len(first) - math.fsum(second) / len(second)
    return Interval((max(-1.0, middle - reach), min(1.0, middle + reach)), method)
