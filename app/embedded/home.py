"""The folder in which an instance keeps its database, passwords, logs and notes."""

import os
from pathlib import Path


def prepare_home(home: Path) -> Path:
    """Make the folder: closed to others, except that root's servers, which run as nobody in particular, may pass."""
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o711 if os.geteuid() == 0 else 0o700)
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs").chmod(0o700)
    return home
