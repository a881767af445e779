"""The bootstrap script, without its downloads."""

import hashlib
import importlib.util
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def autolab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, on a project folder of its own."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = SourceFileLoader("autolab_bootstrap", str(ROOT / "autolab"))
    spec = importlib.util.spec_from_loader("autolab_bootstrap", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    venv = tmp_path / ".venv"
    for name, path in (
        ("ROOT", tmp_path),
        ("VENV", venv),
        ("PYTHON", venv / "bin" / "python"),
        ("STAMP", venv / "stamp"),
    ):
        monkeypatch.setattr(module, name, path)
    for name in module.LOCKS.values():
        (tmp_path / name).write_text(name, encoding="ascii")
    venv.mkdir()
    return module


def stamp(autolab: ModuleType, name: str) -> None:
    digest = hashlib.sha256(name.encode()).hexdigest()
    autolab.STAMP.write_text(f"{name} {digest}", encoding="ascii")


def test_the_larger_lock_contains_the_smaller():
    def pins(name: str) -> set[str]:
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        return {line.split(" ")[0] for line in lines if line and not line.startswith((" ", "#"))}

    assert pins("requirements.lock") <= pins("requirements-dev.lock")


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_verifies_hashes_and_names_no_index(name: str):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "--hash=sha256:" in text
    assert not [word for word in ("http://", "https://", "--index", "--extra", "file:") if word in text]


def test_only_an_environment_from_this_very_lock_is_enough(autolab: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(autolab, "works", lambda: True)
    assert not autolab.installed("requirements.lock")
    stamp(autolab, "requirements.lock")
    assert autolab.installed("requirements.lock")
    assert not autolab.installed("requirements-dev.lock")
    stamp(autolab, "requirements-dev.lock")
    assert autolab.installed("requirements.lock")
    (autolab.ROOT / "requirements-dev.lock").write_text("newer", encoding="ascii")
    assert not autolab.installed("requirements.lock")


def test_an_environment_whose_python_is_gone_is_not_enough(autolab: ModuleType):
    stamp(autolab, "requirements.lock")
    assert not autolab.installed("requirements.lock")


def test_pip_is_tried_when_uv_cannot_install(autolab: ModuleType, monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def succeeds(command: list[object]) -> bool:
        asked.append(" ".join(map(str, command)).replace(str(autolab.ROOT), ""))
        autolab.VENV.mkdir(exist_ok=True)
        return "/bin/uv" not in asked[-1]

    monkeypatch.setattr(autolab, "succeeds", succeeds)
    monkeypatch.setattr(autolab, "works", lambda: False)
    autolab.install("requirements.lock")
    assert [word in line for word, line in zip(["venv", "uv==", "/bin/uv", "-m pip"], asked, strict=True)] == [True] * 4
    assert all("--require-hashes" in line for line in asked[2:])
    assert autolab.STAMP.exists()


def test_a_failed_installation_is_said_and_tried_again_next_time(
    autolab: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(autolab, "succeeds", lambda _command: False)
    monkeypatch.setattr(autolab, "works", lambda: True)
    stamp(autolab, "requirements.lock")
    with pytest.raises(SystemExit):
        autolab.install("requirements.lock")
    assert "could not be installed" in capsys.readouterr().err
    assert not autolab.STAMP.exists()


def test_a_python_that_is_too_old_is_named(
    autolab: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(autolab.shutil, "which", lambda _name: None)
    with pytest.raises(SystemExit):
        autolab.main()
    assert "Python 3.11 or newer is needed; this is 3.9" in capsys.readouterr().err


def test_the_ci_calls_the_readmes_test_command():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines == ["#!/bin/sh", "set -e", "exec ./autolab test"]
    assert "./autolab test" in (ROOT / "README.md").read_text(encoding="utf-8")
    tracked = subprocess.run(
        ["git", "ls-files", "-s", ".ci/run", "autolab"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert all(line.startswith("100755") for line in tracked.stdout.splitlines())


def test_what_python_compiles_is_kept_aside_where_none_may_stand_beside_sources(
    autolab: ModuleType, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    autolab.keep_bytecode()
    command = [sys.executable, "-c", "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.split() == ["False", str(autolab.ROOT / ".autolab" / "bytecode")]
    monkeypatch.delenv("PYTHONPYCACHEPREFIX")
    autolab.keep_bytecode()
    assert "PYTHONPYCACHEPREFIX" not in os.environ
