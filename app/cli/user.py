"""`user`: accounts from the command line, for the first person and for one who lost their link."""

from typing import Annotated

import typer

from app.cli.output import say
from app.domain.auth import Role
from app.embedded.instance import reach_services
from app.settings import get_settings

user_commands = typer.Typer(
    help="Add a person, make a sign-in link, or disable an account.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(help="The person's name, as they sign in.")]


@user_commands.command("add")
def add_command(
    name: Name, role: Annotated[Role, typer.Option(help="What the person may do.")] = Role.OPERATOR
) -> None:
    """Add a person and print their sign-in link."""
    with reach_services(get_settings(), say) as settings:
        from app.services.unit_of_work import unit_of_work  # noqa: PLC0415 - needs the addresses just found
        from app.services.users import add_user, create_sign_in_link  # noqa: PLC0415 - as above

        with unit_of_work() as work:
            add_user(work, name=name, role=role)
            path = create_sign_in_link(work, name=name)
        say(f"{name} can sign in as {role} with this link, once:\n{settings.address}{path}")


@user_commands.command("link")
def link_command(name: Name) -> None:
    """Print a new sign-in link for a person."""
    with reach_services(get_settings(), say) as settings:
        from app.services.unit_of_work import unit_of_work  # noqa: PLC0415 - needs the addresses just found
        from app.services.users import create_sign_in_link  # noqa: PLC0415 - as above

        with unit_of_work() as work:
            path = create_sign_in_link(work, name=name)
        say(f"{settings.address}{path}")


@user_commands.command("disable")
def disable_command(name: Name) -> None:
    """Disable an account and end its sessions."""
    with reach_services(get_settings(), say):
        from app.services.unit_of_work import unit_of_work  # noqa: PLC0415 - needs the addresses just found
        from app.services.users import disable_user  # noqa: PLC0415 - as above

        with unit_of_work() as work:
            disable_user(work, name=name)
        say(f"{name} can no longer sign in.")
