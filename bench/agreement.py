"""Agreement statistics over 10,000 resamples, ours against krippendorff, irrCAC and pingouin, and the report's time.

.venv/bin/python -m bench.agreement [--without-rivals]
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from app.domain.agreement import agreement
from app.domain.agreement.alpha import IntervalAlpha, OrdinalAlpha
from app.domain.agreement.gwet import GwetAC
from app.domain.agreement.icc import Anova
from app.domain.agreement.kappa import PairQuadraticKappa
from app.domain.agreement.matrix import matrix_of
from app.domain.agreement.measure import Measure, point
from app.domain.agreement.points import Points
from app.domain.inference.bootstrap import resample_weights
from bench.agreement_data import Floats, draw_ratings
from bench.rival_environment import rivals_python

DIMENSIONS, RUNS, PER_RUN, RESAMPLES = 5, 24, 5, 10_000
NAMES = ("alpha_interval", "alpha_ordinal", "ac2_quadratic", "icc_a1", "icc_ak", "within_1", "kappa_quadratic", "bias")
REPORT_SECONDS, IRRCAC_TIMES = 0.05, 20


def main() -> int:
    """Print a table and the goals; the exit status is 1 when a goal is missed."""
    generator = np.random.default_rng(20250612)
    data = np.stack([draw_ratings(generator, RUNS, PER_RUN) for _ in range(DIMENSIONS)])
    ours = fastest(lambda: resampled(data, np.random.default_rng(1)))
    report = fastest(lambda: agreement(named(data), scale=(0, 10), clusters=runs(), resamples=0), times=20)
    print(f"{RUNS * PER_RUN} items x 3 raters, {DIMENSIONS} dimensions, {RESAMPLES} resamples; one process")
    print(f"  ours: {', '.join(NAMES)}, three pairs: {ours:.2f} s for all")
    goals = {
        f"jackknife report of {DIMENSIONS} dimensions in {report * 1000:.0f} ms, goal 50": report <= REPORT_SECONDS
    }
    rivals = None if "--without-rivals" in sys.argv else timed_rivals(data)
    if rivals:
        statistics = 5 + 3 * 2 + 1
        for name, found in rivals.items():
            share = "" if found["resamples"] == RESAMPLES else f" (scaled from {found['resamples']} resamples)"
            print(f"  {name}: {found['seconds']:.1f} s for that alone{share}")
        check_values(data[0], rivals)
        alpha, ac2 = (next(one["seconds"] for name, one in rivals.items() if name.startswith(who)) for who in WHO)
        goals[f"all of ours {ours:.2f} s, krippendorff's interval alpha {alpha:.2f} s"] = ours < alpha
        times = ac2 / (ours / statistics)
        goals[f"{times:.0f} x faster than irrCAC per statistic, goal {IRRCAC_TIMES}"] = times >= IRRCAC_TIMES
    for goal, met in goals.items():
        print(f"  {'met   ' if met else 'missed'} {goal}")
    return 0 if all(goals.values()) else 1


WHO = ("krippendorff", "irrCAC")


def resampled(data: Floats, generator: np.random.Generator) -> list[dict[str, Floats]]:
    """Every statistic of every dimension over all resamples, the drawing included."""
    weights = resample_weights(generator, data.shape[1], RESAMPLES)
    return [measure.evaluate(weights @ measure.contributions) for ratings in data for measure in measures(ratings)]


def measures(ratings: Floats) -> list[Measure]:
    """The measures that give NAMES, kappa and bias for each pair."""
    matrix = matrix_of(ratings)
    pairs = [PairQuadraticKappa(matrix, first, second) for first, second in matrix.pairs]
    scale = np.arange(11.0)
    return [IntervalAlpha(matrix), OrdinalAlpha(matrix), GwetAC(matrix, scale), Anova(matrix), Points(matrix), *pairs]


def named(data: Floats) -> dict[str, Floats]:
    """The dimensions by name."""
    return {f"dimension {number + 1}": ratings for number, ratings in enumerate(data)}


def runs() -> list[int]:
    """The run of each item."""
    return [item // PER_RUN for item in range(RUNS * PER_RUN)]


def fastest(call: Any, times: int = 3) -> float:
    """Seconds of the fastest of a few calls."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def timed_rivals(data: Floats) -> dict[str, dict[str, float]] | None:
    """What the rivals took on the same data, None where they cannot be had."""
    python = rivals_python()
    if python is None:
        return None
    drawn = np.random.default_rng(1).integers(data.shape[1], size=(RESAMPLES, data.shape[1]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.npz"
        np.savez(path, data=data, drawn=drawn)
        script = Path(__file__).with_name("agreement_rivals.py")
        done = subprocess.run([python, script, path], check=True, capture_output=True, text=True)
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


def check_values(ratings: Floats, rivals: dict[str, dict[str, float]]) -> None:
    """Ours and theirs must be the same numbers, or the race means nothing."""
    matrix = matrix_of(ratings)
    ours = (
        point(IntervalAlpha(matrix))["alpha_interval"],
        point(GwetAC(matrix, np.arange(11.0)))["ac2_quadratic"],
        point(Anova(matrix))["icc_a1"],
    )
    for value, (name, found) in zip(ours, rivals.items(), strict=True):
        # irrCAC rounds its coefficients to five digits.
        assert abs(value - found["value"]) < 6e-6, f"{name}: {found['value']}, ours {value}"


if __name__ == "__main__":
    sys.exit(main())
