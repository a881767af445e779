"""The command: the report as text, as JSON, and its questions and refusals."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from app.cli.agreement import agreement_command
from tests.agreement.vectors import planted

APP = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
APP.command()(agreement_command)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(APP, [str(argument) for argument in arguments])


@pytest.fixture(name="long_file")
def fixture_long_file(tmp_path: Path) -> Path:
    path = tmp_path / "long.csv"
    lines = ["item,rater,dimension,value,run,occasion,position,inclusion_probability"]
    for name, seed in (("depth", 1), ("candor", 2)):
        for item, row in enumerate(planted(40, seed=seed)):
            lines += [
                f"{item},Rater {letter},{name},{value:g},run {item // 5},1,{item + 1},0.5"
                for letter, value in zip("ABC", row, strict=True)
            ]
    lines += [f"{item},Rater A,depth,{item % 4 + 4},run {item // 5},2,{item + 45},0.5" for item in range(8)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def as_json(*arguments: object) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_json_of_a_long_file(long_file: Path):
    found = as_json(long_file, "--scale", 0, 10, "--cluster", "run")
    assert found["layout"] == "long"
    assert list(found["dimensions"]) == ["depth", "candor"]
    depth = found["dimensions"]["depth"]
    assert (depth["n_items"], depth["n_raters"], depth["n_pairable"], depth["clusters"]) == (40, 3, 40, 8)
    assert depth["statistics"]["alpha_interval"]["method"] == "delete-one-run jackknife, Fisher z, t(7)"
    assert set(depth["drift"]) == {"Rater A", "Rater B", "Rater C"}
    assert set(depth["intra_rater"]) == {"Rater A", "all raters"}
    assert depth["population"]["alpha_interval"]["value"] == pytest.approx(
        depth["statistics"]["alpha_interval"]["value"]
    )
    assert found["dimensions"]["candor"]["intra_rater"] == {}


def test_text_of_a_long_file(long_file: Path):
    text = run(long_file, "--scale", 0, 10, "--cluster", "run").stdout
    for words in (
        "Read as long",
        "depth: 40 items, 3 raters",
        "G = 8 runs",
        "Headline: alpha (interval)",
        "by its lower limit",
        "Severity in points",
        "Drift in points",
        "Repeats: Rater A",
        "Weighted to the population",
        "On a coarser scale",
        "item bootstrap",
        "Rater A and Rater B",
    ):
        assert words in text
    assert "by its lower limit" not in run(long_file, "--no-bands").stdout


def test_one_unnamed_dimension_is_called_value(tmp_path: Path):
    path = tmp_path / "wide.csv"
    np.savetxt(path, planted(30), fmt="%d", delimiter=",", header="A,B,C", comments="")
    found = as_json(path, "--level", "ordinal", "--resamples", 0)
    assert found["headline"] == "alpha_ordinal"
    assert list(found["dimensions"]) == ["value"]
    assert found["dimensions"]["value"]["population"] is None
    assert run(path, "--resamples", 0).exit_code == 0


def test_words_are_compared_as_names(tmp_path: Path):
    path = tmp_path / "words.csv"
    path.write_text("item,A,B\n" + "".join(f"{n},{'yes' if n % 3 else 'no'},yes\n" for n in range(12)))
    text = run(path).stdout
    assert "Categories: no, yes." in text
    assert "undefined: the values are names, not numbers" in text
    assert "Headline: alpha (nominal)" in text


def test_undefined_values_have_their_reason_in_the_text(tmp_path: Path):
    path = tmp_path / "flat.csv"
    path.write_text("item,A,B\n" + "".join(f"{n},7,7\n" for n in range(8)))
    text = run(path).stdout
    assert "Headline: alpha (interval) undefined" in text
    assert "undefined: no variation: every rating is the same" in text


def test_a_table_on_its_side_is_asked_about(tmp_path: Path):
    path = tmp_path / "turned.csv"
    np.savetxt(path, planted(30).T, fmt="%d", delimiter=",")
    refused = run(path)
    assert refused.exit_code == 1
    assert "--items columns" in refused.stderr
    assert as_json(path, "--items", "columns", "--resamples", 0)["dimensions"]["value"]["n_items"] == 30
    assert as_json(path, "--items", "rows", "--resamples", 0)["dimensions"]["value"]["n_items"] == 3


@pytest.mark.parametrize(("answer", "items"), [(True, 30), (False, 3)])
def test_a_person_may_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool, items: int):
    path = tmp_path / "turned.csv"
    np.savetxt(path, planted(30).T, fmt="%d", delimiter=",")
    monkeypatch.setattr("app.cli.agreement.someone_answers", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: answer)
    assert as_json(path, "--resamples", 0)["dimensions"]["value"]["n_items"] == items


def test_a_bad_file_is_a_message_and_no_traceback(tmp_path: Path):
    path = tmp_path / "bad.csv"
    path.write_text("item,A,B\n1,3,12\n")
    result = run(path, "--scale", 0, 10)
    assert result.exit_code == 1
    assert f"{path}: line 2: 12 lies outside the scale 0 to 10. To mend it: " in result.stderr
    assert run(path, "--scale", 10, 0).exit_code == 2


def test_nothing_of_the_web_or_the_database_is_imported():
    script = (
        "import app.cli.agreement, sys; print([m for m in ('fastapi', 'sqlmodel', 'statsmodels') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
