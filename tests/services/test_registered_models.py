"""The registry as services read it: layers of entries, freshness, a database away, costs, and launch problems."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from app.domain.protocol.conditions import Condition
from app.providers.chat import Usage
from app.providers.registry import ModelEntry
from app.services import registry as module
from app.services import run_states, studies
from app.services.launch_problems import UnfitModelsError, launch_notes, launch_problems
from app.services.model_forms import add_model, change_model, retire_model
from app.services.registry import Source, cost_of, forget_registry, model_entry, registered_model, registry
from app.services.studies import StudyFileError, choose_model, read_study_file, study_file
from app.services.study_forms import StudyForm, weigh
from app.services.unit_of_work import unit_of_work
from app.settings import get_settings
from tests.services.stage import Script, Stage, design

pytestmark = pytest.mark.services

OWN = """
[[models]]
name = "own/one"
provider = "openai_compatible"
family = "own"
endpoint = "http://127.0.0.1:1/v1"
wire_model = "one"
"""


def entry(name: str = "lab/one", **changes: Any) -> ModelEntry:
    fields = {"name": name, "provider": "anthropic", "family": "lab", "wire_model": "one", "price_in": 3.0}
    return ModelEntry.model_validate({**fields, **changes})


def added(stage: Stage, one: ModelEntry) -> None:
    by = stage.user()
    with unit_of_work() as work:
        add_model(work, one, by)


def own_file() -> Path:
    return get_settings().home / "models.toml"


def test_entries_come_from_the_software_the_own_file_and_the_page(stage: Stage):
    own_file().write_text(OWN, encoding="utf-8")
    added(stage, entry())
    sources = {name: model.source for name, model in registry().models.items()}
    assert sources["rehearsal/steady"] is Source.SHIPPED
    assert sources["own/one"] is Source.FILE
    assert sources["lab/one"] is Source.PAGE
    by = stage.user()
    with unit_of_work() as work:
        change_model(work, "own/one", entry("own/one", family="better"), based_on=0, by=by)
    assert registered_model("own/one").source is Source.PAGE
    assert model_entry("own/one").family == "better"


def test_calls_look_at_the_own_file_again_after_a_while(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    own_file().write_text(OWN, encoding="utf-8")
    assert model_entry("own/one").family == "own"
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.0)
    forget_registry()
    assert model_entry("own/one").family == "own"
    own_file().write_text(OWN.replace('"own"', '"other"'), encoding="utf-8")
    assert model_entry("own/one").family == "other"


def test_an_own_file_that_cannot_be_read_leaves_the_others(stage: Stage):
    own_file().write_text("models = 7", encoding="utf-8")
    assert model_entry("rehearsal/steady")
    assert registry().problem
    with pytest.raises(module.UnknownModelError, match=r"own/one is not registered; .*models\.toml"):
        model_entry("own/one")


def test_a_fresh_registry_is_not_read_again_and_an_edit_elsewhere_is_seen_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    assert "lab/one" not in registry().models
    reads = []
    read = module._read
    monkeypatch.setattr(module, "_read", lambda where: reads.append(where) or read(where))
    monkeypatch.setattr("app.services.model_forms.forget_registry", lambda: None)
    added(stage, entry())  # as another process would
    assert "lab/one" not in registry().models
    assert reads == []
    monkeypatch.setattr(module._KEPT, "_fresh_until", 0.0)
    assert "lab/one" in registry().models
    assert len(reads) == 1


def test_a_model_that_another_process_added_just_now_is_found(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    known = registry()
    monkeypatch.setattr("app.services.model_forms.forget_registry", lambda: None)
    added(stage, entry())
    assert registry() is known
    assert model_entry("lab/one").wire_model == "one"
    found = registry()
    assert "lab/one" in found.models
    assert registered_model("lab/one") is found.models["lab/one"]
    with pytest.raises(module.UnknownModelError, match="model lab/none is not registered"):
        model_entry("lab/none")


def edited_elsewhere(stage: Stage, one: ModelEntry, based_on: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process edits a model; this one knows nothing of it."""
    by = stage.user()
    with monkeypatch.context() as patch:
        patch.setattr("app.services.model_forms.forget_registry", lambda: None)
        with unit_of_work() as work:
            change_model(work, one.name, one, based_on=based_on, by=by)


def test_a_process_calls_no_model_as_it_was_before_the_study_was_launched(
    stage: Stage, scripted: Script, monkeypatch: pytest.MonkeyPatch
):
    added(stage, entry())
    player = {"players": (choose_model("lab/one", None).model_copy(update={"version": None}),)}
    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,), **player)
    run_states._KEPT.__init__()  # this process has met neither the study
    edited_elsewhere(stage, entry(wire_model="two"), 1, monkeypatch)
    assert model_entry("lab/one").wire_model == "one"  # nor the edit
    stage.perform(run, "E1/decision")
    assert scripted.heard[-1].model == "two"


def test_a_launch_fixes_no_model_as_it_was_before(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    added(stage, entry())
    old = design(players=(choose_model("lab/one", None),))
    edited_elsewhere(stage, entry(wire_model="two"), 1, monkeypatch)
    with (
        pytest.raises(UnfitModelsError, match="fixes lab/one as one, the registry has two now"),
        unit_of_work() as work,
    ):
        studies.launch_study(work, old, None)


def test_what_is_read_while_it_is_forgotten_is_read_again(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    reads = []
    read = module._read

    def reading(where: Any) -> Any:
        reads.append(where)
        if len(reads) == 1:
            forget_registry()
        return read(where)

    forget_registry()
    monkeypatch.setattr(module, "_read", reading)
    assert registry() is registry()
    assert len(reads) == 2


def test_while_another_thread_reads_what_is_known_is_used(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    known = registry()
    monkeypatch.setattr(module._KEPT, "_fresh_until", 0.0)
    with module._KEPT._reading:
        assert registry() is known


def test_a_database_away_leaves_what_was_known(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    known = registry()

    def away(where: object) -> None:
        raise OperationalError("select", {}, Exception("away"))

    monkeypatch.setattr(module, "_read", away)
    monkeypatch.setattr(module._KEPT, "_fresh_until", 0.0)
    assert registry() is known
    forget_registry()
    with pytest.raises(OperationalError):
        registry()
    forget_registry()


@pytest.mark.parametrize(
    ("changes", "usage", "cost"),
    [
        ({"price_out": 15.0}, Usage(1_000_000, 100_000), 4.5),
        ({"price_out": 15.0, "price_cached": 0.3}, Usage(1_000_000, 100_000, tokens_cached=500_000), 3.15),
        ({"price_out": 15.0, "price_searches": 10.0}, Usage(0, 0, searches=3), 0.03),
        ({"price_out": 15.0}, Usage(0, 0, searches=3), None),
        ({}, Usage(1, 1), None),
        ({"price_out": 15.0}, Usage(1, None), None),
        ({"price_in": 0.0, "price_out": 0.0}, Usage(), 0.0),
    ],
)
def test_costs_hold_caches_and_searches(changes: dict[str, Any], usage: Usage, cost: float | None):
    assert cost_of(entry(**changes), usage) == (None if cost is None else pytest.approx(cost))


def test_a_design_that_fixes_another_version_than_the_registry_has_is_refused(stage: Stage):
    added(stage, entry())
    chosen = choose_model("lab/one", None)
    assert chosen.version == entry().wire_model
    other = design(judge=chosen.model_copy(update={"version": "one-of-old"}))
    with pytest.raises(StudyFileError, match="the design fixes lab/one as one-of-old, the registry has one now"):
        read_study_file(study_file(other))
    assert read_study_file(study_file(design(judge=chosen))).judge == chosen
    plain = design(judge=chosen.model_copy(update={"version": None}))
    assert "version" not in plain.judge.model_dump()


def test_a_temperature_that_a_model_does_not_take_is_told_before_launch(stage: Stage):
    added(stage, entry(key_variable="LAB_API_KEY"))
    chosen = choose_model("lab/one", 1.0)
    assert chosen.temperature is None
    fixed = design(judge=chosen.model_copy(update={"temperature": 0.7}))
    with pytest.raises(UnfitModelsError, match=r"judge: lab/one takes no temperature, and the design fixes it at 0\.7"):
        stage.launch(judge=fixed.judge)
    with pytest.raises(StudyFileError, match="judge: lab/one takes no temperature"):
        read_study_file(study_file(fixed))
    short = 'name = "S"\nschedule = "history-short"\nplayers = ["rehearsal/steady"]\nauthor = "rehearsal/author"\n'
    with pytest.raises(StudyFileError, match="judge: lab/one takes no temperature"):
        read_study_file(short + 'judge = { model = "lab/one", temperature = 0.7 }\n')
    assert read_study_file(short + 'judge = "lab/one"\n').judge.temperature is None
    notes = launch_notes(design(judge=chosen))
    assert notes[0] == "lab/one takes no temperature: its provider’s own setting is used."
    assert "LAB_API_KEY is not set here" in notes[-1]


def test_a_retired_model_is_refused_at_launch(stage: Stage):
    added(stage, entry())
    by = stage.user()
    with unit_of_work() as work:
        retire_model(work, "lab/one", retired=True, by=by)
    with pytest.raises(UnfitModelsError, match="judge: lab/one is retired"):
        stage.launch(judge=choose_model("lab/one", None))
    form = StudyForm(
        name="S",
        schedules=("history-short",),
        players=("rehearsal/steady",),
        judge="lab/one",
        author="rehearsal/author",
    )
    assert "is retired" in weigh(form).problems["judge"]


def test_a_judge_that_cannot_search_is_said_for_live_eras_only(stage: Stage):
    assert launch_notes(design()) == ()
    nine = design(schedule="history-1990-2040")
    assert "cannot search the web" in launch_notes(nine)[0]


def test_searches_without_a_price_refuse_a_cost_budget(stage: Stage):
    added(stage, entry(price_out=15.0, features={"web_search": True}))
    priced = {"players": (choose_model("rehearsal/steady", 1.0),), "judge": choose_model("lab/one", None)}
    budgets = {"run": {"cost_usd": 1.0}}
    studies.refuse_unpriced(design(budgets=budgets, **priced))
    with pytest.raises(studies.UnpricedBudgetError, match="the web searches of lab/one"):
        studies.refuse_unpriced(design(budgets=budgets, schedule="history-1990-2040", **priced))


@pytest.mark.parametrize(("author", "role"), [("rehearsal/strict", "the judge"), ("rehearsal/steady", "a player")])
def test_who_writes_all_briefings_neither_judges_nor_plays(stage: Stage, author: str, role: str):
    written = {"author": choose_model(author, 1.0), "briefings": "model"}
    ((field, words),) = launch_problems(design(**written))
    assert (field, words.partition(" of this study")[0]) == ("author", f"{author} is {role}")
    for other in ({"briefings": "drawn"}, {"preset": "pilot"}):
        assert not launch_problems(design(**{**written, **other}))
