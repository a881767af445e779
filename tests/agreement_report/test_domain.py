"""The report as a value: its numbers, its words, and what never enters it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.domain.rating.designs import AnalysisPlan
from app.domain.rating.scales import RatingRubric
from app.domain.reports.agreement_comparison import compare_panels
from app.domain.reports.agreement_judge_blocks import annotator_words, judge_blocks, judge_lines
from app.domain.reports.agreement_lines import axis, number, statistic_lines, summary_lines
from app.domain.reports.agreement_ratings import COMPOSITE, GivenRating, PanelRatings, dimension_ratings
from app.domain.reports.agreement_report import PanelAgreement, agreement_report
from app.domain.reports.agreement_sections import agreement_sections, classifier_words, paper, said_words, title
from app.domain.reports.blocks import Picture, Section, Table
from tests.agreement_report.simulated import CASES, RATERS, RUBRIC, SAID, WITH_NAMES, simulated, varied

ONE = RatingRubric(id="one", title="One", dimensions=RUBRIC.dimensions[:1])
LEVELS = np.random.default_rng(2).normal(5, 1.6, 90)


def reported(panel: PanelRatings) -> PanelAgreement:
    return agreement_report(panel, resamples=200)


def near(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    return np.clip(np.round(LEVELS[:items, None] + rng.normal(0, 1, (items, raters))), 0, 10)


def wild(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    """People who are further apart."""
    return np.clip(near(rng, items, raters) + rng.integers(-3, 4, (items, raters)), 0, 10)


def planted(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    """A judge that adds a point on the longer half and on the model of every third item."""
    row = np.arange(items)
    more = (row >= items / 2) * 1.0 + (row % 3 == 0) * 1.5
    return np.clip(np.round(near(rng, items, raters) + more[:, None]), 0, 10)


def judged(judge: Any = near, **changes: Any) -> PanelRatings:
    return simulated(near, items=90, runs=30, judge=judge, **changes)


@pytest.mark.parametrize("case", list(CASES))
def test_every_hard_case_is_said_in_words_and_never_as_nan(case: str):
    draw, more = CASES[case]
    report = reported(simulated(draw, **more))
    assert any(SAID[case] in sentence for sentence in said_words(report))
    assert "NaN" not in json.dumps(report.as_json(), allow_nan=False)
    sections = agreement_sections(report, lambda _: (), bands=True)
    assert all(isinstance(cell, str) for table in tables(sections) for row in table.rows for cell in row)


def tables(sections: tuple[Section, ...]) -> list[Table]:
    return [block for section in sections for block in section.blocks if isinstance(block, Table)]


def test_the_composite_is_the_sum_with_statistics_of_its_own():
    panel = simulated()
    sums = dimension_ratings(panel)[-1]
    parts = dimension_ratings(panel)[:-1]
    assert sums.id == COMPOSITE
    assert sums.scale == (0, 20)
    assert np.array_equal(sums.values, parts[0].values + parts[1].values)
    report = reported(panel)
    alphas = [one.statistic("alpha_interval").value for one in report.dimensions]
    assert alphas[2] != pytest.approx((alphas[0] + alphas[1]) / 2, abs=1e-3)
    assert [one.id for one in reported(simulated(rubric=ONE)).dimensions] == ["frontier_accuracy"]
    assert report.dimension("nothing") is None


def test_second_occasions_enter_repeatability_alone():
    panel = simulated()
    without = replace(panel, given=tuple(one for one in panel.given if one.occasion == 1))
    first, second = reported(panel).dimensions[0], reported(without).dimensions[0]
    assert first.statistic("alpha_interval") == second.statistic("alpha_interval")
    assert first.found.intra_rater
    assert not second.found.intra_rater


def test_skips_are_counted_by_reason_and_are_never_a_zero():
    panel = simulated()
    skipped = tuple(
        replace(one, values={}, skip_reason="text_broken") if one.item <= 3 and one.rater == "Rater A" else one
        for one in panel.given
        if one.occasion == 1
    )
    report = reported(replace(panel, given=skipped, unopened={"Rater B": 2}))
    assert report.raters[0].skip_words == "text broken 3"
    assert report.raters[0].skipped == 3
    assert report.raters[1].skip_words == "–"
    assert report.raters[1].unopened == 2
    assert report.dimensions[0].found.usage.complete == 27
    assert report.ratings == 87
    assert report.places == 90


def test_an_item_that_nobody_named_a_reason_for_counts_as_other():
    panel = simulated()
    bare = (*panel.given[1:], replace(panel.given[0], values={}, skip_reason=""))
    assert reported(replace(panel, given=bare)).raters[0].skips == (("other", 1),)


def test_the_planned_interval_is_the_one_that_is_drawn():
    plan = AnalysisPlan(headline="icc_a1", interval="item bootstrap")
    one = reported(simulated(plan=plan)).dimensions[0]
    assert one.headline_name == "icc_a1"
    assert "bootstrap" in one.headline.method
    assert one.headline.ci95 != one.statistic("icc_a1").ci95
    bare = agreement_report(simulated(plan=plan), resamples=0).dimensions[0]
    assert "jackknife" in bare.headline.method


def test_bands_follow_the_lower_limit_and_can_be_left_out():
    report = reported(simulated())
    one = report.dimensions[0]
    assert one.headline.ci95
    assert one.headline.ci95[0] < 0.667 < one.headline.ci95[1]
    assert one.band == "not reliable"
    heads = [column.name for column in tables(agreement_sections(report, lambda _: (), bands=False))[0].columns]
    assert "lower limit" not in heads


def test_names_have_nominal_statistics_only():
    report = reported(simulated(rubric=WITH_NAMES, judge=varied))
    one = report.dimensions[2]
    assert one.headline_name == "alpha_nominal"
    assert [line.name for line in statistic_lines(one)] == ["alpha_nominal", "exact", "ac1"]
    assert one.judge is None
    assert one.ratings.scale_words == "build, buy, wait"
    assert summary_lines(report)[2].cells[1:] == ("–",) * 5
    names = [table.caption for table in tables(agreement_sections(report, lambda _: (), bands=True))]
    assert names.count("Pairs of raters") == 4


def test_unequal_chances_are_weighted_and_unknown_ones_are_not():
    weighted = reported(simulated(stratified=True))
    one = weighted.dimensions[0]
    assert one.weighted("alpha_interval").value != one.statistic("alpha_interval").value
    assert "all decisions" in [
        c.name for c in tables(agreement_sections(weighted, lambda _: (), bands=True))[0].columns
    ]
    plain = reported(simulated())
    assert plain.dimensions[0].weighted("alpha_interval").reason
    panel = simulated(stratified=True)
    unknown = replace(panel, items=(replace(panel.items[0], probability=0.0), *panel.items[1:]))
    assert not unknown.is_weighted


def test_intervals_below_zero_widen_the_axis():
    draw, more = CASES["negative"]
    low, high = axis(summary_lines(reported(simulated(draw, **more))))
    assert (low, high) == (-1.0, 1.0)
    assert axis(summary_lines(reported(simulated()))) == (0.0, 1.0)
    assert number("within_1", 0.84) == "84 %"
    assert number("sem", None) == "–"


def test_a_planted_judge_is_found():
    report = reported(judged(planted, seed=9))
    for one in report.dimensions:
        assert one.judge
        said = " ".join(one.judge.words)
        assert "points above the humans' mean" in said
        assert "On items of text length above the median it scores" in said
        assert "On items of model m/0 it scores" in said
        assert "of mode " not in said
    assert report.dimensions[-1].judge.found.alpha_with_judge != report.dimensions[-1].judge.found.alpha_humans


def of_families(row: int) -> str:
    """Two models of the judge's own family, and one of another."""
    return ("judges", "judges", "players")[row % 3]


def kind_to_its_family(rng: np.random.Generator, items: int, raters: int) -> np.ndarray:
    """A judge that adds a point and a half to what its own family wrote."""
    more = np.array([1.5 if of_families(row) == "judges" else 0.0 for row in range(items)])
    return np.clip(np.round(near(rng, items, raters) + more[:, None]), 0, 10)


def test_a_family_that_prefers_itself_is_found_and_a_fair_one_is_not():
    for judge, expected in ((kind_to_its_family, True), (near, False)):
        panel = judged(judge, seed=9)
        items = tuple(
            replace(item, strata={**item.strata, "family": of_families(row)}) for row, item in enumerate(panel.items)
        )
        for one in reported(replace(panel, items=items)).dimensions:
            assert one.judge
            said = " ".join(one.judge.words)
            assert ("On items of family judges it scores" in said) is expected
            assert "family players" not in said


def test_a_family_of_one_model_is_asked_about_once():
    panel = judged()
    items = tuple(replace(item, strata={**item.strata, "family": item.strata["model"]}) for item in panel.items)
    section = reported(replace(panel, items=items)).dimensions[0].judge
    assert section
    assert {one.grouping for one in section.groups} & {"family", "model"} == {"family"}


def test_a_judge_as_noisy_as_a_human_is_not_called_worse():
    for seed in range(5):
        for one in reported(judged(seed=seed)).dimensions:
            assert one.judge
            assert not [words for words in one.judge.words if "less than the panel's" in words]
            assert one.as_json()["judge"]["ceiling"]["difference"]["ci95"]


def test_eras_with_an_intervention_stay_out_of_the_comparison_with_the_judge():
    panel = judged()
    items = tuple(replace(item, intervened=row < 10) for row, item in enumerate(panel.items))
    items = (*items[:-4], *(replace(item, judge={}) for item in items[-4:]))
    section = reported(replace(panel, items=items)).dimensions[0].judge
    assert section
    assert (section.items, section.intervened, section.unscored) == (76, 10, 4)
    assert section.found.bias.n == 76
    whole = reported(panel).dimensions[0]
    assert whole.statistic("alpha_interval").n == 90


def test_without_a_common_item_there_is_no_judge_section():
    panel = judged()
    bare = replace(panel, given=())
    assert all(one.judge is None for one in reported(bare).dimensions)


def test_judge_of_few_runs_or_without_eras_is_still_described():
    panel = simulated(near, items=10, runs=1, judge=near, raters=RATERS[:1])
    items = tuple(replace(item, strata={"mode": "history"}) for item in panel.items)
    section = reported(replace(panel, items=items, arms=None)).dimensions[0].judge
    assert section
    assert "era" not in section.found.rank_within
    assert not [group for group in section.groups if group.grouping == "mode"]
    assert annotator_words(section) == tuple(section.found.replacement.words)
    assert any(line.value == "–" and line.reason for _, line in judge_lines(section))
    assert judge_blocks(section)


def test_texts_of_one_length_give_no_slope():
    panel = judged()
    items = tuple(replace(item, words=300) for item in panel.items)
    section = reported(replace(panel, items=items)).dimensions[0].judge
    assert section
    assert section.found.on_length["slope"].value is None
    assert {group.grouping for group in section.groups} == {"judge score", "mode", "model"}


def test_guesses_are_measured_by_arm_with_every_arm_on_offer():
    report = reported(simulated())
    hidden = report.blinding[0]
    assert [one.about for one in report.blinding] == ["model"]
    assert hidden.offered == 3
    arm = hidden.arms[0]
    assert arm.asked == 9
    assert arm.right + arm.unsure <= arm.asked
    assert arm.index.value is not None
    assert "by words alone" in classifier_words(hidden)


def test_an_arm_nobody_was_asked_about_and_lost_texts_are_said():
    panel = simulated(guesses=())
    items = tuple(replace(item, text="") for item in panel.items)
    hidden = reported(replace(panel, items=items)).blinding[0]
    assert hidden.arms[0].index.reason == "nobody was asked about an item of this arm"
    assert "no classifier was trained" in classifier_words(hidden)
    assert reported(replace(panel, arms=None)).blinding == ()
    few = reported(simulated(runs=2)).blinding[0]
    assert few.classifier.ci95 is None
    assert "(" not in classifier_words(few)


def test_paper_names_the_panel_and_puts_plots_beside_what_they_show():
    report = reported(judged(mark="rehearsal"))
    made = paper(report, lambda one: (Picture("a.pdf", "pairs"), Picture("b.pdf", f"{one.name}: judge")), bands=True)
    assert report.panel.panel_hash in made.footer
    assert made.mark == "rehearsal"
    blocks = next(section for section in made.sections if section.title.startswith("Timing")).blocks
    assert isinstance(blocks[-1], Picture)
    assert made.title.replace("\u200b", "") == title(report) == "Agreement of 3 raters on 90 decisions"
    assert title(reported(simulated(raters=RATERS[:1]))) == "Agreement of 1 rater on 30 decisions"
    plain = agreement_sections(reported(simulated(repeats=0)), lambda _: (), bands=True)
    assert "A rater against herself, on the hidden repeats" not in [table.caption for table in tables(plain)]


def test_one_rater_alone_has_neither_pairs_nor_severity():
    report = reported(simulated(raters=RATERS[:1], arms={}))
    sections = agreement_sections(report, lambda _: (), bands=True)
    captions = [table.caption for table in tables(sections)]
    assert "Pairs of raters" not in captions
    assert "Were they blind?" not in [section.title for section in sections]


def test_panels_are_compared_by_paired_differences_on_shared_items():
    first = judged(seed=1)
    worse = simulated(
        lambda rng, n, k: np.clip(near(rng, n, k) + rng.integers(-3, 4, (n, k)), 0, 10), items=90, runs=30
    )
    second = replace(worse, items=worse.items[:80], given=tuple(one for one in worse.given if one.item <= 80))
    found = compare_panels(first, second)
    assert (found.shared, found.unshared) == (80, (10, 0))
    lines = {line.name: line for line in found.dimensions[0].raters}
    assert lines["alpha_interval"].difference.ci95
    assert lines["alpha_interval"].difference.ci95[0] > 0
    assert found.dimensions[0].judges == ()
    assert set(lines) >= {"human_mean", "icc_a1", "within_1", "ac2_quadratic"}
    assert json.dumps(found.as_json(), allow_nan=False)


def test_two_judges_meet_the_same_people():
    first = judged(seed=1)
    biased = {item.key: {name: min(10, value + 1) for name, value in item.judge.items()} for item in first.items}
    second = replace(first, items=tuple(replace(item, judge=biased[item.key]) for item in first.items))
    lines = {line.name: line for line in compare_panels(first, second).dimensions[0].judges}
    assert lines["bias"].difference.value == pytest.approx(-1, abs=0.1)
    assert set(lines) == {"bias", "icc_a1"}


def test_comparisons_without_items_scales_or_raters_in_common_say_less():
    first = simulated()
    apart = replace(first, items=tuple(replace(item, key=f"other {item.key}") for item in first.items))
    assert compare_panels(first, apart).dimensions == ()
    alone = simulated(raters=RATERS[:1])
    assert [line.name for line in compare_panels(first, alone).dimensions[0].raters] == ["human_mean"]
    empty = replace(first, given=())
    lines = compare_panels(first, empty).dimensions[0].raters
    assert lines[0].second is None
    assert compare_panels(first, simulated(rubric=ONE)).dimensions[0].id == "frontier_accuracy"


def test_very_many_items_leave_out_what_needs_a_table(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.domain.reports.agreement_comparison.fits_tables", lambda _: False)
    names = [line.name for line in compare_panels(simulated(), simulated(seed=8)).dimensions[0].raters]
    assert "alpha_interval" in names
    assert "ac2_quadratic" not in names


def test_a_queue_place_without_values_still_has_its_position():
    panel = simulated()
    given = (GivenRating(1, "Rater A", 1, 77, {}, "other"),)
    made = dimension_ratings(replace(panel, given=given))[0]
    assert made.positions[0, 0] == 77
    assert np.isnan(made.values[0, 0])
