"""`test`: style, types and every test, as the continuous integration runs them."""

import os
import subprocess
import sys
import time
from typing import Annotated

import typer

from app.cli.chromium import VARIABLE, find_chromium, install_chromium
from app.settings import ROOT

PYTHON = sys.executable
CHECKS = (
    ("style", [PYTHON, "-m", "poethepoet", "-q", "lint"]),
    ("types", [PYTHON, "-m", "poethepoet", "-q", "types"]),
)
PROCESSES = (os.cpu_count() or 1) + 1
"""One more than processors: browser tests wait much of their time."""
COVERAGE = ("--cov", "--cov-report=term")
AGAIN = ("--last-failed", "--last-failed-no-failures", "none", "-n", "0")
"""Live pages are watched against the clock: a test that fails beside others and passes alone is named, not hidden."""


def test_command(
    pytest_arguments: Annotated[
        list[str] | None, typer.Argument(help="Passed on to pytest, which alone runs then.")
    ] = None,  # noqa: PT028 - a command, not a test
) -> None:
    """Check style and types and run every test, with the coverage of the domain; or pytest alone with its arguments."""
    chromium = find_chromium() or install_chromium()
    if chromium is None:
        print("No Chromium could be found or installed: the browser tests will fail. See ./autolab doctor.")
    else:
        os.environ[VARIABLE] = chromium
    if pytest_arguments:
        raise typer.Exit(step("tests", [PYTHON, "-m", "pytest", *pytest_arguments]))
    tests = ("tests", [PYTHON, "-m", "pytest", "-n", str(PROCESSES), *COVERAGE])
    failed = [name for name, command in CHECKS if step(name, command)]
    if step(*tests) and step("tests that failed, once more, alone", [PYTHON, "-m", "pytest", *AGAIN]):
        failed.append("tests")
    print(f"Failed: {', '.join(failed)}" if failed else "All passed.")
    raise typer.Exit(int(bool(failed)))


def step(name: str, command: list[str]) -> int:
    """Run one step and say how long it took; its exit status."""
    print(f"== {name}", flush=True)
    begun = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    print(f"== {name}: {'failed' if status else 'passed'} after {time.monotonic() - begun:.0f} s", flush=True)
    return status
