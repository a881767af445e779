"""Makes closed panels in a running instance and prints their ids by name: `python -m e2e.closed_panels`.

Run with the instance's AUTOLAB_HOME. Scores are drawn from a seed; the judge of "Plain" is as noisy as a rater, the
judge of "Planted" adds a point on long texts and favours one model.
"""

import json
import sys
from typing import Any

import numpy as np

from app.cli.programs import with_services
from app.settings import get_settings
from tests.agreement_report.closed_panels import closed_panel, frame
from tests.agreement_report.simulated import CASES, RUBRIC

ITEMS, RUNS = 90, 30
LEVELS = np.random.default_rng(5).normal(5, 1.6, ITEMS)


def main() -> None:
    """Print JSON: name → id."""
    with_services(get_settings())
    made = {name: closed_panel(draw, name=f"Case: {name}", **more) for name, (draw, more) in CASES.items()}
    shape: dict[str, Any] = {"items": ITEMS, "runs": RUNS}
    made["plain"] = closed_panel(rated, name="Plain", source=frame(ITEMS, RUNS, scores(planted=False)), **shape)
    made["planted"] = closed_panel(
        rated, name="Planted", source=frame(ITEMS, RUNS, scores(planted=True)), seed=8, **shape
    )
    sys.stdout.write(json.dumps({name: str(panel_id) for name, panel_id in made.items()}) + "\n")


def rated(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    """People around the levels; rows stand in the order of the items' keys."""
    order = sorted(range(items), key=lambda number: (number % RUNS, number))
    return np.clip(np.round(LEVELS[order][:, None] + rng.normal(0, 1, (items, raters))), 0, 10)


def scores(*, planted: bool) -> dict[str, np.ndarray]:
    """A judge's scores by the place of an item in the frame."""
    rng = np.random.default_rng(6)
    number = np.arange(ITEMS)
    more = (number % 25 > 12) * 1.0 + (number % RUNS % 2 == 0) * 1.0 if planted else 0.0
    return {
        one.id: np.clip(np.round(LEVELS + more + rng.normal(0, 0.5 if planted else 0.8, ITEMS)), 0, 10)
        for one in RUBRIC.dimensions
    }


if __name__ == "__main__":
    main()
