"""`doctor`: what is missing on this machine, and how to mend it."""

import typer

from app.cli.diagnosis import Finding, findings
from app.settings import SettingsProblem, get_settings

MARKS = {True: "ok  ", False: "MEND", None: "note"}


def doctor_command() -> None:
    """Look at Python, packages, disk, rights, ports, services, schema and browser; exit with 1 if one needs mending."""
    try:
        found = findings(get_settings())
    except SettingsProblem as problem:
        found = [Finding("settings", fine=False, words=str(problem), mend="Correct the variable and try again.")]
    for finding in found:
        print(f"{MARKS[finding.fine]}  {finding.subject}: {finding.words}")
        if finding.mend and finding.fine is not True:
            print(f"      {finding.mend}")
    raise typer.Exit(int(any(finding.fine is False for finding in found)))
