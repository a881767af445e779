"""`up`: everything on this machine, until Ctrl-C."""

import signal
import socket
from dataclasses import dataclass
from types import FrameType
from typing import Annotated, Self
from urllib.parse import urlsplit

import typer

from app.cli.output import say
from app.cli.sign_in_link import first_link
from app.embedded.instance import Instance, open_instance
from app.embedded.ports import next_free_port
from app.embedded.problems import ServiceProblem
from app.embedded.programs import names_of
from app.embedded.supervisor import Part
from app.embedded.waiting import wait_until
from app.settings import Settings, get_settings, use_variables

START_SECONDS = 60


def up_command(
    port: Annotated[int | None, typer.Option(help="Port of the web server; without it, 8000 or the next free.")] = None,
    host: Annotated[str | None, typer.Option(help="Address the web server listens on.")] = None,
) -> None:
    """Start the services, the web server, the workers and the clock; print the address; stop all with Ctrl-C."""
    get_settings()
    chosen = {"AUTOLAB_PORT": port, "AUTOLAB_HOST": host}
    settings = use_variables({name: str(value) for name, value in chosen.items() if value is not None})
    start_everything(settings, Interrupts.installed())


def start_everything(settings: Settings, interrupts: "Interrupts") -> None:
    """Open an instance, start its programs, say where it is, and watch until a signal."""
    with open_instance(settings, say) as instance:
        choose_port(instance)
        parts = {name: instance.start_program(name) for name in names_of(settings)}
        link = first_link()
        wait_for_web(instance, parts["web"])
        instance.announce()
        interrupts.only_noted = True
        say_where(instance, link)
        instance.supervisor.watch(lambda: interrupts.received)
        say("Stopping.")
    say("Stopped. ./autolab up continues where it was.")


def choose_port(instance: Instance) -> None:
    """Take the port of the settings; when it is busy, the next free one, unless this very one was asked for."""
    settings = instance.settings
    port = next_free_port(settings.port, settings.host)
    if port is None or (port != settings.port and "port" in settings.model_fields_set):
        message = f"Port {settings.port} on {settings.host} is busy or may not be used. Choose another with --port."
        raise ServiceProblem(message)
    if port != settings.port:
        say(f"Port {settings.port} is busy; using {port}.")
    instance.settings = use_variables({"AUTOLAB_PORT": str(port)})


def wait_for_web(instance: Instance, web: Part) -> None:
    """Wait until the web server takes connections, which it does once it is ready."""
    settings = instance.settings
    host = urlsplit(settings.local_address).hostname

    def accepts() -> bool:
        instance.supervisor.tend()
        with socket.socket(socket.AF_INET6 if ":" in str(host) else socket.AF_INET) as probe:
            return probe.connect_ex((host, settings.port)) == 0

    problem = ServiceProblem(f"The web server did not start within {START_SECONDS} seconds; see {web.log}")
    wait_until(accepts, seconds=START_SECONDS, problem=lambda: problem)


def say_where(instance: Instance, link: str) -> None:
    """Print the link to open, and how to stop."""
    say(f"\nOpen  {link}\n")
    say(f"Logs are in {instance.settings.home / 'logs'}. Stop with Ctrl-C.")


@dataclass
class Interrupts:
    """What a signal does: the first one ends the start at once, or later the watch; more of them hurry nothing."""

    received: bool = False
    only_noted: bool = False

    @classmethod
    def installed(cls) -> Self:
        """Take Ctrl-C, SIGTERM and the closing of the terminal."""
        interrupts = cls()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, interrupts.take)
        return interrupts

    def take(self, _signum: int, _frame: FrameType | None) -> None:
        """Note the signal; during the start, raise KeyboardInterrupt the first time."""
        first, self.received = not self.received, True
        if first and not self.only_noted:
            raise KeyboardInterrupt
