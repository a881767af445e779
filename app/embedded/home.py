"""The folder in which an instance keeps its database, passwords, logs and notes."""

import os
from pathlib import Path

from app.embedded.problems import ServiceProblem


def prepare_home(home: Path) -> Path:
    """Make the folder: closed to others, except that root's PostgreSQL, which runs without rights, may pass.

    Raises ServiceProblem when the folder cannot be made or belongs to somebody else.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        home.chmod(0o711 if os.geteuid() == 0 else 0o700)
        for name in ("logs", "beat"):
            (home / name).mkdir(exist_ok=True)
            (home / name).chmod(0o700)
    except OSError as error:
        message = (
            f"The folder {home} cannot be used: {error.strerror}. If it was made by another user (root, say), "
            "run as that user or give it to yours with chown -R; or set AUTOLAB_HOME to another folder."
        )
        raise ServiceProblem(message) from None
    return home
