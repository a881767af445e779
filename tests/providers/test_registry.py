"""The model registry: entries checked by field, one voice per entry for all threads."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.library.model_tables import model_tables
from app.providers.anthropic import Anthropic
from app.providers.chat import ask
from app.providers.compatible import Compatible, SchemaMode
from app.providers.fake_server import fake_provider
from app.providers.openai import OpenAI
from app.providers.registry import ModelEntry, RegistryError, close_voices, model_entries, voice
from app.providers.rehearsal import Rehearsal
from tests.providers.steps import StepKind, request, step

OWN = {
    "name": "local/fake",
    "provider": "openai_compatible",
    "family": "fakes",
    "endpoint": "http://127.0.0.1:1/v1",
    "wire_model": "fake",
    "key_variable": "LOCAL_API_KEY",
    "features": {"schema_mode": "json_object", "temperature": False},
    "price_in": 0.5,
    "training_cutoff": "2025-06-30",
    "limits": {"concurrent": 4},
}


@pytest.fixture(autouse=True)
def _voices_closed() -> Iterator[None]:
    yield
    close_voices()


def test_the_shipped_models_are_entries():
    entries = model_entries(model_tables())
    families = {name: entry.family for name, entry in entries.items()}
    assert families == {
        "rehearsal/steady": "rehearsal-players",
        "rehearsal/bold": "rehearsal-players",
        "rehearsal/strict": "rehearsal-judges",
        "rehearsal/dazzled": "rehearsal-judges",
        "rehearsal/author": "rehearsal-authors",
        "rehearsal/vain": "rehearsal-players",
    }
    assert all(entry.is_rehearsal and entry.price_in == 0 for entry in entries.values())


def test_an_entry_of_ones_own_is_read():
    entry = model_entries([OWN])["local/fake"]
    assert entry.features.schema_mode is SchemaMode.JSON_OBJECT
    assert entry.limits.concurrent == 4
    assert entry.price_out is None
    assert not entry.is_rehearsal


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"endpoint": None}, "local/fake: entry: endpoint: write the base URL"),
        ({"endpoint": "ftp://x"}, "endpoint: write the base URL"),
        ({"price_in": -1}, "price_in"),
        ({"features": {"schema_mode": "xml"}}, r"features\.schema_mode"),
        ({"limits": {"concurrent": 0}}, r"limits\.concurrent"),
        ({"colour": "red"}, "colour"),
        ({"features": {"web_search": True}}, r"features\.web_search: only models"),
        ({"provider": "anthropic", "features": {"temperature": True}}, r"features\.temperature: the Messages API"),
        ({"provider": "anthropic", "features": 7}, "features"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], said: str):
    with pytest.raises(RegistryError, match=said):
        model_entries([{**OWN, **change}])


def test_a_name_is_taken_once():
    with pytest.raises(RegistryError, match="taken twice"):
        model_entries([OWN, OWN])


def test_a_nameless_entry_is_counted():
    with pytest.raises(RegistryError, match="model number 2: name"):
        model_entries([OWN, {"provider": "rehearsal"}])


def test_the_voice_of_an_entry_is_one_for_all_threads():
    entry = model_entries([OWN])["local/fake"]
    with ThreadPoolExecutor(32) as threads:
        voices = set(threads.map(lambda _: id(voice(entry, key="k")), range(200)))
    assert len(voices) == 1
    assert isinstance(voice(entry, key="k"), Compatible)
    assert voice(entry, key="another") is not voice(entry, key="k")


@pytest.mark.parametrize(("provider", "kind"), [("anthropic", Anthropic), ("openai", OpenAI)])
def test_each_provider_has_its_own_voice(provider: str, kind: type):
    entry = ModelEntry.model_validate(
        {
            "name": provider,
            "provider": provider,
            "family": provider,
            "wire_model": "fake",
            "features": {"web_search": True},
        }
    )
    assert isinstance(voice(entry, key="k"), kind)
    assert entry.features.temperature is (provider == "openai")


def test_a_rehearsal_voice_has_its_pace():
    entry = model_entries(model_tables())["rehearsal/bold"]
    assert isinstance(voice(entry), Rehearsal)
    assert voice(entry, pace_seconds=0.4) is not voice(entry)


def test_sixty_four_threads_share_one_pool():
    with fake_provider(latency=0.02) as provider:
        entry = ModelEntry.model_validate({**OWN, "endpoint": provider.base_url})
        wanted = request(step(StepKind.MEMO))
        with ThreadPoolExecutor(64) as threads:
            answers = list(threads.map(lambda _: ask(voice(entry), wanted).text, range(256)))
        close_voices()
    assert len(answers) == len(provider.seen) == 256
    assert len(set(answers)) == 1
