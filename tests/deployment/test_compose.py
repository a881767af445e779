"""What can be known about the containers without an engine: the files parse, fit each other and the settings."""

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.cli.main import COMMANDS
from app.settings import Settings

ROOT = Path(__file__).parents[2]
PROGRAMS = ("web", "worker", "auditor", "beat")
COMMANDS_OF = {"worker": ["worker", "--only", "steps"], "auditor": ["worker", "--only", "audits"]}
SECRETS = ("AUTOLAB_OWNER_PASSWORD", "AUTOLAB_APPLICATION_PASSWORD", "AUTOLAB_BROKER_PASSWORD")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    loaded = yaml.safe_load(text)
    assert isinstance(loaded, dict)
    return loaded


def variables_of_settings() -> set[str]:
    fields = Settings.model_fields.items()
    return {str(field.validation_alias or f"AUTOLAB_{name.upper()}") for name, field in fields}


def test_every_part_is_there(compose: dict[str, Any]):
    services = compose["services"]
    assert set(services) == {"postgres", "redis", "migrate", *PROGRAMS}
    assert services["postgres"]["image"] == "postgres:18"
    assert services["redis"]["image"] == "redis:8"


@pytest.mark.parametrize("name", ["migrate", *PROGRAMS])
def test_each_part_runs_a_command_of_ours_with_settings_of_ours(compose: dict[str, Any], name: str):
    service = compose["services"][name]
    assert service["command"] == COMMANDS_OF.get(name, [name])
    assert service["command"][0] in COMMANDS
    assert set(service["environment"]) <= variables_of_settings()
    assert {"DATABASE_URL", "REDIS_URL"} <= set(service["environment"])


def test_only_the_migration_works_as_the_owner(compose: dict[str, Any]):
    owners = {name for name, service in compose["services"].items() if "AUTOLAB_OWNER_PASSWORD" in str(service)}
    assert owners == {"postgres", "migrate"}


@pytest.mark.parametrize("name", ["postgres", "redis", *PROGRAMS])
def test_each_lasting_part_is_looked_after(compose: dict[str, Any], name: str):
    service = compose["services"][name]
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_wait_for_the_migration(compose: dict[str, Any], name: str):
    assert compose["services"][name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    assert compose["services"]["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"


def test_workers_can_be_many(compose: dict[str, Any]):
    worker = compose["services"]["worker"]
    assert "container_name" not in worker
    assert "ports" not in worker


def test_only_the_web_server_is_reached_from_outside_and_by_default_from_this_machine(compose: dict[str, Any]):
    open_ports = {name: service["ports"] for name, service in compose["services"].items() if "ports" in service}
    assert open_ports == {"web": ["${AUTOLAB_BIND:-127.0.0.1}:8000:8000"]}


def test_no_secret_stands_in_the_file():
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    wanted = ["${" + name + ":?set it in .env}" for name in SECRETS]
    assert all(secret in text for secret in wanted)
    for secret in wanted:
        text = text.replace(secret, "X")
    assert set(re.findall(r"://[^:@\s]*:([^@\s]*)@", text)) == {"X"}
    assert set(re.findall(r"(?:PASSWORD|AUTH): \"(.*)\"", text)) == {"X"}


def test_the_application_role_of_the_init_script_is_the_one_in_the_address(compose: dict[str, Any]):
    script = ROOT / "docker" / "application-role.sh"
    subprocess.run(["sh", "-n", str(script)], check=True)
    assert "CREATE ROLE autolab LOGIN" in script.read_text(encoding="utf-8")
    assert compose["services"]["web"]["environment"]["DATABASE_URL"].startswith("postgresql://autolab:")
    assert any("docker/application-role.sh" in volume for volume in compose["services"]["postgres"]["volumes"])


def test_the_image_holds_what_it_copies_and_no_more():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copies = [shlex.split(line)[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line]
    copied = {name for names in copies for name in names}
    let_in = {line.lstrip("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)
    assert "USER autolab" in lines


def test_the_image_speaks_as_the_settings_do():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert set(re.findall(r"AUTOLAB_[A-Z_]+", text)) <= variables_of_settings()


def test_the_same_uv_is_used_everywhere():
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("autolab", "Dockerfile")]
    pins = {re.findall(r"uv==[\d.]+", text)[0] for text in texts}
    assert len(pins) == 1
