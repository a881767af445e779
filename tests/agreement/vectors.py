"""Published matrices with their published values, and random ratings."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from app.domain.agreement.matrix import RatingMatrix, matrix_of
from app.domain.agreement.measure import Floats

CONTENT: dict[str, Any] = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
MATRICES = {entry["matrix"]: np.array(entry["data"], dtype=float) for entry in CONTENT["matrices"]}
CHECKS = [
    (f"{entry['matrix']}-{check['name']}", entry["matrix"], check)
    for entry in CONTENT["matrices"]
    for check in entry["checks"]
]
DEGENERATE = {entry["name"]: np.array(entry["data"], dtype=float) for entry in CONTENT["degenerate"]}


def planted(
    items: int = 60, raters: int = 3, *, seed: int = 0, noise: float = 1.2, severity: tuple[float, ...] = ()
) -> Floats:
    """Whole ratings from 0 to 10 with a true value per item, noise and severity."""
    generator = np.random.default_rng(seed)
    truth = generator.normal(5, 2, (items, 1))
    shift = np.array(severity) if severity else np.zeros(raters)
    return np.clip(np.round(truth + shift + generator.normal(0, noise, (items, raters))), 0, 10)


def planted_matrix(items: int = 60, raters: int = 3, *, per_run: int = 5, seed: int = 0) -> RatingMatrix:
    """The same as a matrix with `per_run` items a run."""
    return matrix_of(planted(items, raters, seed=seed), clusters=np.arange(items) // per_run)
