import json
import os
import pwd
import socket
import stat
from pathlib import Path

import pytest

from app.embedded import accounts
from app.embedded.binaries import postgres_binaries
from app.embedded.home import prepare_home
from app.embedded.instance_note import InstanceNote, hold, own_mark, read_note, running_instance
from app.embedded.leftovers import clear_postgres
from app.embedded.lock_stamp import STAMP, installed_lock
from app.embedded.passwords import load_passwords
from app.embedded.ports import free_port, is_free, next_free_port
from app.embedded.postgres import refuse_other_version
from app.embedded.problems import ServiceProblem


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_passwords_are_made_once_and_for_their_owner_only(tmp_path: Path):
    passwords = load_passwords(tmp_path)
    assert load_passwords(tmp_path) == passwords
    assert mode(tmp_path / "passwords.json") == 0o600
    assert len({passwords.superuser, passwords.owner, passwords.application, passwords.broker}) == 4


def test_everything_in_the_home_is_for_its_owner_only(tmp_path: Path):
    for name in ("logs", "beat"):
        (tmp_path / name).mkdir(mode=0o755)
    with hold(prepare_home(tmp_path)):
        assert {name: mode(tmp_path / name) for name in ("logs", "beat", "instance.lock")} == {
            "logs": 0o700,
            "beat": 0o700,
            "instance.lock": 0o600,
        }


def test_damaged_passwords_are_not_replaced(tmp_path: Path):
    (tmp_path / "passwords.json").write_text('{"superuser": "half', encoding="utf-8")
    with pytest.raises(ServiceProblem, match=r"passwords\.json is damaged"):
        load_passwords(tmp_path)


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(ServiceProblem, match="AUTOLAB_HOME"):
        prepare_home(tmp_path / "file" / "home")


def test_the_home_is_closed_to_others(tmp_path: Path):
    home = prepare_home(tmp_path / "home")
    assert mode(home) & 0o066 == 0
    assert mode(home / "logs") == 0o700


def test_a_held_home_is_refused_with_the_address_of_the_holder(tmp_path: Path):
    with hold(tmp_path):
        with pytest.raises(ServiceProblem, match="starting or stopping"), hold(tmp_path):
            pass
        InstanceNote(own_mark(), "http://127.0.0.1:1", {"REDIS_URL": "x"}).write(tmp_path)
        assert mode(tmp_path / "instance.json") == 0o600
        with pytest.raises(ServiceProblem, match=r"already runs at http://127\.0\.0\.1:1"), hold(tmp_path):
            pass
    with hold(tmp_path):
        assert read_note(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"supervisor": {"pid": 1}}'])
def test_a_damaged_note_is_no_note(tmp_path: Path, text: str):
    (tmp_path / "instance.json").write_text(text, encoding="utf-8")
    assert read_note(tmp_path) is None


def test_the_note_of_a_dead_instance_names_none_that_runs(tmp_path: Path):
    mark = own_mark()
    note = {"supervisor": {"pid": mark.pid, "started_at": 1.0}, "address": "a", "variables": {}, "processes": {}}
    (tmp_path / "instance.json").write_text(json.dumps(note), encoding="utf-8")
    assert read_note(tmp_path) is not None
    assert running_instance(tmp_path) is None


def test_the_next_free_port_is_found_or_none():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert not is_free(port)
        assert next_free_port(port, "127.0.0.1", tries=1) is None
        assert next_free_port(port, "127.0.0.1") not in {None, port}
    assert is_free(free_port())


def test_a_port_without_permission_or_address_counts_as_busy():
    assert not is_free(80, "192.0.2.1")


def test_a_stale_lock_of_postgres_is_removed_but_its_foreign_process_left_alone(tmp_path: Path):
    lock = tmp_path / "postmaster.pid"
    for content in (f"{os.getpid()}\n{tmp_path}\n", "999999999\n", "no number", ""):
        lock.write_text(content, encoding="utf-8")
        clear_postgres(tmp_path)
        assert not lock.exists()


def test_a_cluster_of_another_version_is_refused(tmp_path: Path):
    (tmp_path / "PG_VERSION").write_text("9\n", encoding="ascii")
    with pytest.raises(ServiceProblem, match="made by PostgreSQL 9, installed is 18"):
        refuse_other_version(tmp_path, postgres_binaries())


def test_root_lends_postgres_an_account_that_nobody_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(accounts, "can_run", lambda account, *_: account.reads_everything)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    account = accounts.choose_account(tmp_path / "postgres", Path("postgres"))
    assert account is not None
    assert account.uid not in {entry.pw_uid for entry in pwd.getpwall()}
    assert account.command(["postgres"])[0] == "setpriv"
    assert account.options() == {}
    assert accounts.named_account(account).uid in {entry.pw_uid for entry in pwd.getpwall()} - {0}


def test_root_without_any_way_to_lend_one_is_told_the_ways_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(accounts, "can_run", lambda *_: False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(ServiceProblem, match="ordinary user"):
        accounts.choose_account(tmp_path / "postgres", Path("postgres"))


def test_an_ordinary_user_is_told_whose_the_data_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(ServiceProblem, match="belongs to user"):
        accounts.choose_account(tmp_path, Path("postgres"))


def test_a_user_without_a_name_is_told_that_postgres_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    with pytest.raises(ServiceProblem, match="has no name"):
        accounts.choose_account(tmp_path / "postgres", Path("postgres"))


def test_the_stamp_tells_whether_the_packages_are_those_of_the_lock(tmp_path: Path):
    assert installed_lock(tmp_path) is None
    (tmp_path / ".venv").mkdir()
    (tmp_path / "some.lock").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    (tmp_path / ".venv" / STAMP).write_text(f"some.lock {empty}", encoding="ascii")
    assert installed_lock(tmp_path) == "some.lock"
    (tmp_path / "some.lock").write_bytes(b"changed")
    assert installed_lock(tmp_path) is None
