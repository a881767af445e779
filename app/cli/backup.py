"""`backup`: everything an instance holds, in one file, while it runs."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import say
from app.embedded.dumps import dump
from app.embedded.instance import reach_services
from app.settings import get_settings

MEBIBYTE = 1024 * 1024


def backup_command(file: Annotated[Path, typer.Argument(help="The file to write; it must not exist yet.")]) -> None:
    """Write studies, runs, ledgers, panels and accounts, as of this moment, into a file that `restore` reads."""
    with reach_services(get_settings(), say) as settings:
        size = dump(settings.owner_url, file.absolute())
    say(f"Backed up into {file}, {size / MEBIBYTE:.1f} MiB. Passwords of services and keys of providers are not in it.")
