"""`test`: style, types and every test, as the continuous integration runs them."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated

import typer

from app.cli.chromium import VARIABLE, find_chromium, install_chromium
from app.settings import ROOT

PYTHON = sys.executable
STYLE = ("style", [PYTHON, "-m", "poethepoet", "-q", "lint"])
TYPES = ("types", [PYTHON, "-m", "poethepoet", "-q", "types"])
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
    failed = ["style"] if step(*STYLE) else []
    print("== types: checked beside the tests, told after them", flush=True)
    with ThreadPoolExecutor(1) as beside:
        types = beside.submit(run, TYPES[1])
        if step(*tests) and step("tests that failed, once more, alone", [PYTHON, "-m", "pytest", *AGAIN]):
            failed.append("tests")
    if tell("types", types.result()):
        failed.append("types")
    print(f"Failed: {', '.join(failed)}" if failed else "All passed.")
    raise typer.Exit(int(bool(failed)))


@dataclass(frozen=True)
class Ended:
    """How a program ended: its exit status, the seconds it took, and what it said if that was kept."""

    status: int
    seconds: float
    said: str = ""


def step(name: str, command: list[str]) -> int:
    """Run one step and say how long it took; its exit status."""
    print(f"== {name}", flush=True)
    return tell(name, run(command, keep=False))


def run(command: list[str], *, keep: bool = True) -> Ended:
    """Run a program to its end; keep what it says, or let it speak."""
    begun = time.monotonic()
    out, err = (subprocess.PIPE, subprocess.STDOUT) if keep else (None, None)
    ended = subprocess.run(command, cwd=ROOT, check=False, text=True, stdout=out, stderr=err)
    return Ended(ended.returncode, time.monotonic() - begun, ended.stdout or "")


def tell(name: str, ended: Ended) -> int:
    """Print how a step ended, after what was kept of its words; its exit status."""
    how = "failed" if ended.status else "passed"
    print(f"{ended.said}== {name}: {how} after {ended.seconds:.0f} s", flush=True)
    return ended.status
