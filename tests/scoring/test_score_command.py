"""The command `score`: the published table to the digits printed, and refusals without a traceback."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from app.cli.score import score_command

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "published"

# Protocol section 7, as printed there: run, mean, SD, slope, E1-E3, E4-E6, h, r(T,h), r(T~,h), T~, T*, gap, pivots.
PUBLISHED = (
    "run-001 60.0 6.2 +2.46 55.0 65.0 6.00 -0.58 -0.26 63.7 64.6 2.67 8",
    "run-002 65.0 4.1 +1.43 62.7 67.3 5.17 -0.58 -0.39 64.3 67.5 2.00 8",
    "run-003 62.5 3.6 +1.46 60.3 64.7 5.17 -0.92 -0.64 62.3 65.0 1.50 8",
    "run-004 66.0 5.2 +2.63 61.3 70.7 7.33 -0.38 -0.38 66.0 64.2 1.33 3",
)
FIELDS = (
    "mean",
    "sd",
    "slope",
    "mean_first_half",
    "mean_second_half",
    "mean_hindsight",
    "r_total_hindsight",
    "r_mechanical_hindsight",
    "mean_mechanical",
    "mean_controlled",
    "mean_gap",
    "pivots",
)
COLUMNS = (
    "mean T",
    "SD T",
    "slope T",
    "1st half",
    "2nd half",
    "mean h",
    "r(T,h)",
    "r(T~,h)",
    "mean T~",
    "mean T*",
    "gap",
)
HEADER = (
    "run,era,mode,company,total,frontier_accuracy,timing,layer_choice,reinvention_courage,hindsight_leakage,"
    "playbook_consistency,plausibility,non_consensus,groundedness\n"
)


Score = Callable[..., Result]


@pytest.fixture
def score() -> Score:
    app = typer.Typer()
    app.command()(score_command)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="the published records are not at ../shared/published")
class TestPublished:
    @pytest.fixture
    def shown(self, score: Score):
        return json.loads(score(SHARED / "all_runs_scores.csv", "--json").stdout)

    @pytest.mark.parametrize("line", PUBLISHED, ids=lambda line: line.split()[0])
    def test_every_figure_comes_out_to_the_digits_printed(self, shown: dict[str, Any], line: str):
        run, *figures = line.split()
        found = next(each for each in shown["runs"] if each["run"] == run)

        assert found["n_training"] == 6
        assert found["transitions"] == 8
        for field, figure in zip(FIELDS, figures, strict=True):
            digits = len(figure.partition(".")[2])
            assert found[field] == pytest.approx(float(figure), abs=0.5 * 10**-digits + 1e-12), field

    def test_what_is_pooled_comes_out_to_the_digits_printed(self, shown: dict[str, Any]):
        gaps, totals = shown["gaps"], shown["totals"]

        assert (gaps["n"], gaps["positive"], gaps["mean"]) == (24, 24, 1.875)
        assert gaps["sd"] == pytest.approx(0.80, abs=0.005)
        assert gaps["sign_test_p"] == 2**-24
        assert shown["r_within_runs"] == pytest.approx(-0.58, abs=0.005)
        assert shown["r_pooled"] == pytest.approx(-0.24, abs=0.005)
        assert (totals["n"], totals["min"], totals["max"]) == (36, 52, 72)
        assert totals["mean"] == pytest.approx(62.7, abs=0.05)
        assert totals["sd"] == pytest.approx(5.0, abs=0.05)
        assert "mixes" in totals["label"]
        assert shown["undefined"] == {}

    def test_the_table_shows_the_same_rounded_with_its_warnings(self, score: Score):
        text = score(SHARED / "all_runs_scores.csv").stdout

        names = re.split(r"  +", next(row for row in text.splitlines() if row.startswith("run  ")))
        for line in PUBLISHED:
            run, *figures, pivots = line.split()
            cells = next(row for row in text.splitlines() if row.startswith(run)).split()
            shown = dict(zip(names, cells, strict=False))
            assert [shown[column].lstrip("+") for column in COLUMNS] == [figure.lstrip("+") for figure in figures]
            assert shown["pivots"] == f"{pivots}/8"
        assert "Eras are not independent" in text

    def test_what_has_no_hindsight_in_it_comes_first_and_nothing_is_pooled_over_modes(self, score: Score):
        text = score(SHARED / "all_runs_scores.csv").stdout

        assert text.index("r(T*, h) = -0.63 within runs (24 training eras") < text.index("24 of 24 positive")
        assert text.index("24 of 24 positive") < text.index("r(T, h) = -0.58 within runs")
        assert "T contains h" in text
        assert [re.search(rf"{mode} .*: n = (\d+)", text)[1] for mode in ("Training", "Live", "Forecast")] == [
            "24",
            "4",
            "8",
        ]
        assert "36" not in text


def test_schedules_and_modes_of_our_own_export_are_told_apart(score: Score, tmp_path: Path):
    file = tmp_path / "scores.csv"
    rows = [
        f"{run},E{place},{mode},Alder,,{5 + place},6,5,7,{6 + place % 2},,,,,{schedule}\n"
        for run, mode, schedule in (("a", "training", "history"), ("b", "fictional", "fictional-2-7"))
        for place in (1, 2, 3)
    ]
    file.write_text(HEADER.replace("\n", ",schedule\n") + "".join(rows))

    text = score(file).stdout

    assert "Training eras, one line a run; schedule history" in text
    assert "Fictional eras, one line a run; schedule fictional-2-7" in text
    assert text.count("n = 3") == 2
    assert "n = 6" not in text
    assert "r(T,h)" not in text, "no judge typed a total, so T would be T~ again"
    assert "No era of this mode" in score(file, "--mode", "post_cutoff").stdout

    file.write_text(file.read_text().replace("b,E3,fictional", "a,E4,fictional"))
    assert "a is on schedule 'fictional-2-7' here and on 'history' above" in score(file).stderr


def test_bad_input_is_a_message_on_stderr_and_exit_code_1(score: Score, tmp_path: Path):
    file = tmp_path / "bad.csv"
    file.write_text("era,mode\nE1,training\n")

    result = score(file)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert "bad.csv, line 1: column missing: company" in result.stderr
    assert "Traceback" not in result.stderr


def test_undefined_figures_are_null_with_their_reason(score: Score, tmp_path: Path):
    file = tmp_path / "one.csv"
    file.write_text(HEADER + "a,E1,training,Alder,,7,6,5,7,6,,,,\na,E2,live,Birch,,,,6,,,7,7,5,8\n")

    shown = json.loads(score(file, "--json").stdout)
    text = score(file).stdout

    assert shown["runs"][0]["sd"] is None
    assert "two eras" in shown["undefined"]["a.sd"]
    assert shown["runs"][0]["total_kind"] == "mechanical"
    assert "n/a" in text
    assert "a.sd: " in text
    assert "have no typed total" in text


def test_eras_with_an_intervention_are_named_and_can_be_left_out(score: Score, tmp_path: Path):
    file = tmp_path / "marked.csv"
    rows = ("Alder,,7,6,5,7,6,,,,,no", "Birch,,9,9,9,9,9,,,,,yes", "Cedar,,7,6,5,7,6,,,,,no")
    lines = "".join(f"a,E{place},training,{row}\n" for place, row in enumerate(rows, start=1))
    file.write_text(HEADER.replace("\n", ",intervened\n") + lines)

    kept, left = (json.loads(score(file, "--json", *more).stdout) for more in ((), ("--without-interventions",)))

    assert (kept["runs"][0]["n_training"], left["runs"][0]["n_training"]) == (3, 2)
    assert (kept["runs"][0]["mean_mechanical"], left["runs"][0]["mean_mechanical"]) == (
        pytest.approx(71.33, abs=0.01),
        62,
    )
    assert (kept["runs"][0]["transitions"], left["runs"][0]["transitions"]) == (2, 0)
    assert "1 era with an intervention (a E2) kept; --without-interventions leaves them out." in kept["notes"]
    assert "1 era with an intervention (a E2) left out." in left["notes"]


def test_a_table_without_eras_of_the_mode_still_answers(score: Score, tmp_path: Path):
    file = tmp_path / "forecast.csv"
    file.write_text(HEADER + "a,E8,forecast,Birch,60,,,6,,,7,7,5,8\n")

    result = score(file, "--mode", "fictional", "--json")

    assert json.loads(result.stdout)["gaps"]["n"] == 0
    assert score(file, "--mode", "live").exit_code == 2


def test_the_command_imports_neither_web_nor_storage():
    code = (
        "import sys, app.cli.score; "
        "print([m for m in ('fastapi', 'sqlmodel', 'sqlalchemy', 'celery', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
