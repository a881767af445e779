"""The engine and its sessions: one pool a process, one short transaction a unit of work."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import CursorResult, Engine, Update, create_engine
from sqlmodel import Session

from app.settings import get_settings

POOL_SIZE = 10
POOL_OVERFLOW = 40


@lru_cache(maxsize=4)
def engine_of(url: str) -> Engine:
    """The pooled engine of an address; connections are checked before use, so a restarted database is met quietly."""
    return create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_pre_ping=False,
        pool_recycle=600,
        connect_args={"application_name": "autolab", "connect_timeout": 10, "options": "-c statement_timeout=60000"},
    )


def open_session(*, read_only: bool = False) -> Session:
    """A session on the application's database; a read-only one cannot write, whatever its code does."""
    engine = engine_of(get_settings().needed_database_url())
    if not read_only:
        return Session(engine, expire_on_commit=False)
    return Session(engine.execution_options(postgresql_readonly=True), expire_on_commit=False)


def changed(session: Session, query: Update, values: Mapping[str, Any] | None = None) -> int:
    """How many rows an update changed."""
    result = session.execute(query, values)
    assert isinstance(result, CursorResult)
    return int(result.rowcount)
