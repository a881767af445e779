"""`export`: a study with everything that happened in it, as one zip."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import say
from app.embedded.instance import reach_services
from app.embedded.problems import ServiceProblem
from app.settings import get_settings


def export_command(
    study: Annotated[str, typer.Argument(help="The study: its id, the beginning of it, its name, or `latest`.")],
    file: Annotated[Path, typer.Argument(help="The zip to write; it must not be there yet.")],
) -> None:
    """Write a study's archive: designs, runs, calls, documents, interventions and ledgers, with their hashes."""
    with reach_services(get_settings(), say):
        _write(study, file)


def _write(subject: str, file: Path) -> None:
    from app.services.archives import stream_archive  # noqa: PLC0415 - the database's address is known now
    from app.services.errors import NotFoundError  # noqa: PLC0415 - as above
    from app.services.named_studies import find_or_latest  # noqa: PLC0415 - as above
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above

    try:
        with reading() as look:
            study = find_or_latest(look, subject)
    except NotFoundError as error:
        raise ServiceProblem(f"{error} Give the id in the address of its page, or `latest`.") from None
    unfinished = file.with_name(file.name + ".part")
    try:
        with file.open("xb"), unfinished.open("wb") as out:
            for piece in stream_archive(study.id):
                out.write(piece)
        unfinished.replace(file)
    except FileExistsError:
        raise ServiceProblem(f"{file} is there already. Give another name.") from None
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        file.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ServiceProblem(f"{file} cannot be written: {error.strerror}. Give another place.") from error
        raise
    say(f"Exported {study.design.name} to {file} ({file.stat().st_size / 1e6:.1f} MB).")
