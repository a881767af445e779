"""A browser without a screen for the tests of pages, and studies brought on by this process in place of a worker."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from sqlalchemy import text
from starlette.testclient import TestClient

from app.domain.auth import Role
from app.domain.ids import StudyId
from app.domain.protocol.conditions import Condition
from app.domain.study import StudyDesign
from app.library.reader import schedule
from app.logs import configure_logs
from app.main import create_app
from app.services.performing import Desk, perform_steps
from app.services.studies import choose_model, launch_study
from app.services.unit_of_work import reading, unit_of_work
from app.services.users import add_user, create_sign_in_link
from app.settings import get_settings
from app.storage.session import engine_of

READY = """select steps.id from steps join runs on runs.id = steps.run_id
where steps.state = 'ready' and runs.state = 'running' order by ready_at"""
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


def named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass
class Browser:
    """A client that remembers its cookie and sends its session's token with every form."""

    client: TestClient

    def get(self, path: str, **headers: str):
        return self.client.get(path, headers=named(headers))

    def part(self, path: str):
        return self.get(path, HX_Request_Type="partial")

    def post(self, path: str, data: dict | None = None, *, token: str | None = None, **headers: str):
        fields = {**(data or {}), "csrf_token": self.token if token is None else token}
        return self.client.post(path, data=fields, headers=named(headers))

    @property
    def token(self) -> str:
        found = TOKEN.search(self.get("/account").text)
        return found.group(1) if found else ""


def application() -> FastAPI:
    """The application: it keeps nothing between requests but its routes, which take a tenth of a second to make."""
    settings = get_settings()
    configure_logs(settings.log_level, settings.log_format)
    return made_once()


@cache
def made_once() -> FastAPI:
    return create_app()


@pytest.fixture
def services(database_url: str, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The settings of this test: its own database and broker."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setenv("AUTOLAB_HOME", str(tmp_path))
    get_settings.cache_clear()
    yield
    engine_of(get_settings().needed_database_url()).dispose()
    get_settings.cache_clear()


@pytest.fixture
def stranger(services: None) -> Iterator[Browser]:
    """A browser in which nobody is signed in."""
    with TestClient(application(), raise_server_exceptions=False) as client:
        yield Browser(client)


def sign_in(browser: Browser, name: str, role: Role) -> Browser:
    with unit_of_work() as work:
        add_user(work, name=name, role=role)
        path = create_sign_in_link(work, name=name)
    assert browser.client.post(path).status_code == 200
    return browser


@pytest.fixture
def admin(stranger: Browser) -> Browser:
    return sign_in(stranger, "ada", Role.ADMIN)


@pytest.fixture
def operator(stranger: Browser) -> Browser:
    return sign_in(stranger, "olga", Role.OPERATOR)


@pytest.fixture
def auditor(stranger: Browser) -> Browser:
    return sign_in(stranger, "aurel", Role.AUDITOR)


def design(**changes: Any) -> StudyDesign:
    values = {
        "name": "Spring rehearsal",
        "schedule": schedule("history-1990-2040"),
        "conditions": (Condition.FULL,),
        "players": (choose_model("rehearsal/steady", 1.0),),
        "judge": choose_model("rehearsal/strict", 1.0),
        "author": choose_model("rehearsal/author", 1.0),
    }
    return StudyDesign.model_validate({**values, **changes})


@pytest.fixture
def launch(services: None) -> Callable[..., StudyId]:
    """Launch a study of this design; its jobs are sent to a broker that nobody listens to."""

    def launched(**changes: Any) -> StudyId:
        with unit_of_work() as work:
            return launch_study(work, design(**changes), None)

    return launched


@pytest.fixture
def perform(services: None) -> Callable[..., int]:
    """Perform up to ``most`` calls of ready steps, as a worker would; gives how many were made."""

    def performed(most: int = 10_000) -> int:
        desk, made = Desk("test"), 0
        while made < most:
            with reading() as look:
                ready = look.session.execute(text(READY)).scalars().all()
            if not ready:
                return made
            if most < 10_000:
                desk.stopping.set()
            for step_id in ready[: most - made]:
                made += perform_steps(step_id, desk)
        return made

    return performed


@pytest.fixture
def stick(services: None) -> Callable[..., UUID]:
    """Let a ready step need an operator, as a model's second unfit answer would; gives the step's id."""

    def stuck(problem: str = "scores.2.value: a score of 11 was given twice") -> UUID:
        with unit_of_work() as work:
            step_id = work.session.execute(text(READY)).scalars().first()
            work.steps.set(step_id, state="needs_operator", problem=problem)
        return step_id

    return stuck
