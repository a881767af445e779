"""Statements sent together: in their order, with their answers, in one transaction that ends whole or not at all."""

from uuid import uuid4

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import IntegrityError

from app.services.unit_of_work import Work, reading, unit_of_work
from app.storage.errors import NotFoundError
from app.storage.session import open_session
from app.storage.statements import insert_into
from app.storage.tables import UserRow, WorkerRow

pytestmark = pytest.mark.services


def add_worker(work: Work, name: str) -> None:
    row = {"name": name, "started_at": work.now, "seen_at": work.now}
    work.session.write_later(insert_into(WorkerRow), row)


def workers() -> set[str]:
    with reading() as look:
        return set(look.session.execute(text("SELECT name FROM workers")).scalars())


def test_answers_come_in_the_order_in_which_they_were_asked(database_url_in_use: str):
    names = select(WorkerRow.name)
    with unit_of_work() as work:
        before = work.session.ask(names, {})
        add_worker(work, "one")
        after = work.session.ask(names, {})
        renamed = work.session.ask(update(WorkerRow).values(name="two"), {})
        assert (before.rows, after.rows, renamed.changed, renamed.rows) == ([], [("one",)], 1, [])
    assert workers() == {"two"}


def test_a_statement_that_fails_with_the_commit_takes_everything_with_it(database_url_in_use: str):
    def add_twice() -> None:
        with unit_of_work() as work:
            add_worker(work, "one")
            assert work.session.execute(text("SELECT count(*) FROM workers")).scalar() == 1
            add_worker(work, "two")
            add_worker(work, "one")

    with pytest.raises(IntegrityError, match="workers_pkey"):
        add_twice()
    assert workers() == set()
    with unit_of_work() as work:  # the connection is as good as before
        add_worker(work, "three")
    assert workers() == {"three"}


def test_objects_and_statements_are_committed_together(database_url_in_use: str):
    def add_both(worker: str) -> None:
        with unit_of_work() as work:
            add_worker(work, worker)
            work.session.add(UserRow(id=uuid4(), name="ann", role="admin", created_at=work.now))

    add_both("one")
    with pytest.raises(IntegrityError, match="users_name"):
        add_both("two")
    assert workers() == {"one"}


def test_a_savepoint_that_ends_commits_nothing(database_url_in_use: str):
    with open_session() as session:
        work = Work(session)
        with session.begin_nested():
            add_worker(work, "one")
        session.rollback()
    assert workers() == set()


def test_a_lock_asked_for_is_held_from_the_next_statement_on(database_url_in_use: str):
    held = "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'runs'::regclass"
    with unit_of_work() as work:
        head = work.runs.ask_lock(uuid4())
        assert work.session.execute(text(f"{held} AND mode = 'RowShareLock'")).scalar() == 1
        with pytest.raises(NotFoundError, match="run"):
            head()
