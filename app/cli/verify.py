"""`verify`: a run's or a study's ledger, texts, hashes and sums held against each other."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import say
from app.domain.wording import counted, of_number
from app.embedded.instance import reach_services
from app.embedded.problems import ServiceProblem
from app.settings import get_settings

if TYPE_CHECKING:
    from app.services.verification import RunVerdict


def verify_command(
    subject: Annotated[
        str, typer.Argument(help="A run's id, or a study: its id, the beginning of it, its name, or `latest`.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")] = False,
) -> None:
    """Compute every hash and sum of a run anew and name the first event that does not fit; 0 sound, 1 not."""
    from app.services.errors import NotFoundError  # noqa: PLC0415 - the database's address is known only later
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above
    from app.services.verification import verify_runs  # noqa: PLC0415 - as above

    with reach_services(get_settings(), _say_nothing if as_json else say):
        try:
            with reading(one_moment=True) as look:
                verdicts = verify_runs(look, subject)
        except NotFoundError as error:
            raise ServiceProblem(f"{error} Give the id in the address of its page, or `latest`.") from None
    if as_json:
        print(json.dumps([_as_object(verdict) for verdict in verdicts], indent=2, ensure_ascii=False))
    else:
        for line in _lines(verdicts):
            print(line)
    raise typer.Exit(int(not all(verdict.is_sound for verdict in verdicts)))


def _say_nothing(_: str) -> None:
    """JSON stands alone on standard output."""


def _as_object(verdict: "RunVerdict") -> dict[str, object]:
    return {**asdict(verdict), "run_id": str(verdict.run_id), "is_sound": verdict.is_sound}


def _lines(verdicts: "tuple[RunVerdict, ...]") -> list[str]:
    lines = []
    for verdict in verdicts:
        kept = ", ".join(counted(getattr(verdict, f"{noun}s"), noun) for noun in ("event", "call", "document"))
        kept += f", {verdict.redacted} redacted" if verdict.redacted else ""
        kept += f", {counted(verdict.interventions, 'intervention')}" if verdict.interventions else ""
        word = "sound" if verdict.is_sound else "DOES NOT FIT"
        lines.append(f"{word}  {verdict.name} ({verdict.player}, {verdict.state}): {kept}; head {verdict.head}")
        lines.extend(f"    {problem}" for problem in verdict.problems)
        lines.extend(f"    note: {note}" for note in verdict.notes)
    unsound = sum(not verdict.is_sound for verdict in verdicts)
    lines.append(
        f"{len(verdicts) - unsound} of {counted(len(verdicts), 'run')} {of_number(len(verdicts), 'is', 'are')} sound."
    )
    return lines
