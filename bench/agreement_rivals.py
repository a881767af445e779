"""Time krippendorff, irrCAC and pingouin on resamples; runs in the rivals' environment and prints JSON.

Slow libraries do fewer resamples and their time is scaled up to all of them.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable

import irrCAC.raw
import krippendorff
import numpy as np
import pandas as pd
import pingouin

SCALE = np.arange(11)


def main() -> None:
    """Read the .npz named on the command line: `data` (dimensions, items, raters) and `drawn` (resamples, items)."""
    warnings.simplefilter("ignore")
    content = np.load(sys.argv[1])
    data, drawn = content["data"], content["drawn"]
    found = {
        "krippendorff alpha (interval)": measure(krippendorff_alpha, data, drawn, len(drawn)),
        "irrCAC AC2 (quadratic)": measure(irrcac_ac2, data, drawn, 60),
        "pingouin ICC (all forms)": measure(pingouin_icc, data, drawn, 10),
    }
    print(json.dumps(found))


def measure(statistic: Callable[..., float], data: np.ndarray, drawn: np.ndarray, resamples: int) -> dict[str, float]:
    """Point value of the first dimension and seconds for all resamples of all dimensions."""
    everything = np.arange(data.shape[1])
    prepared = [prepare(ratings) for ratings in data]
    value = statistic(data[0], prepared[0], everything)
    start = time.perf_counter()
    for ratings, counts in zip(data, prepared, strict=True):
        for places in drawn[:resamples]:
            statistic(ratings, counts, places)
    seconds = (time.perf_counter() - start) * len(drawn) / resamples
    return {"value": value, "seconds": seconds, "resamples": resamples}


def prepare(ratings: np.ndarray) -> np.ndarray:
    """Counts of each value per item, the input that krippendorff is fastest with."""
    return (ratings[:, :, None] == SCALE).sum(axis=1)


def krippendorff_alpha(ratings: np.ndarray, counts: np.ndarray, places: np.ndarray) -> float:
    """Interval alpha of a resample."""
    return float(krippendorff.alpha(value_counts=counts[places], value_domain=SCALE, level_of_measurement="interval"))


def irrcac_ac2(ratings: np.ndarray, counts: np.ndarray, places: np.ndarray) -> float:
    """Quadratic AC2 of a resample."""
    table = pd.DataFrame(ratings[places])
    found = irrCAC.raw.CAC(table, weights="quadratic", categories=list(SCALE)).gwet()
    return float(found["est"]["coefficient_value"])


def pingouin_icc(ratings: np.ndarray, counts: np.ndarray, places: np.ndarray) -> float:
    """ICC(A,1) of a resample."""
    chosen = ratings[places]
    items, raters = chosen.shape
    table = pd.DataFrame(
        {"item": np.repeat(np.arange(items), raters), "rater": np.tile(np.arange(raters), items), "y": chosen.ravel()}
    )
    found = pingouin.intraclass_corr(table, targets="item", raters="rater", ratings="y")
    return float(found["ICC"].iloc[1])


if __name__ == "__main__":
    main()
