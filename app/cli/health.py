"""`health`: one look at a part, for the health checks of containers; says nothing when all is well."""

import urllib.error
import urllib.request
from enum import StrEnum
from typing import Annotated

import typer

from app.cli.diagnosis import broker, database
from app.embedded.problems import ServiceProblem
from app.settings import Settings, get_settings

SECONDS = 5


class PartName(StrEnum):
    """The programs."""

    WEB = "web"
    WORKER = "worker"
    AUDITOR = "auditor"
    BEAT = "beat"


def health_command(part: Annotated[PartName, typer.Argument(help="The part to look at.")]) -> None:
    """Exit with 0 when the part can do its work: its services answer, and the web server serves."""
    settings = get_settings()
    for finding in (database(settings), broker(settings)):
        if finding.fine is not True:
            raise ServiceProblem(f"{finding.subject}: {finding.words}")
    if part is PartName.WEB:
        ask_web(settings)


def ask_web(settings: Settings) -> None:
    """Ask the web server whether it is alive; an answer of 500 and above, or none, is a ServiceProblem."""
    address = f"{settings.local_address}/alive"
    try:
        with urllib.request.urlopen(address, timeout=SECONDS):  # noqa: S310 - our own address, http
            return
    except urllib.error.HTTPError as answer:
        with answer:
            if answer.code >= 500:
                raise ServiceProblem(f"The web server answers {answer.code}.") from None
    except OSError as error:
        raise ServiceProblem(f"The web server does not answer: {error}") from None
