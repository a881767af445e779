"""The plots of an agreement report: points where the numbers are, axes with room, notes that say what is missing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from app.domain.reports.agreement_report import PanelAgreement, agreement_report
from app.exports.agreement_figures import AgreementFigure, agreement_figure
from app.exports.agreement_plots import agreement_specification
from app.exports.looks import Look
from tests.agreement_report.simulated import no_variation, simulated, varied


@pytest.fixture(scope="module")
def report() -> PanelAgreement:
    return agreement_report(simulated(varied, judge=varied), resamples=200)


def figure(report: PanelAgreement, name: str) -> AgreementFigure:
    found = agreement_figure(report, report.dimensions[0], name)
    assert found is not None
    return found


def drawn(figure: AgreementFigure) -> list[dict[str, Any]]:
    """Every row that the specification draws."""
    return [row for rows in agreement_specification(figure, Look())["datasets"].values() for row in rows]


@pytest.mark.parametrize(
    ("name", "x", "y"), [("pairs", "x", "y"), ("bland-altman", "mean", "difference"), ("judge", "humans", "judge")]
)
def test_points_lie_where_the_numbers_are_and_stand_for_every_item(report: PanelAgreement, name: str, x: str, y: str):
    one = figure(report, name)
    points = [row for row in drawn(one) if "items" in row]
    assert {(row[x], row[y]) for row in points} == {(row[x], row[y]) for row in one.rows}
    assert sum(row["items"] for row in points) == len(one.rows)
    assert "the larger a point, the more items it stands for" in one.notes[0]
    assert max(row["items"] for row in points) > 1 or name == "judge"


def test_a_point_of_many_items_names_the_first_and_counts_the_others():
    same = agreement_report(simulated(no_variation, judge=no_variation), resamples=200)
    (point,) = [row for row in drawn(figure(same, "judge")) if "items" in row]
    assert point["item"].endswith(f" and {point['items'] - 6} more")


def with_intervals(report: PanelAgreement, kept: int) -> AgreementFigure:
    """The severity figure where only so many raters have an interval."""
    one = report.dimensions[0]
    severity = {
        rater: replace(found, ci95=(-0.2, 0.3) if place < kept else None, reason=None if place < kept else "one run")
        for place, (rater, found) in enumerate(one.found.severity.items())
    }
    made = replace(one, found=replace(one.found, severity=severity))
    found = agreement_figure(report, made, "severity")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (3, "; 95 % intervals by runs."),
        (2, "; 95 % intervals by runs, none for 1 of 3 raters: one run."),
        (0, "; no 95 % intervals: one run."),
    ],
)
def test_severity_says_why_an_interval_is_missing_and_draws_no_empty_one(report: PanelAgreement, kept: int, words: str):
    one = with_intervals(report, kept)
    assert one.notes[0].endswith(words)
    specification = agreement_specification(one, Look())
    marks = [layer["mark"]["type"] for layer in specification["layer"]]
    assert marks == (["rule", "rule", "point"] if kept else ["rule", "point"])
    bars = [layer for layer in specification["layer"] if "x2" in layer["encoding"]]
    assert all(row["low"] is not None for layer in bars for row in specification["datasets"][layer["data"]["name"]])


def test_the_severity_axis_does_not_shrink_to_tiny_differences(report: PanelAgreement):
    one = with_intervals(report, 0)
    tiny = replace(one, rows=tuple({**row, "severity": 0.01} for row in one.rows))
    for ends, reach in (((0.0, 10.0), 1.1), ((1.0, 5.0), 1.1), ((0.0, 100.0), 11.0), ((0.0, 1.0), 0.11)):
        text = json.dumps(agreement_specification(replace(tiny, ends=ends), Look()))
        domain = json.loads(text)["layer"][-1]["encoding"]["x"]["scale"]["domain"]
        assert domain == pytest.approx([-reach, reach])
    wide = replace(tiny, rows=({**tiny.rows[0], "severity": -4.0}, *tiny.rows[1:]))
    domain = agreement_specification(wide, Look())["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    assert domain == pytest.approx([-4.4, 4.4])
