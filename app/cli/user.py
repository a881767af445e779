"""`user`: accounts from the command line, for the first person and for one who lost their link."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from app.cli.output import say
from app.domain.auth import Role
from app.embedded.instance import reach_services
from app.embedded.problems import ServiceProblem
from app.services.errors import AlreadyThereError, NotFoundError, RefusedError
from app.services.unit_of_work import Work, unit_of_work
from app.services.users import add_user, create_sign_in_link, disable_user, forget_password
from app.settings import get_settings

user_commands = typer.Typer(
    help="Add a person, make a sign-in link, forget a lost password, or disable an account.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(help="The person's name, as they sign in.")]
RoleOption = Annotated[Role, typer.Option(help="What the person may do.")]


@user_commands.command("add")
def add_command(name: Name, role: RoleOption = Role.OPERATOR) -> None:
    """Add a person and print their sign-in link."""
    with work_on_services() as work:
        user = add_user(work, name=name, role=role)
        path = create_sign_in_link(work, name=user.name)
    say(f"{user.name} can sign in as {role}, once, with this link:\n{get_settings().address}{path}")


@user_commands.command("link")
def link_command(name: Name) -> None:
    """Print a new one-time sign-in link for a person."""
    with work_on_services() as work:
        path = create_sign_in_link(work, name=name)
    say(f"{get_settings().address}{path}")


@user_commands.command("forget-password")
def forget_password_command(name: Name) -> None:
    """Take away a password that its owner lost, and print a one-time sign-in link."""
    with work_on_services() as work:
        path = create_sign_in_link(work, name=name)
        forget_password(work, name=name)
    say(f"{get_settings().address}{path}")


@user_commands.command("disable")
def disable_command(name: Name) -> None:
    """Disable an account and end its sessions."""
    with work_on_services() as work:
        disable_user(work, name=name)
    say(f"{name} can no longer sign in.")


@contextmanager
def work_on_services() -> Iterator[Work]:
    """A unit of work on the given, the running or own services; what it refuses is said in a sentence."""
    with reach_services(get_settings(), say):
        try:
            with unit_of_work() as work:
                yield work
        except (AlreadyThereError, NotFoundError, RefusedError) as refusal:
            raise ServiceProblem(str(refusal)) from None
