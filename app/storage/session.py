"""The engine and its sessions: one pool a process, one short transaction a unit of work, statements sent together."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any

import psycopg
from sqlalchemy import CursorResult, Engine, Insert, Select, Update, create_engine, event, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import ORMExecuteState
from sqlalchemy.pool import NullPool
from sqlmodel import Session as SqlModelSession

from app.settings import get_settings
from app.storage.statements import Values, as_sent

POOL_SIZE = 10
POOL_OVERFLOW = 40

OPTIONS = "-c statement_timeout=60000 -c idle_in_transaction_session_timeout=180000"
"""A process that is suspended inside a transaction keeps what it locked for three minutes, and no longer."""


class Awaited:
    """The answer to a statement that travels with others: reading it sends what waits, if it was not sent before."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._answer: tuple[list[tuple[Any, ...]], int] | None = None

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """What came back, none for a statement that gives no rows."""
        return self._read()[0]

    @property
    def changed(self) -> int:
        """How many rows the statement touched."""
        return self._read()[1]

    def fill(self, cursor: psycopg.Cursor[Any]) -> None:
        """Keep what a cursor got."""
        self._answer = (cursor.fetchall() if cursor.description else [], cursor.rowcount)

    def _read(self) -> tuple[list[tuple[Any, ...]], int]:
        if self._answer is None:
            self._session.send_waiting()
        assert self._answer is not None
        return self._answer


class Session(SqlModelSession):
    """A session whose statements may wait: they go to the database together, with its next statement or the commit.

    A step's record is some ten statements whose results nobody reads; sent in one pipeline they cost one journey.
    """

    def __init__(self, engine: Engine, **options: Any) -> None:
        super().__init__(engine, **options)
        self._waiting: list[tuple[str, Values, Awaited | None]] = []

    def write_later(self, statement: Insert | Update, values: Values | Sequence[Values]) -> None:
        """Execute a statement whose result is not needed, in its order but not at once."""
        self._waiting.append((*as_sent(statement, values), None))

    def ask(self, statement: Select[Any] | Update, values: Values) -> Awaited:
        """Execute a statement in its order, together with those that wait, when its answer is read or later."""
        asked = Awaited(self)
        self._waiting.append((*as_sent(statement, values), asked))
        return asked

    def send_waiting(self, *, committing: bool = False) -> None:
        """Send the statements that wait, together; ``committing`` ends the transaction on the same journey."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        connection = self.connection().connection.driver_connection
        assert isinstance(connection, psycopg.Connection)
        try:
            with ExitStack() as cursors:
                silent = cursors.enter_context(connection.cursor())
                asking = [cursors.enter_context(connection.cursor()) if one[2] else silent for one in waiting]
                with connection.pipeline():
                    for (sql, values, _), cursor in zip(waiting, asking, strict=True):
                        cursor.execute(sql.encode(), values)
                    if committing:
                        connection.commit()
                for (_, _, asked), cursor in zip(waiting, asking, strict=True):
                    if asked:
                        asked.fill(cursor)
        except psycopg.Error as error:
            raise DBAPIError.instance("(statements sent together)", None, error, psycopg.Error) from error


@event.listens_for(Session, "do_orm_execute")
def _before_statements(state: ORMExecuteState) -> None:
    assert isinstance(state.session, Session)
    state.session.send_waiting()


@event.listens_for(Session, "before_commit")
def _before_commits(session: Session) -> None:
    """The commit goes with the last statements, unless a savepoint ends or objects are still to be written."""
    last = not session.in_nested_transaction() and not (session.new or session.dirty or session.deleted)
    session.send_waiting(committing=last)


@lru_cache(maxsize=4)
def engine_of(url: str) -> Engine:
    """The pooled engine of an address; connections are checked before use, so a restarted database is met quietly."""
    return create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_pre_ping=False,
        pool_recycle=600,
        connect_args={"application_name": "autolab", "connect_timeout": 10, "options": OPTIONS},
    )


def open_session(*, read_only: bool = False, one_moment: bool = False) -> Session:
    """A session on the application's database; a read-only one cannot write, whatever its code does.

    ``one_moment`` lets every statement of a read-only session see the database as it was at the first, however long
    who reads it takes between two of them: it locks nothing.
    """
    engine = engine_of(get_settings().needed_database_url())
    if not read_only:
        return Session(engine, expire_on_commit=False)
    level = {"isolation_level": "REPEATABLE READ"} if one_moment else {}
    session = Session(engine.execution_options(postgresql_readonly=True, **level), expire_on_commit=False)
    if one_moment:
        session.execute(text("set local idle_in_transaction_session_timeout = 0"))
    return session


def wait_at_most(session: SqlModelSession, seconds: float) -> None:
    """Let no statement of the transaction wait longer for a lock: it then raises OperationalError."""
    session.execute(select(func.set_config("lock_timeout", f"{int(seconds * 1_000)}ms", True)))


@contextmanager
def session_apart() -> Iterator[Session]:
    """A reading session on a connection of its own, for threads that hold one of the pool's and must not want two."""
    engine = _engine_apart(get_settings().needed_database_url())
    with Session(engine.execution_options(postgresql_readonly=True), expire_on_commit=False) as session:
        yield session


@lru_cache(maxsize=4)
def _engine_apart(url: str) -> Engine:
    arguments = {"application_name": "autolab", "connect_timeout": 10}
    return create_engine(url, poolclass=NullPool, connect_args=arguments)


def changed(session: SqlModelSession, query: Update, values: Mapping[str, Any] | None = None) -> int:
    """How many rows an update changed."""
    result = session.execute(query, values)
    assert isinstance(result, CursorResult)
    return int(result.rowcount)
