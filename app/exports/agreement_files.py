"""An agreement report as files: JSON, its statistics as CSV, and what their fields mean."""

from __future__ import annotations

import json
from collections.abc import Iterator

from app.domain.reports.agreement_report import DimensionReport, PanelAgreement
from app.exports.figures import Value, as_csv

STATISTICS = {
    "panel_hash": "SHA-256 of the locked design, in hex",
    "dimension": "id of the rubric's dimension, or composite-score for the sum of all ordered ones",
    "statistic": "name of the statistic, as in docs/agreement.md",
    "value": "its value, unrounded; empty where it is undefined",
    "ci95_low": "lower end of the 95 % interval; empty where there is none",
    "ci95_high": "upper end",
    "method": "how the interval was built",
    "n": "items used",
    "clusters": "G, the runs they come from",
    "reason": "why there is no value, or no interval",
    "population_value": "the value weighted to all decisions of the frame; empty where items had one probability",
}
"""Columns of the statistics with their meaning, in order."""

FIELDS = {
    "panel_hash": "SHA-256 of the locked design",
    "mark": "what must be said of the whole report, such as that its texts are a rehearsal; empty for nothing",
    "plan": "headline statistic, interval, epsilon and margin as fixed before the first rating",
    "ratings": "first ratings given, and out of how many items × raters",
    "raters": "per rater: rated, skipped by reason, not reached, repeats and training (neither enters agreement)",
    "adjudicated_values_not_used": "values settled after closing; none of them enters any number",
    "dimensions.<id>.headline": "the planned statistic with its planned interval; band is a word for the lower limit",
    "dimensions.<id>.statistics.<name>": "value, ci95, method, n (items used), reason, other_intervals",
    "dimensions.<id>.clusters": "G, the number of runs",
    "dimensions.<id>.population": "the statistics weighted by 1 / inclusion probability, or null",
    "dimensions.<id>.pairs": "per pair of raters: kappa, Spearman, bias and limits of agreement",
    "dimensions.<id>.severity, drift, intra_rater": "per rater, in points; drift per ten positions of the queue",
    "dimensions.<id>.collapsed": "alpha and AC2 on 2, 3 and 5 bands of the scale",
    "dimensions.<id>.usage, notes": "counts of items used and not used, and what a reader must be told",
    "dimensions.<id>.judge": "the comparison with the judge, or null; items with an intervention are left out",
    "blinding": "per hidden property and arm: guesses and Bang's index; classifier is the texts' own",
}


def agreement_json(report: PanelAgreement) -> str:
    """Every number with its interval, method, items used and reason if undefined; never NaN."""
    return json.dumps(report.as_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def agreement_csv(report: PanelAgreement) -> str:
    """One line per dimension and statistic, unrounded."""
    return as_csv(tuple(STATISTICS), list(_lines(report)))


def agreement_dictionary(of_ratings: str) -> str:
    """The data dictionary of the ratings with what the report's own files add."""
    lines = [
        "",
        "## agreement-statistics.csv",
        "",
        "| column | meaning |",
        "|---|---|",
        *(f"| `{name}` | {meaning} |" for name, meaning in STATISTICS.items()),
        "",
        "## agreement.json",
        "",
        "A value of null has its `reason`; a `reason` beside a value says why there is no interval.",
        "",
        "| field | meaning |",
        "|---|---|",
        *(f"| `{name}` | {meaning} |" for name, meaning in FIELDS.items()),
    ]
    return of_ratings + "\n".join(lines) + "\n"


def _lines(report: PanelAgreement) -> Iterator[list[Value]]:
    for one in report.dimensions:
        for name in one.found.statistics:
            yield _line(report.panel.panel_hash, one, name)


def _line(panel_hash: str, one: DimensionReport, name: str) -> list[Value]:
    found = one.statistic(name)
    low, high = found.ci95 or (None, None)
    at: list[Value] = [panel_hash, one.id, name, found.value, low, high]
    return [*at, found.method, found.n, one.found.clusters, found.reason, one.weighted(name).value]
