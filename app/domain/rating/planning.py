"""Before the start: how long reading and scoring take, and how wide the headline interval will be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.domain.agreement.alpha import IntervalAlpha
from app.domain.agreement.matrix import matrix_of
from app.domain.inference.intervals import Transform
from app.domain.inference.jackknife import FEWEST_CLUSTERS, jackknife_interval, leave_one_out

WORDS_A_MINUTE = 200
SECONDS_A_DIMENSION = 15
MEAN, SPREAD = 6.0, 2.0
"""Where scores lie on 0-10 and how far items differ, in points (published: mean 6.3, SD about 2 with raters)."""

SHARED_BY_RUN = 0.2
"""The part of the items' variance that items of one run share."""

SIMULATIONS = 160
MOST_CELLS = 600_000
"""Ratings simulated at most: what keeps the answer under a second."""


@dataclass(frozen=True, slots=True)
class WorkLoad:
    """What one rater has to do."""

    items: int
    words_per_item: int
    minutes_per_item: float
    hours: float


@dataclass(frozen=True, slots=True)
class Precision:
    """The expected half-width of the 95 % interval of alpha, or why there is none."""

    half_width: float | None
    reason: str | None
    runs: int
    simulations: int


def work_load(*, items: int, words_per_item: float, dimensions: int) -> WorkLoad:
    """Reading at 200 words a minute, then 15 seconds a dimension; repeats and training are counted among items."""
    minutes = words_per_item / WORDS_A_MINUTE + dimensions * SECONDS_A_DIMENSION / 60
    return WorkLoad(items, round(words_per_item), minutes, items * minutes / 60)


def expected_precision(*, items: int, raters: int, runs: int, reliability: float, seed: int) -> Precision:
    """Simulate panels of 0-10 scores and give the mean half-width of the jackknife interval that leaves out one run.

    ``reliability`` is that of one rater (ICC); items are dealt to ``runs`` as evenly as can be. With as many runs as
    items, items are independent. There is no interval with fewer than two raters or six runs.
    """
    used = min(runs, items)
    if raters < 2:
        return Precision(None, "one rater only: agreement needs two", used, 0)
    if used < FEWEST_CLUSTERS:
        return Precision(None, f"fewer than six runs ({used}): no between-run interval can be given", used, 0)
    clusters = np.arange(items) % used
    shared = SHARED_BY_RUN if used < items else 0.0
    generator = np.random.default_rng(seed)
    simulations = max(20, min(SIMULATIONS, MOST_CELLS // (items * raters)))
    widths = []
    for _ in range(simulations):
        scores = _scores(generator, clusters, raters, reliability, shared)
        width = _half_width(scores, clusters)
        if width is not None:
            widths.append(width)
    found = float(np.mean(widths)) if widths else None
    return Precision(found, None if widths else "the simulated ratings show no spread", used, simulations)


def _scores(
    generator: np.random.Generator, clusters: NDArray[np.int64], raters: int, reliability: float, shared: float
) -> NDArray[np.float64]:
    items = len(clusters)
    of_run = generator.standard_normal(items)[clusters] * np.sqrt(shared)
    of_item = of_run + generator.standard_normal(items) * np.sqrt(1 - shared)
    error = generator.standard_normal((items, raters))
    raw = MEAN + SPREAD * (np.sqrt(reliability) * of_item[:, None] + np.sqrt(1 - reliability) * error)
    scores: NDArray[np.float64] = np.clip(np.rint(raw), 0, 10)
    return scores


def _half_width(scores: NDArray[np.float64], clusters: NDArray[np.int64]) -> float | None:
    measure = IntervalAlpha(matrix_of(scores, clusters=clusters))
    value = float(measure.evaluate(measure.contributions.sum(axis=0)[None, :])["alpha_interval"][0])
    replicates = measure.evaluate(leave_one_out(measure.contributions, clusters))["alpha_interval"]
    bounds = jackknife_interval(value, replicates, Transform.FISHER_Z, unit="run").bounds if value < 1 else None
    return (bounds[1] - bounds[0]) / 2 if bounds else None
