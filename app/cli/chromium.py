"""Finding, or installing, the Chromium that the browser tests drive."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

VARIABLE = "AUTOLAB_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """The path of a Chromium that starts: the one the variable names, one on the path, or Playwright's own."""
    named = os.environ.get(VARIABLE)
    on_path = (shutil.which(name) for name in NAMES)
    candidates = (named, *on_path, str(MAC) if MAC.exists() else None, playwright_chromium())
    return next((path for path in candidates if path and starts(path)), None)


def playwright_chromium() -> str | None:
    """Where Playwright keeps a Chromium that it has downloaded; None when it has not, or is not installed."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only in the development environment
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


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
