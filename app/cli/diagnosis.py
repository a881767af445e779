"""The looks that `doctor` takes, each a function from the settings to a finding."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import redis

from app.cli.chromium import find_chromium
from app.embedded.binaries import postgres_binaries, valkey_binary
from app.embedded.instance_note import running_instance
from app.embedded.lock_stamp import installed_lock
from app.embedded.ports import is_free
from app.embedded.problems import ServiceProblem
from app.embedded.schema import SchemaState, schema_state
from app.settings import ROOT, Settings

ENOUGH_DISK = 2_000_000_000
OLDEST_PYTHON = (3, 11)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look found; `fine` is None for what only concerns some uses."""

    subject: str
    fine: bool | None
    words: str
    mend: str = ""


def findings(settings: Settings) -> list[Finding]:
    """Take every look, in the order in which one thing needs the other."""
    looks: tuple[Callable[[Settings], Finding], ...] = (
        python, packages, home_folder, disk, postgres, database, broker, web_port, browser
    )  # fmt: skip
    return [look(settings) for look in looks]


def python(_settings: Settings) -> Finding:
    """The running Python."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", sys.version_info >= OLDEST_PYTHON, version, "Install Python 3.11 or newer, delete .venv.")


def packages(_settings: Settings) -> Finding:
    """Whether the environment was installed from the locks of this checkout."""
    installed = installed_lock(ROOT)
    if installed is None:
        return Finding(
            "packages", fine=False, words="not from the lock", mend="Run any ./autolab command, or delete .venv."
        )
    return Finding("packages", fine=True, words=f"installed from {installed}")


def home_folder(settings: Settings) -> Finding:
    """Whether the home folder, or the nearest folder above it, can be written."""
    nearest = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    writable = nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
    words = f"{settings.home} {'can' if writable else 'cannot'} be written"
    return Finding("home folder", writable, words, f"Give {nearest} to your user with chown, or set AUTOLAB_HOME.")


def disk(settings: Settings) -> Finding:
    """Free space where the database grows."""
    nearest = next(folder for folder in (settings.home, *settings.home.parents) if folder.exists())
    free = shutil.disk_usage(nearest).free
    words = f"{free / 1e9:.1f} GB free"
    return Finding("disk", free >= ENOUGH_DISK, words, "Free at least 2 GB, or set AUTOLAB_HOME to a larger disk.")


def postgres(settings: Settings) -> Finding:
    """Whether there is a database to be had: a given one, or the wheel's."""
    if settings.database_url:
        return Finding(
            "services", fine=True, words="given by DATABASE_URL" + ("" if settings.redis_url else "; Valkey embedded")
        )
    try:
        words = f"embedded, from {postgres_binaries().parent.name} and {valkey_binary().name}"
    except ServiceProblem as problem:
        return Finding(
            "services", fine=False, words=str(problem), mend="docs/operations.md says how to bring your own."
        )
    return Finding("services", fine=True, words=words)


def database(settings: Settings) -> Finding:
    """Whether the database answers, and how its schema stands to this checkout."""
    url = settings.database_url or running_variable(settings, "DATABASE_URL")
    if url is None:
        return Finding("database", fine=None, words="not running", mend="./autolab up starts it.")
    try:
        state = schema_state(url)
    except ServiceProblem as problem:
        return Finding("database", fine=False, words=str(problem), mend="Start it, or correct DATABASE_URL.")
    mend = "Update this checkout." if state is SchemaState.NEWER else "Run ./autolab migrate."
    return Finding("database", state is SchemaState.CURRENT, f"reachable, its schema is {state}", mend)


def broker(settings: Settings) -> Finding:
    """Whether Redis or Valkey answers."""
    url = settings.redis_url or running_variable(settings, "REDIS_URL")
    if url is None:
        return Finding("broker", fine=None, words="not running", mend="./autolab up starts it.")
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5) as client:
            client.ping()
    except redis.RedisError as error:
        where = urlsplit(url).hostname
        return Finding("broker", fine=False, words=f"{where}: {error}", mend="Start it, or correct REDIS_URL.")
    return Finding("broker", fine=True, words="reachable")


def web_port(settings: Settings) -> Finding:
    """Whether the web server could listen, or already does."""
    note = running_instance(settings.home)
    if note is not None:
        return Finding("web", fine=True, words=f"running at {note.address}")
    free = is_free(settings.port, settings.host)
    words = f"port {settings.port} on {settings.host} is {'free' if free else 'busy; the next free one will be used'}"
    return Finding("web", True if free else None, words, "Choose another with ./autolab up --port, or stop the other.")


def browser(_settings: Settings) -> Finding:
    """Whether the browser tests find a Chromium."""
    path = find_chromium()
    words = path or "no Chromium found; only ./autolab test needs one"
    return Finding("browser", True if path else None, words, "Install chromium, or set AUTOLAB_CHROMIUM to its path.")


def running_variable(settings: Settings, name: str) -> str | None:
    """An address of the instance that runs in the home folder, if one does."""
    note = running_instance(settings.home)
    return None if note is None else note.variables.get(name)
