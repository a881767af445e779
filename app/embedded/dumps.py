"""Backups: the whole database in one file, and back, with the programs of the PostgreSQL wheel."""

import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import psycopg
from psycopg import sql

from app.embedded.binaries import postgres_binaries
from app.embedded.problems import ServiceProblem
from app.embedded.roles import grant_rows
from app.embedded.schema import SchemaState, connect, newer_message, plain_url, schema_state, upgrade_schema
from app.settings import part_environment

ACCOUNTS = frozenset({"alembic_version", "users", "sign_in_links", "sessions", "workers"})
"""Tables that a fresh instance may have rows in."""

CHANGES = ("UPDATE", "DELETE", "TRUNCATE")
"""What the application may be denied, table by table."""

FULL = ("No space left on device", "File too large", "Disk quota exceeded")
"""What programs say when a file has no room."""

RESTORING = 190_002
"""The advisory lock of whoever restores."""

ASIDE = "before_restore"
"""The schema in which the old data wait until the restored ones are whole."""


def dump(owner_url: str, file: Path) -> int:
    """Write everything as of one moment into ``file``, while the instance goes on; gives its size in bytes.

    The file is readable by its owner only. Raises ServiceProblem; a file that exists is never overwritten.
    """
    if file.exists():
        raise ServiceProblem(f"{file} exists already. Choose another name.")
    if schema_state(owner_url) is SchemaState.EMPTY:
        raise ServiceProblem("There is nothing to back up: the database has no tables yet.")
    draft = file.with_name(f"{file.name}.draft")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600, exist_ok=False)
        _run("pg_dump", owner_url, "--format=custom", "--no-owner", "--no-privileges", f"--file={draft}")
        draft.rename(file)
    except OSError as error:
        raise ServiceProblem(f"{file} cannot be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
    return file.stat().st_size


def restore(owner_url: str, role: str | None, file: Path, *, replace: bool = False) -> None:
    """Put the content of a backup into the database, in place of what is there, all or nothing.

    ``role`` is the application's, if it is not the owner. Raises ServiceProblem: for a file that is no backup, a
    database with content unless ``replace``, programs still at work on it, or a backup of newer software.
    """
    require_backup(file)
    with connect(owner_url) as connection:
        _require_no_other(connection)
        _take_up_killed_restore(connection)
        _require_silence(connection)
        upgrade_schema(owner_url, role)
        if not replace and (held := content(connection)):
            rows = ", ".join(f"{count:,} {table}" for table, count in held.items())
            raise ServiceProblem(f"This instance is not empty: it holds {rows}. Back it up, then add --replace.")
        denied = denied_rights(connection, role) if role is not None else {}
        with _set_aside(connection):
            if role is not None:
                grant_rows(connection, role)
            _run("pg_restore", owner_url, "--no-owner", "--no-privileges", "--single-transaction", str(file))
            if schema_state(owner_url) is SchemaState.NEWER:
                raise ServiceProblem(newer_message())
            upgrade_schema(owner_url, role)
            if role is not None:
                deny(connection, role, denied)


def take_up_killed_restore(owner_url: str) -> None:
    """Bring back what a restore set aside that was killed; before anything else is made in its place.

    Raises ServiceProblem while a restore is under way.
    """
    with connect(owner_url) as connection:
        _require_no_other(connection)
        _take_up_killed_restore(connection)


def require_backup(file: Path) -> None:
    """Raise ServiceProblem unless the file is a whole backup of this software."""
    if not file.is_file():
        raise ServiceProblem(f"There is no file {file}.")
    listed = _program("pg_restore", "--list", str(file))
    if listed.returncode or " alembic_version " not in listed.stdout:
        raise ServiceProblem(f"{file} is no backup made with ./autolab backup, or it is damaged.")


def content(connection: psycopg.Connection) -> dict[str, int]:
    """Rows by table, without accounts and empty tables."""
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
    counted = {}
    for (table,) in connection.execute(query).fetchall():
        if table not in ACCOUNTS:
            row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
            counted[table] = int(row[0]) if row else 0
    return {table: count for table, count in counted.items() if count}


def denied_rights(connection: psycopg.Connection, role: str) -> dict[str, tuple[str, ...]]:
    """What the role may not do to the rows of a migrated database, by table; a backup carries no rights."""
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
    asked = "SELECT has_table_privilege(%s, %s, %s)"
    found = {}
    for (table,) in connection.execute(query).fetchall():
        held = {one: connection.execute(asked, (role, f"public.{table}", one)).fetchone() for one in CHANGES}
        found[str(table)] = tuple(one for one in CHANGES if held[one] == (False,))
    return {table: rights for table, rights in found.items() if rights}


def deny(connection: psycopg.Connection, role: str, rights: Mapping[str, tuple[str, ...]]) -> None:
    """Take from the application's role what would change history."""
    for table, denied in rights.items():
        statement = sql.SQL("REVOKE {} ON {} FROM {}")
        words = sql.SQL(", ").join(map(sql.SQL, denied))
        connection.execute(statement.format(words, sql.Identifier(table), sql.Identifier(role)))


@contextmanager
def _set_aside(connection: psycopg.Connection) -> Iterator[None]:
    """An empty schema in place of the old one, which comes back unless the block ends well."""
    connection.execute(sql.SQL("ALTER SCHEMA public RENAME TO {}").format(sql.Identifier(ASIDE)))
    try:
        connection.execute("CREATE SCHEMA public")
        yield
    except BaseException:
        _take_up_killed_restore(connection)
        raise
    connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(ASIDE)))


def _take_up_killed_restore(connection: psycopg.Connection) -> None:
    """Bring back what a restore set aside that did not end."""
    if connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (ASIDE,)).fetchone() is None:
        return
    with connection.transaction():
        connection.execute("DROP SCHEMA IF EXISTS public CASCADE")
        connection.execute(sql.SQL("ALTER SCHEMA {} RENAME TO public").format(sql.Identifier(ASIDE)))


def _require_no_other(connection: psycopg.Connection) -> None:
    """Hold the right to restore until the connection ends."""
    row = connection.execute("SELECT pg_try_advisory_lock(%s)", (RESTORING,)).fetchone()
    if row != (True,):
        raise ServiceProblem("A restore of this database is under way. Wait until it has ended.")


def _require_silence(connection: psycopg.Connection) -> None:
    """Refuse while web servers or workers are connected: they would write into what is replaced."""
    query = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = 'autolab' AND pid <> pg_backend_pid()"
    )
    row = connection.execute(query).fetchone()
    if row and row[0]:
        raise ServiceProblem(f"{row[0]} connections of running parts use this database. Stop them, then restore.")


def _run(program: str, url: str, *arguments: str) -> None:
    parts = urlsplit(plain_url(url))
    password = unquote(parts.password or "")
    address = urlunsplit(parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", "@")))
    ended = _program(program, f"--dbname={address}", *arguments, password=password)
    if ended.returncode:
        raise ServiceProblem(f"{program} {_ending(ended)}")


def _program(name: str, *arguments: str, password: str = "") -> subprocess.CompletedProcess[str]:
    """Passwords go by the environment: a command line can be read by everybody on the machine."""
    command = [str(postgres_binaries() / name), *arguments]
    environment = part_environment({"PGPASSWORD": password, "LC_ALL": "C"})
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def _ending(ended: subprocess.CompletedProcess[str]) -> str:
    """How a program failed, and the mend where the disk is the reason."""
    said = " ".join(ended.stderr.strip().splitlines()[:3])
    if ended.returncode == -signal.SIGXFSZ or any(words in said for words in FULL):
        reason = said or "the file would be larger than this account may write (ulimit -f)"
        return f"failed: {reason.rstrip('.')}. Make room, or write to another disk. Nothing is left of the attempt."
    if ended.returncode < 0:
        return f"was ended by {signal.Signals(-ended.returncode).name}. Nothing was changed; try again."
    return f"failed: {said or 'it said nothing'}"
