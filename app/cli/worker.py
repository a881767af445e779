"""`worker`: one worker, on services that are given or that `up` has started here."""

from typing import Annotated

import typer

from app.cli.programs import become
from app.jobs import Queue


def worker_command(
    only: Annotated[Queue | None, typer.Option(help="Take only these jobs; without it, all of them.")] = None,
) -> None:
    """Run one worker; DATABASE_URL and REDIS_URL say where its services are.

    Many runs at once go faster with workers for steps and one for audits, each in a process of its own.
    """
    become("worker", tuple(Queue) if only is None else (only,))
