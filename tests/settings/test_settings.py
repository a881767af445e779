from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings import Settings, SettingsProblem, get_settings, provider_key

APPLICATION = "postgresql://app:app-secret@db/autolab"
OWNER = "postgresql://owner:owner-secret@db/autolab"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL", "AUTOLAB_PORT", "AUTOLAB_HOME"):
        monkeypatch.delenv(name, raising=False)
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


def test_without_any_variable_the_embedded_services_are_meant():
    settings = get_settings()
    assert settings.database_url is None
    assert settings.address == "http://127.0.0.1:8000"
    with pytest.raises(SettingsProblem, match="DATABASE_URL is not set"):
        settings.needed_database_url()
    with pytest.raises(SettingsProblem, match="REDIS_URL is not set"):
        settings.needed_redis_url()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_an_address_of_postgres_gets_the_driver(monkeypatch: pytest.MonkeyPatch, scheme: str):
    monkeypatch.setenv("DATABASE_URL", f"{scheme}://app:secret@db/autolab")
    settings = get_settings()
    assert settings.database_url == settings.owner_url == "postgresql+psycopg://app:secret@db/autolab"
    assert settings.application_role is None


def test_two_roles_are_told_apart(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DATABASE_URL", APPLICATION)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", OWNER)
    settings = get_settings()
    assert settings.application_role == "app"
    assert "owner-secret" in settings.owner_url


def test_an_address_can_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "url").write_text(APPLICATION + "\n", encoding="utf-8")
    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "url"))
    assert get_settings().needed_database_url().endswith("@db/autolab")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_URL", "mysql://root:hidden@db/x"),
        ("REDIS_URL", "http://hidden"),
        ("AUTOLAB_PORT", "hidden"),
        ("AUTOLAB_PUBLIC_URL", "hidden"),
        ("MIGRATION_DATABASE_URL", "postgresql://o:hidden@db/x"),
        ("DATABASE_URL_FILE", "/nowhere/at/all"),
    ],
)
def test_a_wrong_value_is_named_and_not_shown(monkeypatch: pytest.MonkeyPatch, variable: str, value: str):
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsProblem, match=variable) as problem:
        get_settings()
    assert "hidden" not in str(problem.value)


def test_behind_a_proxy_the_public_address_is_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOLAB_PUBLIC_URL", "https://lab.example.org/")
    settings = get_settings()
    assert settings.address == "https://lab.example.org"
    assert settings.secure_cookies


def test_secrets_do_not_show_in_the_representation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DATABASE_URL", APPLICATION)
    monkeypatch.setenv("REDIS_URL", "redis://:redis-secret@broker/0")
    assert "secret" not in repr(get_settings())


def test_a_key_is_read_when_it_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert provider_key("ABSENT_API_KEY") is None
    monkeypatch.setenv("EXAMPLE_API_KEY", " first ")
    assert provider_key("EXAMPLE_API_KEY") == "first"
    monkeypatch.delenv("EXAMPLE_API_KEY")
    (tmp_path / "key").write_text("second\n", encoding="utf-8")
    monkeypatch.setenv("EXAMPLE_API_KEY_FILE", str(tmp_path / "key"))
    assert provider_key("EXAMPLE_API_KEY") == "second"


@pytest.mark.parametrize("variable", ["DATABASE_URL", "PATH", "example_api_key", "X_API_KEY\n"])
def test_no_other_secret_can_pass_for_a_key(variable: str):
    with pytest.raises(SettingsProblem, match="no name for a key"):
        provider_key(variable)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (None, True),
        ("http://localhost:8000", True),
        ("http://[::1]:8000", True),
        ("https://raters.example", False),
        ("http://192.168.1.4:8000", False),
    ],
)
def test_a_loopback_address_is_for_this_machine_only(address: str | None, expected: bool):
    settings = Settings(_env_file=None, host="127.0.0.1", public_url=address)
    assert settings.is_for_this_machine_only is expected
