"""Backups on real PostgreSQL: taken while a study runs, restored whole or not at all, with rights as before."""

import re
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from app.cli.main import main
from app.domain.protocol.conditions import Condition
from app.embedded import dumps
from app.embedded.dumps import RESTORING, content, denied_rights, dump, restore, take_up_killed_restore
from app.embedded.postgres import Postgres
from app.embedded.problems import ServiceProblem
from app.embedded.roles import APPLICATION, OWNER, create_database, drop_database
from app.embedded.schema import connect, plain_url, upgrade_schema
from app.services.performing import Desk, perform_steps
from app.services.unit_of_work import reading
from app.services.verification import verify_runs
from app.settings import get_settings
from app.storage.session import engine_of
from tests.services.stage import Stage, clear_caches

pytestmark = pytest.mark.services

Move = Callable[[str], None]
MANY = {"conditions": (Condition.SINGLE_PROMPT,), "repetitions": 3}


@pytest.fixture
def other(postgres: Postgres, database_name: str) -> Iterator[str]:
    """The name of a second database of the same server, migrated and empty."""
    name = f"{database_name}_other"
    with postgres.connect() as connection:
        create_database(connection, name, "autolab_template")
        yield name
        drop_database(connection, name)


@pytest.fixture
def move_to(postgres: Postgres, monkeypatch: pytest.MonkeyPatch):
    """The application works on another database from now on."""
    used = []

    def move(name: str) -> None:
        engine_of(get_settings().needed_database_url()).dispose()
        monkeypatch.setenv("DATABASE_URL", postgres.url(APPLICATION, name))
        clear_caches()
        used.append(get_settings().needed_database_url())

    yield move
    for url in used:
        engine_of(url).dispose()


def play_study(stage: Stage, run: UUID, until: Event) -> None:
    with reading() as look:
        runs = [one.id for one in look.runs.of_study(look.runs.get(run).study_id)]
    desk = Desk("worker")
    while not until.is_set():
        if not sum(perform_steps(step.id, desk) for one in runs for step in stage.steps(one, "ready")):
            return


def test_a_backup_taken_while_a_study_runs_is_restored_sound_and_goes_on(
    stage: Stage, postgres: Postgres, owner_database_url: str, other: str, move_to: Move, tmp_path: Path
):
    run = stage.launch(**MANY)
    ended = Event()
    worker = Thread(target=play_study, args=(stage, run, ended))
    worker.start()
    while worker.is_alive() and stage.run(run).steps_done < 4:
        ended.wait(0.01)
    file = tmp_path / "autolab.backup"
    size = dump(owner_database_url, file)
    assert size == file.stat().st_size > 10_000
    assert file.stat().st_mode & 0o077 == 0
    worker.join()
    assert stage.run(run).state == "finished"

    restore(postgres.url(OWNER, other), APPLICATION, file)
    move_to(other)
    then = stage.run(run).steps_done
    assert then >= 4
    with reading(one_moment=True) as look:
        assert [one.problems for one in verify_runs(look, "latest")] == [()] * 3
    with connect(postgres.url(OWNER, other)) as owner:
        owner.execute("UPDATE steps SET lease_expires_at = now() - interval '1 hour' WHERE state = 'claimed'")
    from app.services.upkeep import sweep  # noqa: PLC0415 - after the move

    sweep()
    play_study(stage, run, Event())
    assert stage.run(run).state == "finished"
    with reading(one_moment=True) as look:
        assert all(one.is_sound for one in verify_runs(look, "latest"))


def test_a_restored_database_refuses_to_change_history(
    stage: Stage, postgres: Postgres, owner_database_url: str, other: str, tmp_path: Path
):
    stage.launch()
    dump(owner_database_url, tmp_path / "b")
    restore(postgres.url(OWNER, other), APPLICATION, tmp_path / "b")
    with connect(owner_database_url) as here, connect(postgres.url(OWNER, other)) as there:
        denied = denied_rights(there, APPLICATION)
        assert denied == denied_rights(here, APPLICATION)
    for table in ("ledger", "interventions", "redactions", "ratings", "imports", "probe_counts", "model_versions"):
        assert denied[table] == ("UPDATE", "DELETE", "TRUNCATE"), table
    for table in ("findings", "imported_runs"):
        assert denied[table] == ("DELETE", "TRUNCATE"), table
    assert denied["runs"] == ("TRUNCATE",)
    for table in ("ledger", "findings", "finding_decisions", "panel_amendments"):
        with (
            psycopg.connect(plain_url(postgres.url(APPLICATION, other))) as application,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            application.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))


def test_a_filled_instance_is_replaced_only_when_asked(
    stage: Stage, postgres: Postgres, owner_database_url: str, other: str, move_to: Move, tmp_path: Path
):
    first = stage.launch()
    file = tmp_path / "b"
    dump(owner_database_url, file)
    move_to(other)
    second = stage.launch()
    engine_of(get_settings().needed_database_url()).dispose()
    url = postgres.url(OWNER, other)
    with pytest.raises(ServiceProblem, match=r"not empty: it holds .* 1 runs.* --replace"):
        restore(url, APPLICATION, file)
    restore(url, APPLICATION, file, replace=True)
    with reading() as look:
        assert [run.id for study in look.studies.newest(limit=9) for run in look.runs.of_study(study.id)] == [first]
    assert first != second


def test_a_restore_that_fails_leaves_everything_as_it_was(
    stage: Stage,
    postgres: Postgres,
    owner_database_url: str,
    other: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    stage.launch()
    file = tmp_path / "b"
    dump(owner_database_url, file)
    url = postgres.url(OWNER, other)
    upgrade_schema(url, APPLICATION)
    with connect(url) as connection:
        connection.execute("INSERT INTO users VALUES (gen_random_uuid(), 'Ada', 'admin', null, now(), null)")
    monkeypatch.setattr(dumps, "deny", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        restore(url, APPLICATION, file)
    with connect(url) as connection:
        assert connection.execute("SELECT name FROM users").fetchall() == [("Ada",)]
        assert content(connection) == {}
        connection.execute(f"ALTER SCHEMA public RENAME TO {dumps.ASIDE}")  # as a kill in the middle leaves it
        connection.execute("CREATE SCHEMA public")
    monkeypatch.undo()
    restore(url, APPLICATION, file)
    with connect(url) as connection:
        assert content(connection)["runs"] == 1


def test_what_a_killed_restore_set_aside_comes_back_before_anything_is_made_in_its_place(
    stage: Stage, owner_database_url: str
):
    study = stage.run(stage.launch()).study_id
    with connect(owner_database_url) as connection:
        connection.execute("ALTER SCHEMA public RENAME TO before_restore")
        connection.execute("CREATE SCHEMA public")
    take_up_killed_restore(owner_database_url)
    take_up_killed_restore(owner_database_url)
    upgrade_schema(owner_database_url, APPLICATION)
    with connect(owner_database_url) as connection:
        assert connection.execute("SELECT id FROM studies").fetchall() == [(study,)]
        connection.execute("SELECT pg_advisory_lock(%s)", (RESTORING,))
        with pytest.raises(ServiceProblem, match="under way"):
            take_up_killed_restore(owner_database_url)


def test_a_restore_waits_for_nobody_who_is_still_at_work(stage: Stage, owner_database_url: str, tmp_path: Path):
    stage.launch()
    dump(owner_database_url, tmp_path / "b")
    with pytest.raises(ServiceProblem, match=r"connections of running parts use this database"):
        restore(owner_database_url, APPLICATION, tmp_path / "b", replace=True)


def test_wrong_files_are_named(stage: Stage, owner_database_url: str, tmp_path: Path):
    wrong = tmp_path / "wrong"
    with pytest.raises(ServiceProblem, match="There is no file"):
        restore(owner_database_url, APPLICATION, wrong)
    wrong.write_text("not a backup", encoding="utf-8")
    with pytest.raises(ServiceProblem, match="is no backup made with"):
        restore(owner_database_url, APPLICATION, wrong)
    with pytest.raises(ServiceProblem, match="exists already"):
        dump(owner_database_url, wrong)
    with pytest.raises(ServiceProblem, match="cannot be written: No such file or directory"):
        dump(owner_database_url, tmp_path / "no" / "folder")
    whole = tmp_path / "whole"
    dump(owner_database_url, whole)
    whole.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(ServiceProblem):
        restore(owner_database_url, APPLICATION, whole)


def test_a_disk_without_room_is_said_with_the_mend(stage: Stage, owner_database_url: str, tmp_path: Path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, hard))
    try:
        with pytest.raises(ServiceProblem, match=r"pg_dump failed: .*Make room, or write to another disk"):
            dump(owner_database_url, tmp_path / "full.backup")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "said", "words"),
    [
        (1, "could not write: No space left on device", "device. Make room, or write to another disk"),
        (-25, "", r"larger than this account may write \(ulimit -f\). Make room"),
        (-9, "", "was ended by SIGKILL. Nothing was changed; try again"),
        (1, "", "it said nothing"),
    ],
)
def test_how_a_program_ended_is_said(code: int, said: str, words: str):
    ended = subprocess.CompletedProcess(["pg_dump"], code, "", said)
    assert re.search(words, dumps._ending(ended))


def test_an_empty_database_is_nothing_to_back_up(postgres: Postgres, database_name: str, tmp_path: Path):
    with postgres.connect() as connection:
        create_database(connection, f"{database_name}_bare")
    try:
        with pytest.raises(ServiceProblem, match="nothing to back up"):
            dump(postgres.url(OWNER, f"{database_name}_bare"), tmp_path / "b")
    finally:
        with postgres.connect() as connection:
            drop_database(connection, f"{database_name}_bare")


def test_a_wrong_password_is_said_without_it(owner_database_url: str, tmp_path: Path):
    url = owner_database_url.replace(":", ":wrong-secret", 2).replace(
        "postgresql+psycopg:wrong-secret", "postgresql+psycopg:"
    )
    with pytest.raises(ServiceProblem) as problem:
        dump(url, tmp_path / "b")
    assert "wrong-secret" not in str(problem.value)


def test_the_commands_say_what_they_did(
    stage: Stage,
    owner_database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("MIGRATION_DATABASE_URL", owner_database_url)
    get_settings.cache_clear()
    file = tmp_path / "autolab.backup"
    assert main(["backup", str(file)]) == 0
    assert capsys.readouterr().out.startswith(f"Backed up into {file}, ")
    assert main(["restore", str(file)]) == 0
    assert capsys.readouterr().out == "Restored. ./autolab up continues where the backup was made.\n"
    assert main(["backup", str(file)]) == 1
    assert capsys.readouterr().err == f"autolab: {file} exists already. Choose another name.\n"
    assert main(["restore", str(tmp_path / "none")]) == 1
    assert "There is no file" in capsys.readouterr().err
