"""Panels over small tables of items, and raters' browsers without a screen."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.domain.ids import PanelId
from app.domain.protocol.rubrics import RubricId
from app.domain.rating.designs import PanelDesign, SourceKind
from app.domain.rating.mask_terms import company_terms
from app.domain.rating.packets import Packet, Section
from app.domain.rating.scales import rubric_for_raters
from app.domain.rating.training import TrainingItem, TrainingPlan
from app.library.reader import rubric
from app.services.frame_items import SourceItem
from app.services.panels import create_panel, lock_panel
from app.services.raters import invite_rater
from app.services.unit_of_work import unit_of_work
from app.settings import get_settings
from app.storage.session import engine_of
from tests.web.conftest import application

HIDDEN = re.compile(r'name="(\w+)" value="([^"]*)"')
RECORD = rubric_for_raters(rubric(RubricId.RECORD))
CARRIED = {"csrf_token", "version", "key", "tab", "text_hash"}
FIRST = "hindsight_leakage"
OTHERS = ("frontier_accuracy", "timing", "layer_choice", "reinvention_courage")


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


def source_items(count: int, *, words: int = 60, units: int = 12) -> list[SourceItem]:
    """Items of ``units`` runs in two conditions; their texts name their company."""
    made = []
    for number in range(count):
        unit = number % units
        company = f"Recourse{unit} Systems"
        text = f"**{company}** sells time. Recourse{unit}'s plan: a recourse to patience. " + "word " * words
        sections = (
            Section(id="briefing", title="Briefing", text="OpenAI is a fact of the world.", world=True),
            Section(id="decision", title=f"Decision of Recourse{unit}", text=text),
            Section(id="outcome", title="What happened", text=f"OUTCOME-{number}", world=True, outcome=True),
        )
        strata = {"era": f"E{number % 3}", "condition": ("full", "no_red_team")[unit % 2], "model": "secret/model-9"}
        made.append(
            SourceItem(
                key=f"secret study|{unit:02d}|{number:03d}",
                unit=f"secret run {unit}",
                strata=strata,
                packet=Packet(sections=sections),
                terms=company_terms([company]),
                judge={"timing": 9},
            )
        )
    return made


def design(**changes: Any) -> PanelDesign:
    values = {
        "name": "Secret panel",
        "source": SourceKind.TABLE,
        "rubric": RECORD,
        "strata": ("era",),
        "items": 24,
        "cap": 0,
        "repeats": 3,
        "raters": 3,
    }
    return PanelDesign.model_validate({**values, **changes})


def training(*numbers: int) -> TrainingPlan:
    consensus = dict.fromkeys((FIRST, *OTHERS), 5)
    return TrainingPlan(
        items=tuple(
            TrainingItem(
                key=f"secret study|{number % 12:02d}|{number:03d}", consensus=consensus, reasons={"timing": "why"}
            )
            for number in numbers
        )
    )


@pytest.fixture
def panel(services: None) -> Callable[..., PanelId]:
    """Make and lock a panel over a table of items."""

    def made(count: int = 30, *, words: int = 60, **changes: Any) -> PanelId:
        with unit_of_work() as work:
            panel_id = create_panel(work, design(**changes), source_items(count, words=words), None)
        with unit_of_work() as work:
            lock_panel(work, panel_id)
        return panel_id

    return made


@dataclass
class RaterBrowser:
    """A rater's client; ``seen`` keeps every response."""

    client: TestClient
    seen: list[Any] = field(default_factory=list)
    code: str = ""

    def get(self, path: str):
        answer = self.client.get(path)
        self.seen.append(answer)
        return answer

    def post(self, path: str, data: dict[str, Any] | None = None, **headers: str):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.client.post(path, data=data or {}, headers=named)
        self.seen.append(answer)
        return answer

    def come_in(self, path: str) -> None:
        self.post(path)
        page = self.get("/rate/code").text
        self.code = re.search(r'id="code">([^<]+)<', page).group(1)

    def consent(self) -> None:
        page = self.get("/rate/")
        if page.url.path == "/rate/consent":
            self.post("/rate/consent", fields_of(page.text))

    def here(self):
        return self.get("/rate/")

    def rate(self, value: int = 5, **more: str):
        """Lock the first score, then submit the others of the item at hand."""
        page = self.here()
        address = page.url.path
        self.post(f"{address}/lock", {**fields_of(page.text), f"v.{FIRST}": str(value)})
        page = self.get(address)
        values = {f"v.{name}": str(value) for name in OTHERS}
        return self.post(f"{address}/submit", {**fields_of(page.text), **values, **more})


def fields_of(html: str) -> dict[str, str]:
    """The hidden fields of a page's main form."""
    return {
        name: value
        for name, value in HIDDEN.findall(html)
        if name in {"csrf_token", "version", "key", "tab", "text_hash"}
    }


@pytest.fixture(name="application")
def started_application(services: None) -> FastAPI:
    return application()


@pytest.fixture
def visitor(application: Any) -> Iterator[Callable[[], RaterBrowser]]:
    clients = []

    def opened() -> RaterBrowser:
        client = TestClient(application, raise_server_exceptions=False)
        client.__enter__()
        clients.append(client)
        return RaterBrowser(client)

    yield opened
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def invite(services: None) -> Callable[..., str]:
    def invited(panel_id: PanelId, slot: int = 1) -> str:
        with unit_of_work() as work:
            return invite_rater(work, panel_id, slot, name=f"Person {slot}", days=7)

    return invited


@pytest.fixture
def rater(visitor: Callable[[], RaterBrowser], invite: Callable[..., str]) -> Callable[..., RaterBrowser]:
    """A rater who has claimed a slot and agreed to the text."""

    def entered(panel_id: PanelId, slot: int = 1) -> RaterBrowser:
        one = visitor()
        one.come_in(invite(panel_id, slot))
        one.consent()
        return one

    return entered
