"""One command of the command line, imported and run; a foreseen problem is said in its own words."""

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer

from app.embedded.problems import ServiceProblem
from app.settings import SettingsProblem


def run_command(module: str, name: str, words: Sequence[str], *, passes_on: bool = False) -> int:
    """Import the command (a function, or a group of them) and run it with its words, the first of which is its name."""
    try:
        target = getattr(importlib.import_module(module), name)
        as_typer(target, passes_on=passes_on)(words[1:], prog_name=f"autolab {words[0]}")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except (ServiceProblem, SettingsProblem) as problem:
        print(f"autolab: {problem}", file=sys.stderr)
        return 1
    return 0


def as_typer(target: Callable[..., Any] | typer.Typer, *, passes_on: bool = False) -> Callable[..., Any]:
    """A group is run as it is; a function becomes a command of its own, which may pass on options it does not know."""
    if isinstance(target, typer.Typer):
        return target
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    single.command(context_settings={"ignore_unknown_options": passes_on})(target)
    return single
