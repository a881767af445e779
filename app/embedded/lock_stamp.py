"""From which lock file the environment was installed; the bootstrap script `autolab` writes the stamp."""

import hashlib
from pathlib import Path

STAMP = "autolab-lock"


def installed_lock(root: Path) -> str | None:
    """The name of the lock the environment was installed from; None if the lock has changed since."""
    try:
        name, digest = (root / ".venv" / STAMP).read_text(encoding="ascii").split()
        present = hashlib.sha256((root / name).read_bytes()).hexdigest()
    except (OSError, ValueError):
        return None
    return name if digest == present else None
