"""Finding, or installing, the Chromium that the browser tests drive."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "AUTOLAB_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
_ASKS = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """The path of a Chromium that starts: the one the variable names, one on the path, or Playwright's own."""
    return next((path for path in _candidates() if path and starts(path)), None)


def _candidates() -> Iterator[str | None]:
    yield os.environ.get(VARIABLE)
    yield from (shutil.which(name) for name in NAMES)
    yield str(MAC) if MAC.exists() else None
    yield playwright_chromium()


def playwright_chromium() -> str | None:
    """Where Playwright keeps a Chromium that it has downloaded; None when it has not, or is not installed."""
    if find_spec("playwright") is None:
        return None
    # asked in a process of its own: Playwright refuses to start in a thread that runs an event loop
    asked = subprocess.run([sys.executable, "-c", _ASKS], capture_output=True, check=False, text=True, timeout=60)
    path = asked.stdout.strip()
    return path if path and Path(path).exists() else None


def starts(path: str) -> bool:
    """Whether the browser can say its version."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, check=False, timeout=30).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def install_chromium() -> str | None:
    """Install a Chromium, by Playwright or (as root, on Debian) by apt; its path, or None if neither could."""
    for command in installers():
        print(f"Installing a Chromium: {' '.join(command)}", flush=True)
        subprocess.run(command, check=False, timeout=900)
        if found := find_chromium():
            return found
    return None


def installers() -> list[list[str]]:
    """The commands that may install one here, in the order of preference."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        commands += [["apt-get", "update"], ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]]
    return commands
