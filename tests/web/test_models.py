"""The registry of models: admins write it, operators try a model, no key is ever shown."""

import re
from collections.abc import Iterator

import pytest

from app.providers.fake_server import FakeProvider, Fault, Rule, Script, fake_provider
from app.providers.registry import close_voices
from app.services.registry import model_entry, offered_models, registered_model
from app.services.unit_of_work import reading
from tests.web.conftest import Browser

KEY = "sk-very-secret-0123456789"
NAME = "lab/model-1"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    monkeypatch.setenv("FAKE_API_KEY", KEY)
    with fake_provider() as running:
        yield running
        close_voices()


def entry(fake: FakeProvider | None = None, /, **changes: str) -> dict[str, str]:
    fields = {
        "name": NAME,
        "provider": "anthropic",
        "family": "lab",
        "wire_model": "model-1",
        "endpoint": fake.root_url if fake else "https://lab.example",
        "key_variable": "FAKE_API_KEY",
        "schema_mode": "json_schema",
        "limit_field": "max_tokens",
        "price_in": "3",
        "price_out": "15",
    }
    return {**fields, **changes}


def test_an_added_model_is_offered_and_read_at_once(admin: Browser):
    page = admin.post("/models", entry())
    assert NAME in page.text
    assert "edited here, version 1" in page.text
    assert "no temperature" in page.text
    assert "FAKE_API_KEY is not set" in page.text
    assert model_entry(NAME).price_out == 15
    assert NAME in admin.get("/studies/new").text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "rehearsal/steady"}, "named rehearsal/steady already"),
        ({"name": "two words"}, "such as lab/model-1"),
        ({"name": "two words", "key_variable": KEY}, "never the key itself"),
        ({"name": "", "endpoint": f"https://{KEY}@lab.example"}, "never from an address"),
        ({"endpoint": "lab.example"}, "write the base URL"),
        ({"endpoint": f"https://{KEY}@lab.example"}, "never from an address"),
        ({"key_variable": KEY}, "never the key itself"),
        ({"temperature": "true"}, "takes no sampling settings"),
        ({"provider": "openai_compatible", "web_search": "true"}, "only models of anthropic and openai"),
        ({"price_in": "-1"}, "write 0 or more"),
        ({"price_in": "inf"}, "finite number"),
        ({"price_in": "cheap"}, "write a number"),
        ({"family": ""}, "write something here"),
        ({"concurrent": "0"}, "write 1 or more"),
        ({"training_cutoff": "spring"}, "date"),
    ],
)
def test_what_does_not_fit_is_said_beside_the_field(admin: Browser, changes: dict[str, str], said: str):
    page = admin.post("/models", entry(**changes))
    assert page.status_code == 422
    assert said in page.text
    assert KEY not in page.text
    with reading() as look:
        assert look.models.current() == ()


def test_an_edit_is_a_new_version_and_the_old_one_stays(admin: Browser):
    admin.post("/models", entry())
    form = admin.get(f"/models/edit/{NAME}").text
    assert 'name="based_on" value="1"' in form
    assert 'value="model-1"' in form
    page = admin.post(f"/models/edit/{NAME}", entry(name="another", price_out="20", based_on="1"))
    assert "edited here, version 2" in page.text
    assert model_entry(NAME).price_out == 20
    assert "changed price out" in admin.get(f"/models/edit/{NAME}").text
    with reading() as look:
        assert [version.number for version, _ in look.models.history(NAME)] == [2, 1]


def test_the_second_of_two_admins_is_told_and_nothing_is_overwritten(admin: Browser):
    admin.post("/models", entry())
    admin.post(f"/models/edit/{NAME}", entry(price_out="20", based_on="1"))
    late = admin.post(f"/models/edit/{NAME}", entry(price_out="30", based_on="1"))
    assert late.status_code == 409
    assert "Somebody else changed" in late.text
    assert model_entry(NAME).price_out == 20
    assert admin.post(f"/models/edit/{NAME}", entry(family="", based_on="2")).status_code == 422
    assert admin.post(f"/models/edit/{NAME}", entry(price_in="x", based_on="2")).status_code == 422


def test_a_retired_model_is_offered_no_longer_but_answers_for_runs_under_way(admin: Browser):
    admin.post("/models", entry())
    page = admin.post(f"/models/retire/{NAME}")
    assert "retired" in page.text
    assert NAME not in admin.get("/studies/new").text
    assert NAME not in {model.name for model in offered_models()}
    assert model_entry(NAME).family == "lab"
    assert "Retire" in admin.post(f"/models/offer/{NAME}").text
    assert registered_model(NAME).number == 3
    assert not registered_model(NAME).retired


def test_the_softwares_own_models_stay_as_they_are(admin: Browser):
    for path in ("retire", "offer", "try"):
        assert admin.post(f"/models/{path}/rehearsal/steady").status_code == 409
    assert admin.post("/models/edit/rehearsal/steady", entry(based_on="0")).status_code == 409
    assert admin.get("/models/edit/none/such").status_code == 404


def test_a_trial_shows_what_came_back_and_never_the_key(admin: Browser, provider: FakeProvider):
    admin.post("/models", entry(provider))
    page = admin.post(f"/models/try/{NAME}")
    assert "was tried" in page.text
    assert "answered" in page.text
    assert "FAKE_API_KEY is set" in page.text
    assert "model-1" in page.text
    assert provider.seen[-1].headers["authorization"] == f"Bearer {KEY}"
    assert provider.seen[-1].body["max_tokens"] == 1_000
    assert KEY not in page.text
    with reading() as look:
        assert KEY not in str(look.models.history(NAME))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.QUOTA, "quota exhausted"),
        (Fault.SERVER_ERROR, "HTTP 500"),
        (Fault.TRUNCATED, "cut off at its token limit"),
        (Fault.REFUSAL, "I cannot help with that."),
    ],
)
def test_a_trial_that_fails_says_how(admin: Browser, provider: FakeProvider, fault: Fault, said: str):
    provider.follow(Script(rules=(Rule(fault=fault),)))
    admin.post("/models", entry(provider))
    assert said in admin.post(f"/models/try/{NAME}").text


def test_operators_try_but_do_not_edit_and_auditors_read(operator: Browser):
    page = operator.get("/models").text
    assert not re.search(r'action="[^"]*/models/retire', page)
    assert operator.post("/models/try/rehearsal/steady").status_code == 409
    for path in ("/models", "/models/edit/rehearsal/steady", "/models/retire/rehearsal/steady"):
        assert operator.post(path, entry()).status_code == 403
    assert operator.get("/models/new").status_code == 403


def test_auditors_only_read(auditor: Browser):
    assert "/models/try/" not in auditor.get("/models").text
    assert auditor.post("/models/try/rehearsal/steady").status_code == 403
