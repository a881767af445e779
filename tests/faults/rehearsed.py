"""A fake provider with a player and a judge behind each API, and runs that are brought to an end or to an operator."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from app.domain.protocol.conditions import Condition
from app.domain.protocol.eras import Schedule
from app.providers.fake_server import FakeProvider, Rule, Script, fake_provider
from app.providers.registry import ModelEntry, close_voices, voice
from app.providers.wire import Deadlines
from app.services import claiming
from app.services.model_forms import add_model, change_model
from app.services.registry import model_entry
from app.services.studies import choose_model, launch_study
from app.services.unit_of_work import reading, unit_of_work
from app.services.verification import verify_run
from tests.services.stage import Stage, design

KEY = "a-key-of-the-fake-provider"
APIS = ("anthropic", "openai", "openai_compatible")
PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/responses",
    "openai_compatible": "/v1/chat/completions",
}
QUICK = Deadlines(connect=5.0, read=1.5, total=3.0)
PRICE_IN, PRICE_OUT = 3.0, 15.0


@dataclass
class Bench:
    """The stage, with the fake provider behind every model."""

    stage: Stage
    provider: FakeProvider
    monkeypatch: pytest.MonkeyPatch

    def launch(self, api: str, plan: Schedule | None = None, **changes: Any) -> UUID:
        """Launch a run of a single founder on the short history, unless changed; gives its id."""
        models = {
            "players": (choose_model(f"fake/{api}-player", 1.0),),
            "judge": choose_model(f"fake/{api}-judge", 1.0),
            "author": choose_model(f"fake/{api}-judge", 1.0),
        }
        asked = design(**{**models, "conditions": (Condition.SINGLE_PROMPT,), **changes})
        with unit_of_work() as work:
            study = launch_study(
                work, asked.model_copy(update={"schedules": (plan,) if plan else asked.schedules}), None
            )
        with reading() as look:
            return look.runs.of_study(study)[0].id

    def let_judges_search(self, api: str) -> None:
        """The judge's model may search the web from now on, at US$10 per thousand searches."""
        name = f"fake/{api}-judge"
        old = model_entry(name)
        features = old.features.model_copy(update={"web_search": True})
        with unit_of_work() as work:
            new = old.model_copy(update={"features": features, "price_searches": 10.0})
            change_model(work, name, new, based_on=1, by=self.stage.user())

    def misbehave(self, *rules: Rule) -> None:
        """Follow these rules; requests are counted from 1 again."""
        self.provider.follow(Script(rules=rules))

    def hurry(self) -> None:
        """Short deadlines, for a provider that is silent."""
        self.monkeypatch.setattr(claiming, "voice_of", lambda entry, **_: voice(entry, key=KEY, deadlines=QUICK))

    def waiting(self, run: UUID) -> list[Any]:
        """The steps that are ready but not before some time."""
        return [step for step in self.stage.steps(run, "ready") if step.not_before]

    def let_time_pass(self, run: UUID) -> None:
        """As if the waiting steps' time had come."""
        for step in self.waiting(run):
            with unit_of_work() as work:
                work.steps.set(step.id, not_before=None)

    def check(self, run: UUID) -> None:
        """The ledger verifies, the totals add up, and what was kept of each request is what was sent."""
        self.stage.check_books(run)
        with reading() as look:
            verdict = verify_run(look, look.runs.get(run))
        assert verdict.problems == ()


@pytest.fixture
def bench(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """Players and judges of each API, registered as an admin would."""
    monkeypatch.setenv("FAKE_API_KEY", KEY)
    by = stage.user()
    with fake_provider() as provider:
        for api in APIS:
            for role in ("player", "judge"):
                with unit_of_work() as work:
                    add_model(work, entry(provider, api, role), by)
        yield Bench(stage, provider, monkeypatch)
        close_voices()


def entry(provider: FakeProvider, api: str, role: str) -> ModelEntry:
    return ModelEntry.model_validate(
        {
            "name": f"fake/{api}-{role}",
            "provider": api,
            "family": f"fake-{role}s",
            "endpoint": provider.root_url if api == "anthropic" else provider.base_url,
            "wire_model": f"fake-{role}",
            "key_variable": "FAKE_API_KEY",
            "max_output_tokens": 8_000,
            "price_in": PRICE_IN,
            "price_out": PRICE_OUT,
        }
    )
