import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main, test

ROOT = Path(__file__).parents[2]


def autolab(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    given = ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL")
    clean = {name: value for name, value in os.environ.items() if name not in given}
    return subprocess.run(
        [sys.executable, "-m", "app.cli.main", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**clean, **variables},
        timeout=120,
    )


def test_without_a_command_the_commands_are_listed(capsys: pytest.CaptureFixture[str]):
    assert main.main([]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in main.COMMANDS)


def test_an_unknown_command_is_named(capsys: pytest.CaptureFixture[str]):
    assert main.main(["upp"]) == 2
    assert "There is no command 'upp'" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(set(main.COMMANDS)))
def test_each_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]):
    assert main.main([name, "--help"]) == 0
    assert f"autolab {name}" in capsys.readouterr().out


def test_the_command_line_explains_itself_as_a_program_of_its_own():
    ended = autolab("up", "--help")
    assert ended.returncode == 0, ended.stderr
    assert "autolab up" in ended.stdout


def test_an_unknown_option_is_a_wrong_command_line():
    ended = autolab("up", "--nowhere")
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr


def test_the_list_of_commands_is_printed_without_what_commands_need():
    code = "import sys; from app.cli.main import main; main([]); sys.exit('typer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=ROOT).returncode == 0


@pytest.mark.parametrize("name", ["score", "agreement"])
def test_commands_on_files_load_no_service(name: str):
    heavy = ("celery", "sqlmodel", "fastapi", "psycopg", "redis")
    module = main.COMMANDS[name].module
    code = f"import sys, json, app.cli.main, {module}; print(json.dumps([n for n in {heavy} if n in sys.modules]))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert json.loads(ended.stdout) == []


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_a_part_without_a_database_says_what_it_needs(name: str, tmp_path: Path):
    ended = autolab(name, AUTOLAB_HOME=str(tmp_path))
    assert ended.returncode == 1
    assert "is not set" in ended.stderr
    assert "./autolab up" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_unreachable_database_is_named_without_its_password(tmp_path: Path):
    url = "postgresql://me:hunter2@127.0.0.1:1/nowhere"
    ended = autolab("worker", DATABASE_URL=url, REDIS_URL="redis://127.0.0.1:1", AUTOLAB_HOME=str(tmp_path))
    assert ended.returncode == 1
    assert "127.0.0.1:1/nowhere" in ended.stderr
    assert "hunter2" not in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_wrong_setting_is_named():
    ended = autolab("doctor", AUTOLAB_WORKER_THREADS="many")
    assert ended.returncode == 1
    assert "AUTOLAB_WORKER_THREADS" in ended.stdout


def test_options_of_pytest_are_passed_on(monkeypatch: pytest.MonkeyPatch):
    asked: list[list[str]] = []
    monkeypatch.setattr(test, "find_chromium", lambda: "/a/chromium")
    monkeypatch.setattr(test, "step", lambda _name, command: asked.append(command) or 0)
    monkeypatch.setenv(test.VARIABLE, "")
    assert main.main(["test", "tests/x", "-n", "0", "-k", "a or b", "--co"]) == 0
    assert [command[3:] for command in asked] == [["tests/x", "-n", "0", "-k", "a or b", "--co"]]


def test_without_arguments_style_types_and_tests_are_run_and_a_failure_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked: list[str] = []
    monkeypatch.setattr(test, "find_chromium", lambda: None)
    monkeypatch.setattr(test, "install_chromium", lambda: None)
    monkeypatch.setattr(test, "step", lambda name, _command: asked.append(name) or 0)
    monkeypatch.setattr(test, "TYPES", ("types", [sys.executable, "-c", "print('it is no int'); raise SystemExit(1)"]))
    assert main.main(["test"]) == 1
    assert asked == ["style", "tests"]
    said = capsys.readouterr().out
    assert "it is no int\n== types: failed after" in said
    assert "Failed: types" in said
