"""`delete`: a rehearsal study with all that happened in it, taken out of the instance."""

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import say
from app.domain.wording import counted
from app.embedded.deletion import delete_study
from app.embedded.instance import reach_services
from app.embedded.problems import ServiceProblem
from app.settings import get_settings

if TYPE_CHECKING:
    from app.storage.studies import Study


def delete_command(
    study: Annotated[str, typer.Argument(help="The rehearsal study: its id, the beginning of it, or its name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; it cannot be brought back.")] = False,
) -> None:
    """Delete a rehearsal study that has ended; any other study is kept for ever."""
    with reach_services(get_settings(), say) as reached:
        found = _found(study)
        if not yes:
            typer.confirm(f"Delete {found.design.name} ({found.id}) for ever?", abort=True)
        runs = delete_study(reached.owner_url, found.id)
    say(f"Deleted {found.design.name}: {counted(runs, 'run')}, with documents, calls and ledgers.")


def _found(subject: str) -> "Study":
    from app.services.errors import NotFoundError  # noqa: PLC0415 - the database's address is known now
    from app.services.named_studies import find_study  # noqa: PLC0415 - as above
    from app.services.unit_of_work import reading  # noqa: PLC0415 - as above

    try:
        with reading() as look:
            return find_study(look, subject)
    except NotFoundError as error:
        raise ServiceProblem(f"{error} Give its id as its page's address has it.") from None
