"""The engine and its sessions: one pool a process, one short transaction a unit of work, statements sent together."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.json import set_json_dumps
from pydantic_core import to_json
from sqlalchemy import CursorResult, Engine, Insert, Select, Update, create_engine, event, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import ORMExecuteState
from sqlalchemy.pool import NullPool
from sqlmodel import Session as SqlModelSession

from app.settings import get_settings
from app.storage.statements import Sent, Values, as_sent, merged

POOL_SIZE = 20
"""As many as a worker has threads: one beyond these is closed after each use, which costs more than its use."""
POOL_OVERFLOW = 30

OPTIONS = "-c statement_timeout=60000 -c idle_in_transaction_session_timeout=180000"
"""A process that is suspended inside a transaction keeps what it locked for three minutes, and no longer."""

Connection = psycopg.Connection[Any]


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


class OutrunError(Exception):
    """A statement that had to touch a row touched none: somebody else was there first, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A statement that waits to be sent: who reads its answer, if anybody, and whether it must touch a row."""

    sent: Sent
    asked: Awaited | None = None
    needed: bool = False


class Session(SqlModelSession):
    """A session whose statements may wait: they go to the database together, with its next statement or the commit.

    A step's record is some ten statements whose results nobody reads; sent in one pipeline they cost one journey. Where
    they are all of a transaction they become one statement, which is a transaction by itself.
    """

    def __init__(self, engine: Engine, **options: Any) -> None:
        super().__init__(engine, **options)
        self._engine = engine
        self._may_write = not engine.get_execution_options().get("postgresql_readonly")
        self._waiting: list[_Waiting] = []

    def write_later(self, statement: Insert | Update, values: Values | Sequence[Values]) -> None:
        """Execute a statement whose result is not needed, in its order but not at once."""
        self._waiting.append(_Waiting(as_sent(statement, values)))

    def require(self, statement: Update, values: Values) -> None:
        """The same for an update that must touch a row: if it touches none, OutrunError is raised when it is sent."""
        self._waiting.append(_Waiting(as_sent(statement, values), needed=True))

    def ask(self, statement: Select[Any] | Update, values: Values) -> Awaited:
        """Execute a statement in its order, together with those that wait, when its answer is read or later."""
        asked = Awaited(self)
        self._waiting.append(_Waiting(as_sent(statement, values), asked))
        return asked

    def commit(self) -> None:
        """Commit. Statements that are a whole transaction, one of which must touch a row, are sent as one."""
        is_whole = self._may_write and not self.in_transaction() and any(one.needed for one in self._waiting)
        if is_whole and not any(one.asked for one in self._waiting):
            waiting, self._waiting = self._waiting, []
            _send_as_one(self._engine, waiting)
        else:
            super().commit()

    def close(self) -> None:
        """Close. A session that began no transaction and holds no object has nothing to let go of."""
        if self.in_transaction() or self.identity_map:
            super().close()

    def send_waiting(self, *, committing: bool = False) -> None:
        """Send the statements that wait, together; ``committing`` ends the transaction on the same journey."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        connection = self.connection().connection.driver_connection
        assert isinstance(connection, psycopg.Connection)
        with _named_errors():
            _send_in_turn(connection, waiting, committing=committing)


@contextmanager
def _named_errors() -> Iterator[None]:
    try:
        yield
    except psycopg.errors.DivisionByZero as error:
        raise OutrunError from error
    except psycopg.Error as error:
        raise DBAPIError.instance("(statements sent together)", None, error, psycopg.Error) from error


def _send_as_one(engine: Engine, waiting: Sequence[_Waiting]) -> None:
    """A single statement needs no word to begin or to commit."""
    one = merged([one.sent for one in waiting if one.needed], [one.sent for one in waiting if not one.needed])
    taken = engine.raw_connection()
    connection = taken.driver_connection
    assert isinstance(connection, psycopg.Connection)
    try:
        connection.autocommit = True
        with _named_errors():
            psycopg.RawCursor(connection).execute(one.sql.encode(), one.values, prepare=True)
    finally:
        if connection.info.transaction_status is TransactionStatus.IDLE:
            connection.autocommit = False
        else:
            taken.invalidate()
        taken.close()


def _send_in_turn(connection: Connection, waiting: Sequence[_Waiting], *, committing: bool) -> None:
    with ExitStack() as cursors:
        silent = cursors.enter_context(psycopg.RawCursor(connection))
        asking = [cursors.enter_context(psycopg.RawCursor(connection)) if one.asked else silent for one in waiting]
        with connection.pipeline():
            for one, cursor in zip(waiting, asking, strict=True):
                sent = merged([one.sent], []) if one.needed else one.sent
                cursor.execute(sent.sql.encode(), sent.values, prepare=True)
            if committing:
                connection.commit()
        for one, cursor in zip(waiting, asking, strict=True):
            if one.asked:
                one.asked.fill(cursor)


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
    """The pooled engine of an address. The connection used last is used next: it has prepared what is asked of it."""
    set_json_dumps(to_json)  # what jsonb makes of it is the same as of json.dumps, in a quarter of the time
    return create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_use_lifo=True,
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
