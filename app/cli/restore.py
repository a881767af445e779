"""`restore`: a backup put into an instance that does not run."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import say
from app.embedded.dumps import require_backup, restore
from app.embedded.instance import reach_services
from app.embedded.instance_note import running_instance
from app.embedded.problems import ServiceProblem
from app.settings import get_settings


def restore_command(
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of what the instance holds.")] = False,
) -> None:
    """Restore a backup into an empty instance, or with --replace into any; all or nothing."""
    settings = get_settings()
    file = file.absolute()
    require_backup(file)
    note = running_instance(settings.home)
    if settings.database_url is None and note is not None:
        raise ServiceProblem(f"Autolab runs at {note.address}. Stop it (Ctrl-C), restore, and start it again.")
    with reach_services(settings, say) as reached:
        restore(reached.owner_url, reached.application_role, file, replace=replace)
    say("Restored. ./autolab up continues where the backup was made.")
