"""How often the headline intervals cover the true value, by simulation, with the plain item bootstrap beside.

    .venv/bin/python -m bench.coverage [--studies 5000]

Generator: rating = 5.5 + run + item + severity + noise, rounded and cut to 0..10, with standard deviations 0.8, 1.5
and 1.2 and the severities -0.4, 0 and 0.4 of three fixed raters. Truth: the same panel over 200,000 runs.
"""

import argparse
import sys

import numpy as np

from app.domain.agreement.alpha import IntervalAlpha
from app.domain.agreement.estimate import Design, estimate
from app.domain.agreement.icc import Anova
from app.domain.agreement.matrix import matrix_of
from app.domain.agreement.measure import Measure, point
from app.domain.inference.bootstrap import resample_weights
from app.domain.inference.intervals import Transform
from bench.agreement_data import Floats, draw_ratings

ROWS = ((12, 5), (24, 5), (60, 1))
LOWEST, HIGHEST = 0.90, 0.97
TRUE_RUNS, RESAMPLES = 200_000, 500
TRANSFORMS = {"alpha_interval": Transform.FISHER_Z, "icc_a1": Transform.FISHER_Z}


def main() -> int:
    """Print one line a row and statistic; the exit status is 1 when a jackknife interval misses the goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=5000)
    studies = parser.parse_args().studies
    truth = true_values(1)
    missed = 0
    print(f"{studies} studies a row; 95 % intervals; truth {truth}")
    for runs, per_run in ROWS:
        covered, width = simulate(np.random.default_rng([runs, per_run]), runs, per_run, studies, truth)
        for name in TRANSFORMS:
            jackknife, bootstrap = covered[name] / studies
            met = LOWEST <= jackknife <= HIGHEST
            missed += not met
            print(
                f"  {runs} runs x {per_run}  {name:<15} jackknife {jackknife:6.1%} {'met' if met else 'missed'} "
                f"(mean width {width[name] / studies:.3f})   item bootstrap {bootstrap:6.1%}"
            )
    return 1 if missed else 0


def true_values(per_run: int) -> dict[str, float]:
    """The statistics of the fixed panel over very many runs."""
    values = draw_ratings(np.random.default_rng(0), TRUE_RUNS, per_run)
    return {name: value for measure in measures(values) for name, value in point(measure).items() if name in TRANSFORMS}


def measures(values: Floats, clusters: object = None) -> list[Measure]:
    """The two headline measures."""
    matrix = matrix_of(values, clusters=clusters)
    return [IntervalAlpha(matrix), Anova(matrix)]


def simulate(
    generator: np.random.Generator, runs: int, per_run: int, studies: int, truth: dict[str, float]
) -> tuple[dict[str, Floats], dict[str, float]]:
    """How many studies' jackknife and bootstrap intervals hold the truth, and the jackknife's widths added up."""
    covered = {name: np.zeros(2) for name in TRANSFORMS}
    width = dict.fromkeys(TRANSFORMS, 0.0)
    clusters = np.repeat(np.arange(runs), per_run)
    for _ in range(studies):
        values = draw_ratings(generator, runs, per_run)
        design = Design(clusters, "run", resample_weights(generator, len(values), RESAMPLES))
        for measure in measures(values):
            for name, found in estimate(measure, design, TRANSFORMS).items():
                bounds = (found.ci95, found.others[0].bounds if found.others else None)
                covered[name] += [held is not None and held[0] <= truth[name] <= held[1] for held in bounds]
                width[name] += found.ci95[1] - found.ci95[0] if found.ci95 else 0.0
    return covered, width


if __name__ == "__main__":
    sys.exit(main())
