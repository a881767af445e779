"""H1-H5 on judged runs, contrasts, and what a design can detect."""

import pytest

from app.domain.protocol.eras import Mode
from app.domain.protocol.layers import LayerDistance
from app.domain.scoring.contrasts import contrast_conditions, equivalence_of_conditions, mean_with_interval
from app.domain.scoring.detectable import (
    PUBLISHED_SDS,
    detectable_effects,
    power_of_equivalence,
    smallest_detectable_effect,
)
from app.domain.scoring.hypotheses import (
    FAMILY,
    gap_is_positive,
    judge_hypotheses,
    judge_without_interventions,
    leakage_is_equal,
    organization_raises_mean,
    playbook_raises_slope,
    removal_raises_capture,
    removal_raises_pivots,
)
from app.domain.scoring.measures import Measure, undefined
from app.domain.scoring.run_values import (
    JudgedRun,
    RunValue,
    mean_without_playbook,
    pivot_rate,
    run_values,
    slope_of_controlled,
)
from tests.scoring.eras import auditor_era, judged_run, record_era

FLAT = [(6, 6, 5, 6, 5)] * 6


def rising(step: int) -> list[tuple[int, int, int, int, int]]:
    return [(6, min(10, 2 + step * i), 5, 6, 5) for i in range(6)]


def values(condition: str, numbers: list[float | None], player: str = "m1") -> list[RunValue]:
    return [
        RunValue(f"{condition}-{player}-{i}", condition, i, player, undefined("lost") if x is None else Measure(x, 1))
        for i, x in enumerate(numbers, start=1)
    ]


class TestContrasts:
    def test_effect_and_interval_come_with_an_exact_p(self):
        data = values("a", [5, 7, 6, 9, 8, 7, 6]) + values("b", [4, 5, 5, 7, 7, 4, 5])
        found = contrast_conditions(data, "a", "b", seed=1)

        assert found.effect == Measure(11 / 7, 14)
        assert found.blocks == 7
        assert found.test.p_value == 2**-7
        low, high = found.interval.bounds or (9, 0)
        assert low < 11 / 7 < high
        assert (found.standardized.value or 0) > 1
        assert found.left_out == ()

    def test_fewer_than_six_blocks_print_no_interval(self):
        found = contrast_conditions(values("a", [5, 7]) + values("b", [4, 5]), "a", "b", seed=1)

        assert found.interval.bounds is None
        assert "fewer than six" in (found.interval.reason or "")

    def test_runs_without_value_or_partner_are_named(self):
        data = values("a", [5, None, 6]) + values("b", [4, 5]) + values("c", [1])
        found = contrast_conditions(data, "a", "b", seed=1)

        assert found.blocks == 1
        assert set(found.left_out) == {"a-m1-2", "a-m1-3", "b-m1-2"}
        assert found.standardized.value is None
        assert found.interval.bounds is None

    def test_levels_of_player_models_do_not_count(self):
        low = values("a", [5, 7], "m1") + values("b", [4, 5], "m1")
        high = values("a", [85, 87], "m2") + values("b", [84, 85], "m2")

        assert contrast_conditions(low + high, "a", "b", seed=1).effect.value == 1.5
        assert contrast_conditions(low + high, "a", "b", seed=1).test.p_value == 2**-4

    def test_no_common_block_is_undefined(self):
        found = contrast_conditions(values("a", [5], "m1") + values("b", [4], "m2"), "a", "b", seed=1)

        assert found.effect.value is None
        assert found.test.p_value is None
        assert found.interval.bounds is None

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (values("a", [5], "m1") + values("b", [4], "m2"), "no block"),
            (values("a", [5]) + values("b", [None]), "no block"),
            (values("a", [None]) + values("b", [None]), "no run of these conditions has such an era judged"),
            (values("c", [5]), "no run of these conditions has such an era judged"),
            ([], "no run of these conditions has such an era judged"),
        ],
    )
    def test_why_there_is_no_contrast_tells_missing_blocks_from_missing_eras(self, data: list[RunValue], said: str):
        found = contrast_conditions(data, "a", "b", seed=1)

        reasons = (found.effect.reason, found.interval.reason, found.test.reason)
        assert all(said in (reason or "") for reason in reasons), reasons

    def test_no_spread_leaves_no_standardized_effect(self):
        found = contrast_conditions(values("a", [5, 5]) + values("b", [4, 4]), "a", "b", seed=1)

        assert found.standardized.reason == "runs do not vary within their conditions"

    def test_means_of_a_condition(self):
        mean, interval = mean_with_interval(values("a", [1, 2, 3, 4, 5, 6, None]))

        assert mean == Measure(3.5, 6)
        # Six runs: mean 3.5, SD 1.871, t(5) = 2.571, so 3.5 +/- 1.963.
        assert interval.bounds == pytest.approx((1.537, 5.463), abs=1e-3)
        assert mean_with_interval(values("a", [2]))[1].bounds is None
        assert mean_with_interval([])[0].value is None

    def test_equivalence_is_on_block_differences(self):
        data = values("a", [5, 15, 26]) + values("b", [5, 16, 25])
        found = equivalence_of_conditions(data, "a", "b", 3.0)

        assert found.n == 3
        assert found.difference == 0


class TestHypotheses:
    def test_h1_compares_slopes_within_blocks(self):
        runs = [judged_run("full", r, rising(1)) for r in range(1, 6)]
        runs += [judged_run("no_playbook", r, FLAT) for r in range(1, 6)]

        assert playbook_raises_slope(runs, seed=1).effect.value == pytest.approx(2.5)
        assert playbook_raises_slope(runs, seed=1).test.p_value == 2**-5
        assert playbook_raises_slope(runs, seed=1, total="mechanical").effect.value == pytest.approx(2.0)

    def test_h2_compares_means(self):
        runs = [judged_run("full", 1, [(7, 6, 5, 6, 0)]), judged_run("single_prompt", 1, [(6, 6, 5, 6, 10)])]

        assert organization_raises_mean(runs, seed=1).effect.value == 2.5
        assert organization_raises_mean(runs, seed=1, total="mechanical").effect.value == -18

    def test_h3_needs_every_condition_to_pass(self):
        leak = {"full": (5, 6, 5, 6, 5, 6), "no_playbook": (6, 6, 5, 5, 5, 6), "no_red_team": (2, 3, 1, 2, 3, 2)}
        runs = [
            judged_run(condition, r, [(6, 6, 6, 6, h)], mode=Mode.FICTIONAL)
            for condition, hs in leak.items()
            for r, h in enumerate(hs, start=1)
        ]
        found = leakage_is_equal(runs, margin=1.5)

        assert set(found.comparisons) == {"no_playbook", "no_red_team"}
        assert (found.comparisons["no_playbook"].p_value or 1) < 0.05
        assert found.p_value.value == found.comparisons["no_red_team"].p_value
        assert (found.p_value.value or 0) > 0.5

    def test_h3_is_undefined_without_fictional_eras_or_spread(self):
        assert leakage_is_equal([judged_run("full", 1, FLAT)], margin=1).p_value.value is None
        flat = [judged_run(c, r, FLAT, mode=Mode.FICTIONAL) for c in ("full", "no_playbook") for r in (1, 2)]

        assert "no_playbook: all blocks differ" in (leakage_is_equal(flat, margin=1).p_value.reason or "")

    def test_h4_takes_the_largest_p(self):
        runs = [judged_run("full", r, [(8, 6, 5 + r % 2, 6, 6)]) for r in range(1, 7)]
        runs += [judged_run("no_playbook", r, [(5 + r % 2, 6, 6 - r % 2, 6, 6)]) for r in range(1, 7)]
        found = gap_is_positive(runs, seed=1)

        assert [gap.condition for gap in found.conditions] == ["full", "no_playbook"]
        assert found.conditions[0].test.p_value == 2**-6
        assert found.p_value.value == found.conditions[1].test.p_value
        assert found.conditions[0].mean.value == pytest.approx(2.5)

    def test_h5_compares_pivots_and_capture(self):
        def run(condition: str, companies: str, distance: LayerDistance) -> JudgedRun:
            eras = tuple(record_era(run=condition, index=i, company=c) for i, c in enumerate(companies, start=1))
            return JudgedRun(condition, condition, 1, "m1", eras, {"E1": distance})

        runs = [run("no_red_team", "abc", LayerDistance.MATCH), run("full", "aab", LayerDistance.NEIGHBOUR)]

        assert removal_raises_pivots(runs, seed=1).effect.value == 0.5
        assert removal_raises_pivots(runs, seed=1, mode=Mode.FICTIONAL).effect.value is None
        assert removal_raises_capture(runs, seed=1).effect.value == 0.5

    @pytest.mark.parametrize("mode", [Mode.FICTIONAL, Mode.POST_CUTOFF])
    def test_h5_is_repeated_where_nothing_can_be_recalled(self, mode: Mode):
        def run(condition: str, companies: str, distance: LayerDistance, kind: Mode) -> JudgedRun:
            eras = tuple(
                record_era(run=condition, index=i, company=c, mode=kind) for i, c in enumerate(companies, start=1)
            )
            return JudgedRun(f"{condition} {kind}", condition, 1, "m1", eras, {"E1": distance}, schedule=kind)

        runs = [
            run("no_red_team", "aab", LayerDistance.MATCH, Mode.TRAINING),
            run("full", "aab", LayerDistance.MATCH, Mode.TRAINING),
            run("no_red_team", "abc", LayerDistance.MATCH, mode),
            run("full", "aab", LayerDistance.MISS, mode),
        ]
        found = judge_hypotheses(runs, margin=1.0, seed=1)
        (repeated,) = found.repeated

        assert repeated.mode is mode
        assert (repeated.pivots.effect.value, repeated.capture.effect.value) == (0.5, 1.0)
        assert repeated.leakage.effect.value == 0.0
        assert found.h5b.effect.value == 0.0

    def test_the_family_is_adjusted_together_with_what_is_undefined(self):
        runs = [judged_run("full", r, rising(1)) for r in range(1, 9)]
        runs += [judged_run("no_playbook", r, FLAT) for r in range(1, 9)]
        runs += [judged_run("full", r, FLAT, mode=Mode.FICTIONAL) for r in range(1, 9)]
        found = judge_hypotheses(runs, margin=1.0, seed=1)

        assert tuple(found.p_values) == FAMILY
        assert found.adjusted["H1"] == pytest.approx(6 * 2**-8)
        assert found.adjusted["H2"] is None
        assert found.adjusted["H4"] == pytest.approx(6 * 2**-8)
        assert found.leakage_beside_h5.effect.value is None
        assert [one.mode for one in found.repeated] == [Mode.FICTIONAL]

    def test_interventions_leave_in_the_sensitivity_analysis(self):
        marked = JudgedRun("x", "full", 1, "m1", (record_era(index=1), record_era(index=2, intervened=True)))
        exposed = judged_run("full", 2, FLAT, intervened=True)
        runs = [marked, exposed]

        assert judge_hypotheses(runs, margin=1.0, seed=1).h4.conditions[0].mean.n == 2
        assert judge_without_interventions(runs, margin=1.0, seed=1).h4.conditions[0].mean.n == 1

    def test_a_left_out_era_leaves_no_transition_across_it(self):
        eras = [record_era(index=1, company="a"), record_era(index=3, company="b"), record_era(index=4, company="b")]

        assert pivot_rate(eras) == Measure(0.0, 1)

    def test_a_study_without_runs_has_nothing_to_test(self):
        assert set(judge_hypotheses([], margin=1.0, seed=1).adjusted.values()) == {None}

    def test_the_auditors_contrast_leaves_playbook_consistency_out(self):
        assert mean_without_playbook([auditor_era(scores=(0, 5, 5, 5, 5)), auditor_era()]) == Measure(55.0, 2)

    def test_values_stand_in_natural_order(self):
        runs = [judged_run("full", 2, FLAT), judged_run("full", 1, FLAT), judged_run("a", 2, FLAT)]

        assert [v.run for v in run_values(runs, slope_of_controlled)] == [
            "full-m1-1-training",
            "a-m1-2-training",
            "full-m1-2-training",
        ]


class TestDetectable:
    def test_more_runs_detect_less(self):
        few, many = smallest_detectable_effect(5, 1.0).value, smallest_detectable_effect(20, 1.0).value

        assert few is not None
        assert many is not None
        assert many < few / 2

    def test_too_few_runs_can_never_reject(self):
        found = smallest_detectable_effect(4, 1.0)

        assert found.value is None
        assert "smallest possible p is 0.0625" in (found.reason or "")

    def test_every_difference_hypothesis_has_its_line(self):
        lines = {line.hypothesis: line for line in detectable_effects(5)}

        assert list(lines) == ["H1", "H2", "H4", "H5a", "H5b"]
        assert lines["H2"].sd == PUBLISHED_SDS["H2"]
        assert lines["H1"].under_holm.value is None
        assert (lines["H4"].alone.value or 9) < (smallest_detectable_effect(5, PUBLISHED_SDS["H4"]).value or 0)
        assert lines["H5b"].alone.reason == "no spread of frontier capture was published"

    def test_five_runs_an_arm_have_almost_no_power_for_h3_at_one_point(self):
        assert (power_of_equivalence(5, 1.0).value or 1) < 0.1
        assert (power_of_equivalence(5, 1.0, correlation=0.9).value or 0) > 0.5
        assert power_of_equivalence(1, 1.0).value is None
