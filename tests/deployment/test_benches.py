"""Every benchmark can be started: what it imports is there. What runs in the rivals' environments is compiled only."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "bench"
ELSEWHERE = {"agreement_rivals", "inspect_chain"}
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_started(name: str, monkeypatch: pytest.MonkeyPatch):
    if name in ELSEWHERE:
        compile((FOLDER / f"{name}.py").read_text(encoding="utf-8"), name, "exec")
    else:
        monkeypatch.setattr(sys, "argv", [name])
        assert importlib.import_module(f"bench.{name}").__doc__
