"""The random passwords of the embedded services, kept in one file that only its owner reads."""

import json
import os
import secrets
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from app.embedded.problems import ServiceProblem

PASSWORD_BYTES = 24


@dataclass(frozen=True, slots=True)
class Passwords:
    """One password per role: the superuser, the owner of the schema, the application, and the broker."""

    superuser: str
    owner: str
    application: str
    broker: str


def load_passwords(home: Path) -> Passwords:
    """Read `home/passwords.json`, making it (mode 0600) on the first start.

    Raises ServiceProblem when the file is damaged: new passwords would not open the existing database.
    """
    path = home / "passwords.json"
    if path.exists():
        return read_passwords(path)
    passwords = Passwords(*(secrets.token_urlsafe(PASSWORD_BYTES) for _ in fields(Passwords)))
    write_private(path, json.dumps(asdict(passwords)))
    return passwords


def read_passwords(path: Path) -> Passwords:
    """Read the file; a damaged one is named in a ServiceProblem."""
    try:
        return Passwords(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as damage:
        message = f"{path} is damaged. Restore it from a backup, or move its folder away to begin anew."
        raise ServiceProblem(message) from damage
    except PermissionError as refusal:
        message = f"{path} belongs to another user. Run as that user, or give the folder to yourself with chown -R."
        raise ServiceProblem(message) from refusal


def write_private(path: Path, text: str) -> None:
    """Replace a file in one step; it is never readable by others, nor half written."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
