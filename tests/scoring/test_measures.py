"""Single measures: gaps, slopes, pivots, correlations, dissents, lessons."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.domain.protocol.artifacts import LessonKind, Verdict
from app.domain.protocol.eras import Mode
from app.domain.scoring.calibration import calibrate_gap
from app.domain.scoring.correlations import pearson_r, within_group_r
from app.domain.scoring.dissents import summarize_dissents
from app.domain.scoring.gaps import gap_of, sign_test_p, summarize_gaps
from app.domain.scoring.lessons import caution_index, summarize_lessons
from app.domain.scoring.measures import Measure, mean_of, sd_of, undefined
from app.domain.scoring.pivots import count_adjoining_pivots, count_coded_pivots
from app.domain.scoring.run_measures import measure_run, measure_table
from app.domain.scoring.scored_eras import MixedRubricsError
from app.domain.scoring.slopes import half_means, slope_of
from tests.scoring.eras import auditor_era, record_era

scores = st.integers(0, 100).map(float)
Pairs = list[tuple[float, float]]
pairs = st.lists(st.tuples(scores, scores), min_size=3, max_size=15)


class TestMeasure:
    def test_has_a_value_or_a_reason(self):
        assert undefined("no era", 3) == Measure(None, 3, "no era")
        with pytest.raises(ValueError, match="either"):
            Measure(None)
        with pytest.raises(ValueError, match="either"):
            Measure(1.0, 1, "why")

    @pytest.mark.parametrize("value", [math.nan, math.inf])
    def test_is_finite(self, value: float):
        with pytest.raises(ValueError, match="finite"):
            Measure(value)

    @given(st.lists(scores, min_size=2, max_size=20))
    def test_mean_and_sd_are_numpys(self, values: list[float]):
        assert mean_of(values).value == pytest.approx(np.mean(values))
        assert sd_of(values).value == pytest.approx(np.std(values, ddof=1))

    def test_too_few_values_say_so(self):
        assert mean_of([], "era").reason == "there is no era"
        assert sd_of([], "era").reason == "a standard deviation needs two eras; there is none"
        assert sd_of([1.0], "era").reason == "a standard deviation needs two eras; there is 1"


class TestGaps:
    def test_gap_is_frontier_less_layer(self):
        assert gap_of(record_era(scores=(8, 1, 5, 1, 1))) == 3
        with pytest.raises(MixedRubricsError):
            gap_of(auditor_era())

    def test_all_positive_gaps_give_two_to_the_minus_n(self):
        assert sign_test_p([1] * 24).value == 2**-24

    @given(st.lists(st.integers(-10, 10), min_size=1, max_size=14))
    def test_sign_test_is_the_binomial_tail(self, gaps: list[int]):
        positive = sum(gap > 0 for gap in gaps)
        tail = sum(math.comb(len(gaps), k) for k in range(positive, len(gaps) + 1)) / 2 ** len(gaps)

        assert sign_test_p(gaps).value == pytest.approx(tail)

    def test_summary_counts_and_warns(self):
        summary = summarize_gaps([record_era(scores=(8, 5, 5, 5, 5)), record_era(scores=(5, 5, 6, 5, 5))])

        assert (summary.n, summary.positive, summary.mean.value, summary.share_positive.value) == (2, 1, 1.0, 0.5)
        assert "not independent" in summary.warning
        assert sign_test_p([]).value is None

    def test_gaps_of_two_modes_are_not_pooled(self):
        with pytest.raises(MixedRubricsError):
            summarize_gaps([record_era(), record_era(mode=Mode.FICTIONAL)])

    def test_planted_exact_layer_decisions_calibrate_near_zero(self):
        generator = np.random.default_rng(3)
        planted = []
        for place, layer in enumerate(generator.integers(7, 10, size=80)):
            noise = int(generator.integers(-1, 2))
            scores = (int(layer) + noise, 6, int(layer), 6, 9)
            planted.append(record_era(run=f"r{place // 2}", index=place % 2 + 1, scores=scores))
        found = calibrate_gap(planted, margin=0.5)

        assert found.mean.n == found.near_zero.n == 40
        assert abs(found.mean.value or 9) < 0.3
        assert found.near_zero.p_value is not None
        assert found.near_zero.p_value < 0.05

    def test_an_offset_of_the_anchors_does_not_calibrate(self):
        planted = [record_era(run=f"r{i}", scores=(9, 6, 7 + i % 2, 6, 9)) for i in range(20)]

        assert (calibrate_gap(planted, margin=0.5).near_zero.p_value or 0) > 0.9

    def test_planted_decisions_of_two_modes_are_not_pooled(self):
        with pytest.raises(MixedRubricsError):
            calibrate_gap([record_era(), record_era(mode=Mode.FICTIONAL)], margin=0.5)

    def test_one_run_calibrates_nothing_yet(self):
        found = calibrate_gap([record_era(index=1), record_era(index=2)], margin=0.5)

        assert found.mean.n == 1
        assert found.near_zero.p_value is None


class TestSlopes:
    @given(st.lists(scores, min_size=2, max_size=12))
    def test_slope_is_least_squares(self, values: list[float]):
        indices = list(range(1, len(values) + 1))

        assert slope_of(indices, values).value == pytest.approx(np.polyfit(indices, values, 1)[0], abs=1e-6)

    @given(st.lists(scores, min_size=2, max_size=12), scores)
    def test_a_shift_of_all_values_keeps_the_slope(self, values: list[float], shift: float):
        indices = list(range(len(values)))
        moved = [value + shift for value in values]

        assert slope_of(indices, moved).value == pytest.approx(slope_of(indices, values).value, abs=1e-9)

    def test_undefined_and_refused(self):
        assert slope_of([1], [2.0]).value is None
        assert slope_of([], []).value is None
        with pytest.raises(ValueError, match="one value per era"):
            slope_of([1, 2], [2.0])

    def test_halves_leave_a_middle_era_to_neither(self):
        assert [half.value for half in half_means([1.0, 2.0, 9.0, 4.0, 6.0])] == [1.5, 5.0]
        assert [half.value for half in half_means([1.0])] == [None, None]


class TestPivots:
    def test_case_accents_punctuation_and_spacing_are_no_pivot(self):
        found = count_adjoining_pivots(
            enumerate(["Switchyard Systems", "SWITCHYARD  Systems.", "Switchyard-Systémes", "Other"])
        )

        assert (found.pivots, found.transitions) == (2, 3)
        assert found.rate.value == pytest.approx(2 / 3)

    def test_one_era_has_no_transition(self):
        assert count_adjoining_pivots([(1, "Alder")]).rate.value is None
        assert count_adjoining_pivots([]).transitions == 0
        assert count_adjoining_pivots([(3, "Birch"), (1, "Alder"), (4, "Cedar")]).transitions == 1

    def test_coded_changes_count_the_same_way(self):
        assert count_coded_pivots([True, False]).rate.value == 0.5


class TestCorrelations:
    @given(pairs)
    def test_pearson_is_numpys(self, values: list[tuple[float, float]]):
        x, y = np.array(values).T
        found = pearson_r(values)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert found.value is None
        else:
            assert found.value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)

    @given(pairs, pairs, scores)
    def test_levels_of_runs_do_not_touch_the_within_r(self, one: Pairs, other: Pairs, shift: float):
        before = within_group_r([one, other])
        after = within_group_r([one, [(x + shift, y - shift) for x, y in other]])
        assume(before.value is not None)

        assert after.value == pytest.approx(before.value, abs=1e-6)

    def test_one_run_alone_is_its_own_r(self):
        values = [(1.0, 3.0), (2.0, 1.0), (4.0, 0.0)]

        assert within_group_r([values, []]).value == pytest.approx(pearson_r(values).value)

    def test_too_few_eras(self):
        assert "there are 2" in (pearson_r([(1.0, 2.0), (2.0, 3.0)]).reason or "")
        assert "there are 1" in (within_group_r([[(1.0, 2.0)]]).reason or "")


class TestDissents:
    def test_unresolved_are_shown_and_do_not_count(self):
        found = summarize_dissents([Verdict.VINDICATED, Verdict.REFUTED, Verdict.REFUTED, Verdict.UNRESOLVED])

        assert (found.vindicated, found.refuted, found.unresolved) == (1, 2, 1)
        assert found.accuracy == Measure(1 / 3, 3)

    def test_undefined_says_which_way(self):
        assert summarize_dissents([Verdict.UNRESOLVED]).accuracy.reason == "no dissent was resolved"
        assert summarize_dissents([]).accuracy.reason == "there was no dissent"


class TestLessons:
    def test_shares_by_kind_add_up_to_one(self):
        kinds = [LessonKind.TECHNOLOGY_MARKET, LessonKind.OTHER, LessonKind.OTHER]
        found = summarize_lessons(kinds, revisions=2, citations=5)

        assert (found.lessons, found.revisions, found.citations) == (3, 2, 5)
        assert found.share_by_kind[LessonKind.OTHER].value == pytest.approx(2 / 3)
        assert sum(share.value or 0 for share in found.share_by_kind.values()) == pytest.approx(1)

    def test_an_empty_playbook_has_no_shares(self):
        assert summarize_lessons([], 0, 0).share_by_kind[LessonKind.OTHER].reason == "the Playbook is empty"

    def test_caution_is_a_share_of_decisions(self):
        assert caution_index([True, False, True, True]).value == 0.75
        assert caution_index([]).value is None


class TestRuns:
    def test_a_run_of_another_mode_is_measured_on_that_mode(self):
        eras = [record_era(index=1, mode=Mode.FICTIONAL), record_era(index=2, mode=Mode.FICTIONAL, company="Birch")]
        found = measure_run("run-1", eras, Mode.FICTIONAL)

        assert (found.n_training, found.total_kind, found.pivots.pivots) == (2, "mechanical", 1)
        assert measure_run("run-1", eras).mean.value is None

    def test_the_auditors_modes_are_refused(self):
        with pytest.raises(MixedRubricsError):
            measure_run("run-1", [auditor_era()], Mode.LIVE)

    def test_pooled_totals_are_of_one_kind(self):
        typed = [record_era(index=i, scores=(6, 6, 6, 6, i), total=90 - i) for i in range(1, 5)]
        untyped = [record_era(run="run-2", index=i, scores=(6, 6, 6, 6, i)) for i in range(1, 5)]

        assert measure_table(typed).r_pooled.value == pytest.approx(-1)
        assert measure_table([*typed, *untyped]).r_pooled.value == pytest.approx(1)
