"""Recompute alpha and ICC from an exported long CSV with other people's libraries, and compare to six digits.

    .venv/bin/python -m bench.recompute RATINGS.csv

The CSV needs the columns item, rater (or rater pseudonym) and value, and may have dimension and occasion. THEIRS runs
in the rivals' environment and knows nothing of the project.
"""

import json
import subprocess
import sys
from pathlib import Path

from bench.rival_environment import ROOT, rivals_python

THEIRS = r"""
import json, sys, warnings
import krippendorff, pandas as pd, pingouin
warnings.simplefilter("ignore")
rows = pd.read_csv(sys.argv[1])
rows.columns = [name.strip().lower().replace(" ", "_") for name in rows.columns]
rows = rows.rename(columns={"rater_pseudonym": "rater"})
if "occasion" in rows:
    rows = rows[rows["occasion"].fillna(1) == 1]
found = {}
for name, part in rows.groupby("dimension") if "dimension" in rows else [("value", rows)]:
    wide = part.pivot(index="rater", columns="item", values="value")
    one = {f"alpha_{level}": krippendorff.alpha(wide.to_numpy(float), level_of_measurement=level)
           for level in ("interval", "ordinal", "nominal")}
    complete, rated = wide.dropna(axis=1), wide.dropna(axis=1, how="all")
    if complete.shape[1] >= 0.9 * rated.shape[1]:
        long = complete.stack().rename("value").reset_index()
        table = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="value")
        shown = dict(zip(table["Type"], table["ICC"]))
        one |= {"icc_a1": shown["ICC(A,1)"] if "ICC(A,1)" in shown else shown["ICC2"],
                "icc_ak": shown["ICC(A,k)"] if "ICC(A,k)" in shown else shown["ICC2k"]}
    found[str(name)] = {key: float(value) for key, value in one.items()}
print(json.dumps(found))
"""
DIGITS = 1e-6


def main(path: Path) -> int:
    """Print each coefficient twice; the exit status is 1 when two differ by 1e-6 or more, 2 without the rivals."""
    python = rivals_python()
    if python is None:
        return 2
    theirs = json.loads(subprocess.run([python, "-c", THEIRS, path], check=True, capture_output=True).stdout)
    command = [sys.executable, "-m", "app.cli.main", "agreement", path.resolve(), "--json", "--resamples", "0"]
    ours = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)["dimensions"]
    worst = 0.0
    for name, coefficients in theirs.items():
        for key, value in coefficients.items():
            mine = ours[name]["statistics"][key]["value"]
            worst = max(worst, abs(mine - value))
            print(f"{name:<20} {key:<16} ours {mine:.8f}   theirs {value:.8f}")
    print(f"largest difference {worst:.1e}")
    return int(worst >= DIGITS)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
