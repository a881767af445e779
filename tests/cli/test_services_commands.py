"""Commands that work on a given database, as they do in containers and on many machines."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from app.cli import main
from app.embedded.postgres import Postgres
from app.embedded.roles import create_database, drop_database
from app.embedded.schema import plain_url
from app.settings import get_settings

pytestmark = pytest.mark.services


@pytest.fixture(autouse=True)
def given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, database_url: str, owner_database_url: str, redis_url: str
) -> Iterator[None]:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", owner_database_url)
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setenv("AUTOLAB_HOME", str(tmp_path))
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


def autolab(*words: str) -> int:
    get_settings.cache_clear()
    return main.main(words)


def test_a_person_is_added_linked_and_disabled(capsys: pytest.CaptureFixture[str]):
    assert autolab("user", "add", "Ada", "--role", "admin") == 0
    assert autolab("user", "add", "Grace") == 0
    links = re.findall(r"http://127.0.0.1:8000/sign-in/\S{20,}", capsys.readouterr().out)
    assert len(set(links)) == 2
    assert autolab("user", "link", "Ada") == 0
    assert "/sign-in/" in capsys.readouterr().out
    assert autolab("user", "disable", "Grace") == 0
    assert autolab("user", "link", "Grace") == 1
    assert "disabled" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["add", "Ada"], "named Ada already"),
        (["link", "Nobody"], "no user Nobody"),
        (["disable", "Ada"], "last admin"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(words: list[str], told: str, capsys: pytest.CaptureFixture[str]):
    assert autolab("user", "add", "Ada", "--role", "admin") == 0
    assert autolab("user", *words) == 1
    assert told in capsys.readouterr().err


def test_a_database_is_migrated_by_its_owner(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, owner_database_url: str, capsys: pytest.CaptureFixture[str]
):
    name = owner_database_url.rsplit("/", 1)[1] + "_empty"
    with postgres.connect() as connection:
        create_database(connection, name)
    monkeypatch.setenv("DATABASE_URL", postgres.url("autolab", name))
    monkeypatch.setenv("MIGRATION_DATABASE_URL", postgres.url("autolab_owner", name))
    assert autolab("worker") == 1
    assert "./autolab migrate" in capsys.readouterr().err
    assert autolab("migrate") == 0
    assert autolab("migrate") == 0
    assert capsys.readouterr().out.splitlines() == [
        "The schema was empty and is current.",
        "The schema was current and is current.",
    ]
    with postgres.connect() as connection:
        drop_database(connection, name)


def test_a_role_without_rights_cannot_migrate(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, owner_database_url: str, capsys: pytest.CaptureFixture[str]
):
    name = owner_database_url.rsplit("/", 1)[1] + "_foreign"
    with postgres.connect() as connection:
        create_database(connection, name)
    monkeypatch.setenv("DATABASE_URL", postgres.url("autolab", name))
    monkeypatch.delenv("MIGRATION_DATABASE_URL")
    assert autolab("migrate") == 1
    assert "must be the owner's role" in capsys.readouterr().err
    with postgres.connect() as connection:
        drop_database(connection, name)


def test_the_application_may_not_change_the_ledger(database_url: str):
    with (
        psycopg.connect(plain_url(database_url)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("DELETE FROM ledger")


def test_the_doctor_finds_given_services_in_order(capsys: pytest.CaptureFixture[str]):
    autolab("doctor")
    printed = capsys.readouterr().out
    assert "ok    database: reachable, its schema is current" in printed
    assert "ok    broker: reachable" in printed


def test_the_health_of_a_part_is_that_of_its_services(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert autolab("health", "worker") == 0
    monkeypatch.setenv("AUTOLAB_PORT", "1")
    assert autolab("health", "web") == 1
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert autolab("health", "worker") == 1
    assert "broker" in capsys.readouterr().err


def test_a_web_server_on_a_busy_port_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("AUTOLAB_PORT", str(taken.getsockname()[1]))
        assert autolab("web") == 1
    assert "is busy" in capsys.readouterr().err
