"""The schema of the database: its state against the migrations of this checkout, and bringing it up to date."""

from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.exc import ProgrammingError

from app.embedded.problems import ServiceProblem
from app.embedded.roles import grant_rows, keep_revision

MIGRATIONS = Path(__file__).parents[2] / "migrations"


class SchemaState(StrEnum):
    """How the database stands to the migrations of this checkout."""

    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"


def upgrade_schema(owner_url: str, application_role: str | None = None) -> None:
    """Bring the database to the newest migration, as its owner; the application's role gets the rows of new tables.

    `migrations/env.py` finds the address as the configuration's `sqlalchemy.url` and the role as its attribute
    `application_role`. Raises ServiceProblem when the database was migrated by a newer version of the software.
    """
    if schema_state(owner_url) is SchemaState.NEWER:
        raise ServiceProblem(newer_message())
    try:
        if application_role is not None:
            with connect(owner_url) as connection:
                grant_rows(connection, application_role)
        command.upgrade(configuration(owner_url, application_role), "head")
        if application_role is not None:
            with connect(owner_url) as connection:
                keep_revision(connection, application_role)
    except (psycopg.errors.InsufficientPrivilege, ProgrammingError) as refusal:
        reason = str(getattr(refusal, "orig", refusal)).strip()
        message = f"The database refused to be migrated: {reason}. MIGRATION_DATABASE_URL must be the owner's role."
        raise ServiceProblem(message) from refusal


def schema_state(url: str) -> SchemaState:
    """Compare the revision in the database with those in `migrations/versions`."""
    revision = current_revision(url)
    if revision is None:
        return SchemaState.EMPTY
    scripts = ScriptDirectory.from_config(configuration(url))
    if revision in scripts.get_heads():
        return SchemaState.CURRENT
    known = {script.revision for script in scripts.walk_revisions()}
    return SchemaState.OLDER if revision in known else SchemaState.NEWER


def current_revision(url: str) -> str | None:
    """The revision the database is at; None before the first migration."""
    with connect(url) as connection:
        found = connection.execute("SELECT to_regclass('public.alembic_version')").fetchone()
        if found is None or found[0] is None:
            return None
        row = connection.execute("SELECT version_num FROM public.alembic_version").fetchone()
        return None if row is None else str(row[0])


def connect(url: str) -> psycopg.Connection:
    """A connection that commits each statement; ServiceProblem, without the password, when there is none to be had."""
    try:
        return psycopg.connect(plain_url(url), autocommit=True, connect_timeout=10)
    except psycopg.Error as error:
        parts = urlsplit(plain_url(url))
        where = f"{parts.hostname}:{parts.port or 5432}{parts.path}"
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise ServiceProblem(f"The database at {where} cannot be used: {reason}") from error


def configuration(url: str, application_role: str | None = None) -> Config:
    """Alembic's configuration without a file of its own."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    config.attributes["application_role"] = application_role
    return config


def plain_url(url: str) -> str:
    """The address as libpq reads it, without SQLAlchemy's driver."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def newer_message() -> str:
    """What to say when the database is ahead of the software."""
    return (
        "The database was migrated by a newer version of this software. "
        "Update this checkout (git pull), or restore the backup made before the migration."
    )
