"""Migrations: each goes up and down, on an empty database and on data; the last gives the tables of the code."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command
from alembic.script import ScriptDirectory

from app.domain.protocol.conditions import Condition
from app.embedded.postgres import Postgres
from app.embedded.roles import APPLICATION, OWNER, create_database, drop_database
from app.embedded.schema import SchemaState, configuration, current_revision, plain_url, schema_state, upgrade_schema
from app.services import interventions
from app.services.interventions import Wish
from app.services.unit_of_work import reading, unit_of_work
from tests.services.stage import Stage

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
WAITING = """select count(*) from pg_locks join pg_database on pg_database.oid = pg_locks.database
where datname = current_database() and not granted"""

REVISIONS = [
    script.revision
    for script in reversed(list(ScriptDirectory.from_config(configuration("postgresql://")).walk_revisions()))
]


@pytest.fixture
def empty(postgres: Postgres) -> Iterator[str]:
    """The owner's address of a database without tables."""
    name = f"empty_{uuid4().hex}"
    with postgres.connect() as connection:
        create_database(connection, name)
        yield postgres.url(OWNER, name)
        drop_database(connection, name)


def tables(url: str) -> set[str]:
    with psycopg.connect(plain_url(url)) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    return {name for (name,) in found} - {"alembic_version"}


def test_every_revision_goes_up_down_and_up_again(empty: str):
    config = configuration(empty, APPLICATION)
    seen = [tables(empty)]
    assert seen == [set()]
    for revision in REVISIONS:
        command.upgrade(config, revision)
        above = tables(empty)
        command.downgrade(config, "-1")
        assert tables(empty) == seen[-1]
        command.upgrade(config, revision)
        assert tables(empty) == above
        seen.append(above)
    assert schema_state(empty) is SchemaState.CURRENT
    command.downgrade(config, "base")
    assert tables(empty) == set()


def test_the_last_revision_gives_the_tables_of_the_code(empty: str):
    assert schema_state(empty) is SchemaState.EMPTY
    upgrade_schema(empty, APPLICATION)
    command.check(configuration(empty, APPLICATION))
    upgrade_schema(empty, APPLICATION)
    assert schema_state(empty) is SchemaState.CURRENT


def test_one_role_may_own_and_use_the_tables(empty: str):
    upgrade_schema(empty)
    command.check(configuration(empty))


@pytest.mark.parametrize("revision", REVISIONS)
def test_runs_survive_the_way_down_to_a_revision_and_back(stage: Stage, owner_database_url: str, revision: str):
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))
    for key in ("E1/decision", "E1/review"):
        stage.perform(run, key)
    with unit_of_work() as work:
        interventions.pause_run(work, run, Wish(stage.user(), "the database is migrated"))
    before = books(stage, run)
    config = configuration(owner_database_url, APPLICATION)
    command.downgrade(config, revision)
    upgrade_schema(owner_database_url, APPLICATION)
    assert books(stage, run) == before
    stage.check_books(run)
    with unit_of_work() as work:
        interventions.resume_run(work, run, Wish(stage.user(), "it is there again"))
    stage.play(run)
    assert stage.run(run).state == "finished"
    stage.check_books(run)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE alembic_version SET version_num = 'from-the-future'",
        "INSERT INTO alembic_version VALUES ('other')",
        "DELETE FROM alembic_version",
        "TRUNCATE alembic_version",
        "DROP TABLE ledger",
        "ALTER TABLE ledger DISABLE TRIGGER ALL",
        "TRUNCATE runs CASCADE",
        "CREATE TABLE another (one int)",
        "CREATE SCHEMA another",
        "CREATE TEMPORARY TABLE another (one int)",
    ],
)
def test_the_application_changes_neither_the_schema_nor_which_one_it_is(empty: str, postgres: Postgres, statement: str):
    upgrade_schema(empty, APPLICATION)
    upgrade_schema(empty, APPLICATION)
    application = plain_url(postgres.url(APPLICATION, empty.rpartition("/")[2]))
    with psycopg.connect(application) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(statement)


@pytest.mark.parametrize("table", ["ledger", "interventions"])
def test_what_is_append_only_stays_so_after_the_way_down_and_back(
    owner_database_url: str, database_url: str, table: str
):
    config = configuration(owner_database_url, APPLICATION)
    command.downgrade(config, "base")
    upgrade_schema(owner_database_url, APPLICATION)
    with psycopg.connect(plain_url(database_url)) as connection:
        rights = connection.execute(
            "SELECT bool_or(has_table_privilege(%s, p)), has_table_privilege(%s, 'INSERT, SELECT')"
            " FROM unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE']) AS p",
            [table, table],
        ).fetchone()
    assert rights == (False, True)


def books(stage: Stage, run: UUID):
    """What a run holds since the first revision; columns that came later may be lost on the way down."""
    with reading() as look:
        documents = [(kept.key, kept.body_hash, kept.artifact) for kept in look.artifacts.of_run(run)]
        marks = look.interventions.of_run(run)
        texts = [look.calls.texts(call.id) for call in look.calls.of_run(run)]
        study = look.studies.get(look.runs.get(run).study_id)
    calls = [(call.id, call.state, call.tokens_in, call.cost_usd, call.request_hash) for call in stage.calls(run)]
    steps = [(step.id, step.key, step.state, step.attempts) for step in stage.steps(run)]
    record = stage.run(run)
    sums = (record.state, record.calls_made, record.tokens_in, record.ledger_length, record.ledger_head)
    return sums, stage.events(run), calls, steps, documents, marks, texts, study.design, study.design_hash


def test_a_migration_that_is_killed_leaves_all_as_it_was_and_is_taken_up_again(empty: str, tmp_path: Path):
    """Killed in the middle: some tables are made, one is waited for; the next `migrate` does all of it."""
    command.upgrade(configuration(empty, APPLICATION), "0003")
    before = tables(empty)
    given = {"DATABASE_URL": plain_url(empty), "MIGRATION_DATABASE_URL": "", "AUTOLAB_HOME": str(tmp_path)}
    migrate = [sys.executable, "-m", "app.cli.main", "migrate"]
    with psycopg.connect(plain_url(empty)) as holder:
        holder.execute("lock table workers")
        killed = subprocess.Popen(migrate, cwd=ROOT, env={**os.environ, **given}, stdout=subprocess.DEVNULL)
        try:
            until(empty, waiting=1)
        finally:
            killed.kill()
            killed.wait()
        assert tables(empty) == before
    until(empty, waiting=0)
    assert (tables(empty), current_revision(empty)) == (before, "0003")
    again = subprocess.run(migrate, cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True, check=True)
    assert again.stdout == "The schema was older and is current.\n"


def until(url: str, *, waiting: int) -> None:
    with psycopg.connect(plain_url(url), autocommit=True) as connection:
        for _ in range(600):
            if connection.execute(WAITING).fetchone() == (waiting,):
                return
            Event().wait(0.05)
    pytest.fail(f"never were {waiting} locks waited for")
