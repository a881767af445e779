"""`import`: a study's archive put into this instance."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import say
from app.domain.wording import counted
from app.embedded.instance import reach_services
from app.embedded.problems import ServiceProblem
from app.settings import get_settings


def import_command(
    file: Annotated[Path, typer.Argument(help="The zip that `export` or a study's Exports page wrote.")],
) -> None:
    """Check an archive, put its study into this instance and verify its ledgers; all of it or nothing."""
    with reach_services(get_settings(), say):
        _put(file)


def _put(file: Path) -> None:
    from app.imports.archive import ArchiveError  # noqa: PLC0415 - the database's address is known only now
    from app.services.archives import import_archive  # noqa: PLC0415 - as above
    from app.services.unit_of_work import unit_of_work  # noqa: PLC0415 - as above

    try:
        with unit_of_work() as work:
            done = import_archive(work, file)
    except ArchiveError as error:
        raise ServiceProblem(str(error)) from None
    where = f"{get_settings().address}/studies/{done.study_id}"
    panels = f", with {counted(done.panels, 'rating panel')}" if done.panels else ""
    if done.was_there:
        added = f"Added: {counted(done.panels, 'rating panel')}" if done.panels else "Nothing was changed"
        say(f"{done.name} is here already, the same to the last event. {added}: {where}")
    else:
        say(f"Imported {done.name}: {counted(done.runs, 'run')}{panels}, ledgers verified, at {where}")
    if done.paused:
        say(f"{done.paused} of its runs were under way. They are paused here; resume them on their pages.")
    if done.paused_panels:
        say(f"{done.paused_panels} of its panels were open. They are paused here; raters need new invitations.")
