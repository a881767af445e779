"""Databases of one test process: migrated ones from a template, and those that are emptied and taken again."""

from dataclasses import dataclass, field

import psycopg
from psycopg import sql

from app.embedded.postgres import Postgres
from app.embedded.roles import APPLICATION, OWNER, create_database, drop_database
from app.storage.session import engine_of

TEMPLATE = "autolab_template"
KEPT = "alembic_version"
"""The only table in which the migrations leave rows, and none in which the application writes."""

SMALL = 2**18
"""Bytes up to which deleting a table's rows is quicker than giving it new files."""

FULL = """select relname, pg_table_size(oid) from pg_class
where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> %s and pg_relation_size(oid) > 0"""
OTHERS = """select pg_terminate_backend(pid, 5000) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()"""


@dataclass
class Databases:
    """Gives out migrated databases that hold no rows.

    The application's role can change rows and nothing else, so the database of a test that has no other address is as
    new once its rows are gone. One that its owner entered may hold anything and is dropped.
    """

    server: Postgres
    prefix: str
    count: int = 0
    idle: list[str] = field(default_factory=list)
    lent: set[str] = field(default_factory=set)

    def make(self) -> str:
        """A database from the template, for its owner too."""
        self.count += 1
        name = f"{self.prefix}_{self.count}"
        with self.server.connect() as connection:
            create_database(connection, name, TEMPLATE)
        return name

    def drop(self, name: str) -> None:
        """Remove a database, after the engines that know it: one with open connections warns in another test."""
        self._forget(name, OWNER)
        self._forget(name, APPLICATION)
        with self.server.connect() as connection:
            drop_database(connection, name)

    def lend(self) -> str:
        """An empty database for the application's role only, to be given back."""
        name = self.idle.pop() if self.idle else self.make()
        self.lent.add(name)
        return name

    def give_back(self, name: str) -> None:
        """End what still speaks to a lent database and take its rows out."""
        self._forget(name, APPLICATION)
        with self.server.connect(name) as connection:
            connection.execute(OTHERS)
            empty(connection)
        self.lent.remove(name)
        self.idle.append(name)

    def _forget(self, name: str, role: str) -> None:
        engine_of(self.server.url(role, name)).dispose()


def empty(connection: psycopg.Connection) -> None:
    """Take all rows out of the tables, as the superuser, for whom no trigger and no foreign key need speak."""
    full = connection.execute(FULL, [KEPT]).fetchall()
    with connection.transaction():
        connection.execute("set local session_replication_role = replica")
        for name, size in full:
            command = "delete from {}" if size <= SMALL else "truncate {} restart identity cascade"
            connection.execute(sql.SQL(command).format(sql.Identifier(name)))
