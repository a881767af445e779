"""Statements sent together: in their order, with their answers, in one transaction that ends whole or not at all."""

import json
from uuid import uuid4

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json
from sqlalchemy import select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from app.services.unit_of_work import Work, reading, unit_of_work
from app.storage.errors import NotFoundError
from app.storage.session import OutrunError, open_session
from app.storage.statements import insert_into, update_by
from app.storage.tables import UserRow, WorkerRow

pytestmark = pytest.mark.services


def add_worker(work: Work, name: str) -> None:
    row = {"name": name, "started_at": work.now, "seen_at": work.now, "queues": "steps"}
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


def rename(work: Work, before: str, after: str) -> None:
    named = update_by(WorkerRow, ("name",), ("name",))
    work.session.require(named, {"is_name": before, "name": after})


@pytest.mark.parametrize("looked", [False, True], ids=["as one statement", "in turn"])
class TestRequired:
    """An update that must touch a row, in a transaction that is a whole by itself or was read in before."""

    def add(self, looked: bool, before: str, *names: str) -> None:
        with unit_of_work() as work:
            if looked:
                work.session.execute(text("SELECT 1"))
            for name in names:
                add_worker(work, name)
            rename(work, before, "renamed")

    def test_all_is_written_if_it_touches_one(self, database_url_in_use: str, looked: bool):
        with unit_of_work() as work:
            add_worker(work, "one")
        self.add(looked, "one", "two", "three")
        assert workers() == {"renamed", "two", "three"}

    def test_nothing_is_written_if_it_touches_none(self, database_url_in_use: str, looked: bool):
        with pytest.raises(OutrunError):
            self.add(looked, "nobody", "two")
        assert workers() == set()
        self.is_as_good_as_before()

    def test_nothing_is_written_if_another_part_fails(self, database_url_in_use: str, looked: bool):
        with unit_of_work() as work:
            add_worker(work, "one")
        with pytest.raises(IntegrityError, match="workers_pkey"):
            self.add(looked, "one", "two", "two")
        assert workers() == {"one"}
        self.is_as_good_as_before()

    def test_a_lost_connection_is_not_used_again(self, database_url_in_use: str, looked: bool):
        with unit_of_work() as work:
            add_worker(work, "one")
        others = "datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()"
        with psycopg.connect(database_url_in_use.replace("+psycopg", ""), autocommit=True) as apart:
            apart.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
        with pytest.raises(OperationalError):
            self.add(looked, "one")
        self.is_as_good_as_before()

    def is_as_good_as_before(self) -> None:
        with open_session() as session:
            add_worker(work := Work(session), "rolled back")
            assert work.session.execute(text("SELECT count(*) FROM workers WHERE name = 'rolled back'")).scalar() == 1
            session.rollback()
        assert "rolled back" not in workers()


def test_a_session_for_reading_writes_no_required_statement(database_url_in_use: str):
    with unit_of_work() as work:
        add_worker(work, "one")
    with open_session(read_only=True) as session:
        rename(Work(session), "one", "two")
        with pytest.raises(DBAPIError, match="read-only"):
            session.commit()
    assert workers() == {"one"}


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**80), 2**80)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('aé"\\\n', max_size=3), inner, max_size=4),
        max_leaves=12,
    )
)
def test_documents_are_written_as_the_json_they_are(value: object):
    assert json.loads(to_json(value)) == value
