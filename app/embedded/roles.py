"""The database roles: an owner who migrates, and the application, which only reads and writes rows."""

import psycopg
from psycopg import sql

from app.embedded.passwords import Passwords

SUPERUSER = "postgres"
OWNER = "autolab_owner"
APPLICATION = "autolab"
DATABASE = "autolab"


def prepare_roles(connection: psycopg.Connection, passwords: Passwords) -> None:
    """Make the two roles and the database where they are missing; the connection is the superuser's, in autocommit."""
    for role, password in ((OWNER, passwords.owner), (APPLICATION, passwords.application)):
        if not exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", role):
            statement = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
            connection.execute(statement.format(sql.Identifier(role), sql.Literal(password)))
    if not exists(connection, "SELECT 1 FROM pg_database WHERE datname = %s", DATABASE):
        create_database(connection, DATABASE)


def create_database(connection: psycopg.Connection, name: str, template: str = "template0") -> None:
    """Make a database that belongs to the owner and that nobody but the two roles may enter."""
    fill = {"name": sql.Identifier(name), "owner": sql.Identifier(OWNER), "application": sql.Identifier(APPLICATION)}
    statement = sql.SQL("CREATE DATABASE {name} OWNER {owner} TEMPLATE {template}")
    connection.execute(statement.format(template=sql.Identifier(template), **fill))
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {name} FROM PUBLIC").format(**fill))
    connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {name} TO {application}").format(**fill))


def drop_database(connection: psycopg.Connection, name: str) -> None:
    """Remove a database, ending the connections to it."""
    connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def grant_rows(connection: psycopg.Connection, role: str) -> None:
    """Let `role` read and write the rows of tables that the connected owner makes from now on.

    Tables that exist keep their rights, so that a migration may take some away (the ledger's UPDATE and DELETE).
    """
    for statement in (
        "GRANT USAGE ON SCHEMA public TO {}",
        "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {}",
        "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {}",
    ):
        connection.execute(sql.SQL(statement).format(sql.Identifier(role)))


def keep_revision(connection: psycopg.Connection, role: str) -> None:
    """Let `role` read which migration the database is at, and not change it; an owner that is the role keeps all."""
    statement = "REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON alembic_version FROM {}"
    if connection.info.user != role:
        connection.execute(sql.SQL(statement).format(sql.Identifier(role)))


def exists(connection: psycopg.Connection, query: str, name: str) -> bool:
    """Whether the query finds a row for the name."""
    return connection.execute(query, (name,)).fetchone() is not None
