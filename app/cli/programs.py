"""Running one program in place of this process, on services that are given or that `up` has started here."""

import os
from collections.abc import Sequence

from app.embedded.home import prepare_home
from app.embedded.instance_note import running_instance
from app.embedded.ports import is_free
from app.embedded.problems import ServiceProblem
from app.embedded.programs import command_of, worker_command
from app.embedded.schema import SchemaState, newer_message, schema_state
from app.jobs import Queue
from app.settings import ROOT, Settings, get_settings, part_environment, use_variables


def become(name: str, queues: Sequence[Queue] = ()) -> None:
    """Become `web`, `beat` or a worker that takes from queues, after a look at the schema; does not return.

    Raises ServiceProblem when there is no database, or its schema is not that of this checkout.
    """
    settings = with_services(get_settings())
    settings.needed_redis_url()
    refuse_other_schema(settings.needed_database_url())
    if name == "web" and not is_free(settings.port, settings.host):
        raise ServiceProblem(f"Port {settings.port} on {settings.host} is busy. Set AUTOLAB_PORT to another.")
    if name == "beat":
        prepare_home(settings.home)
    command = worker_command(settings, queues) if queues else command_of(name, settings)
    os.chdir(ROOT)
    os.execve(command[0], command, part_environment({"PYTHONUNBUFFERED": "1"}))  # noqa: S606 - our own command line


def with_services(settings: Settings) -> Settings:
    """The settings, with the addresses of an instance that runs in this folder where none are given."""
    note = running_instance(settings.home)
    if settings.database_url is not None or note is None:
        return settings
    return use_variables({name: note.variables[name] for name in ("DATABASE_URL", "REDIS_URL")})


def refuse_other_schema(url: str) -> None:
    """Say what to do when the schema is older or newer than this checkout."""
    state = schema_state(url)
    if state is SchemaState.NEWER:
        raise ServiceProblem(newer_message())
    if state is not SchemaState.CURRENT:
        raise ServiceProblem("The database's schema is older than this checkout. Run ./autolab migrate first.")
