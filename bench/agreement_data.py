"""The ratings that the agreement benches share: whole numbers from 0 to 10 with a known make-up."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RUN_SD, ITEM_SD, NOISE_SD = 0.8, 1.5, 1.2
SEVERITY = (-0.4, 0.0, 0.4)


def draw_ratings(generator: np.random.Generator, runs: int, per_run: int) -> Floats:
    """Ratings (runs * per_run, 3), runs contiguous: 5.5 + run + item + severity + noise, rounded and cut to 0..10."""
    items = runs * per_run
    level = np.repeat(generator.normal(0, RUN_SD, runs), per_run) + generator.normal(0, ITEM_SD, items)
    noise = generator.normal(0, NOISE_SD, (items, len(SEVERITY)))
    return np.clip(np.round(5.5 + level[:, None] + np.array(SEVERITY) + noise), 0, 10)
