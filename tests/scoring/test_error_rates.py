"""Error rates and power of H1, H3 and H4 over 1,000 simulated studies each, against theory."""

import numpy as np
import pytest

from app.domain.inference.permutation import flip_signs
from app.domain.inference.power import equivalence_power, flip_power
from app.domain.protocol.eras import Mode
from app.domain.scoring.contrasts import contrast_conditions, equivalence_of_conditions
from app.domain.scoring.hypotheses import gap_is_positive, leakage_is_equal, playbook_raises_slope
from app.domain.scoring.measures import Measure
from app.domain.scoring.run_values import JudgedRun, RunValue
from tests.scoring.eras import judged_run

pytestmark = pytest.mark.untraced

STUDIES = 1_000
BLOCKS = [(replicate, player) for replicate in range(1, 6) for player in ("m1", "m2")]


def rejections(p_values: list[float | None]) -> float:
    """Share of studies with p at or below 0.05; an undefined p is no rejection."""
    return float(np.mean([p is not None and p <= 0.05 for p in p_values]))


def study_of_runs(generator: np.random.Generator, conditions: tuple[str, ...], mode: Mode) -> list[JudgedRun]:
    """Integer subscores of six eras a run, with a level of its own for every player model."""
    runs = []
    for condition in conditions:
        for replicate, player in BLOCKS:
            level = 6 if player == "m1" else 4
            scores = np.clip(generator.integers(-2, 3, size=(6, 5)) + level, 0, 10)
            runs.append(judged_run(condition, replicate, scores.tolist(), player=player, mode=mode))
    return runs


def study_of_values(generator: np.random.Generator, effect: float) -> list[RunValue]:
    """One normal number a run: block levels shared by the two conditions, SD 1 between runs within blocks."""
    values = []
    for replicate, player in BLOCKS:
        level = generator.normal(0, 2)
        for condition, shift in (("full", effect), ("no_playbook", 0.0)):
            number = level + shift + generator.normal()
            values.append(RunValue(f"{condition}{replicate}{player}", condition, replicate, player, Measure(number, 1)))
    return values


def test_h1_rejects_in_five_percent_of_studies_without_effect():
    generator = np.random.default_rng(20260901)
    studies = (study_of_runs(generator, ("full", "no_playbook"), Mode.TRAINING) for _ in range(STUDIES))
    found = [playbook_raises_slope(study, seed=1).test.p_value for study in studies]

    assert rejections(found) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("effect", [0.8, 1.2])
def test_h1_finds_a_planted_effect_as_often_as_theory_says(effect: float):
    generator = np.random.default_rng(20260902)
    studies = (study_of_values(generator, effect) for _ in range(STUDIES))
    found = [contrast_conditions(study, "full", "no_playbook", seed=1).test.p_value for study in studies]

    assert rejections(found) == pytest.approx(flip_power(10, effect, 2**0.5), abs=0.03)


def test_h3_errs_in_five_percent_of_studies_at_the_margin():
    generator = np.random.default_rng(20260903)
    studies = (study_of_values(generator, 2.0) for _ in range(STUDIES))
    found = [equivalence_of_conditions(study, "full", "no_playbook", 2.0).p_value for study in studies]

    assert rejections(found) == pytest.approx(0.05, abs=0.02)


def test_h3_passes_equal_conditions_as_often_as_theory_says():
    generator = np.random.default_rng(20260904)
    studies = (study_of_values(generator, 0.0) for _ in range(STUDIES))
    found = [equivalence_of_conditions(study, "full", "no_playbook", 1.5).p_value for study in studies]

    assert rejections(found) == pytest.approx(equivalence_power(10, 2**0.5, 1.5), abs=0.03)


def test_h3_on_judged_runs_keeps_its_error_when_one_condition_lies_at_the_margin():
    generator = np.random.default_rng(20260905)
    conditions = ("full", "no_playbook", "no_red_team")
    studies = (shifted(study_of_runs(generator, conditions, Mode.FICTIONAL), 1) for _ in range(STUDIES))
    found = [leakage_is_equal(study, margin=1.0).p_value.value for study in studies]

    assert rejections(found) == pytest.approx(0.05, abs=0.02)


def shifted(runs: list[JudgedRun], points: int) -> list[JudgedRun]:
    """The runs with `points` more hindsight in no_red_team; scores stay within 0-10 by construction."""
    moved = []
    for run in runs:
        scores = [tuple(era.subscores.values()) for era in run.eras]
        if run.condition == "no_red_team":
            scores = [(*each[:4], each[4] + points) for each in scores]
        moved.append(judged_run(run.condition, run.replicate, scores, player=run.player, mode=Mode.FICTIONAL))
    return moved


def test_h4_errs_in_five_percent_of_studies_when_one_condition_has_no_gap():
    generator = np.random.default_rng(20260906)
    found = []
    for _ in range(STUDIES):
        runs = study_of_runs(generator, ("full",), Mode.TRAINING)
        runs += [judged_run("no_playbook", r, [(8, 6, 5 - r % 2, 6, 6)], player=player) for r, player in BLOCKS]
        found.append(gap_is_positive(runs, seed=1).p_value.value)

    assert rejections(found) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("gap", [0.5, 0.8])
def test_h4_finds_a_gap_as_often_as_theory_says(gap: float):
    generator = np.random.default_rng(20260907)
    found = [flip_signs(list(generator.normal(gap, 1.0, size=10)), seed=1).p_value for _ in range(STUDIES)]

    assert rejections(found) == pytest.approx(flip_power(10, gap, 1.0), abs=0.03)
