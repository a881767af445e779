"""Budgets on real Postgres: no twenty workers overshoot, a reached budget asks an operator, a raised one goes on."""

from collections.abc import Callable
from dataclasses import replace
from threading import Barrier, Lock, Thread
from uuid import UUID

import pytest

from app.domain.protocol.budgets import Budget, Budgets
from app.domain.protocol.conditions import Condition
from app.providers.chat import ChatAnswer, ChatError, ChatRequest, Usage
from app.services import studies
from app.services.budgets import UnpricedBudgetError
from app.services.interventions import InterventionRefusedError, Wish, retry_changed
from app.services.performing import Desk, perform_steps
from app.services.raising import raise_run_budget, raise_study_budget
from app.services.studies import StudyFileError, choose_model, launch_study, read_study_file, study_file
from app.services.unit_of_work import reading, unit_of_work
from app.services.upkeep import release_step
from app.services.verification import verify_run
from tests.services.stage import Script, Stage, design

pytestmark = pytest.mark.services

AddModel = Callable[[str, str], str]
KEY = "E1/decision"
THIRTY_CENTS = "price_in = 0.0\nprice_out = 18.75"  # for the longest answer, of 16,000 tokens


def launch(stage: Stage, model: str, runs: int = 1, **budgets: Budget) -> tuple[UUID, list[UUID]]:
    asked = design(
        conditions=(Condition.SINGLE_PROMPT,),
        repetitions=runs,
        players=(choose_model(model, 1.0),),
        budgets=Budgets(**budgets),
    )
    with unit_of_work() as work:
        study = launch_study(work, asked, None)
    with reading() as look:
        return study, [run.id for run in look.runs.of_study(study)]


class Till:
    """Answers that used some tokens, and the most that was ever spent and in flight together."""

    def __init__(self, tokens_out: int) -> None:
        self.tokens_out = tokens_out
        self.spent = self.most = 0.0
        self.calls = self.in_flight = 0
        self._lock = Lock()

    def __call__(self, request: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        with self._lock:
            self.in_flight += 1
            self.calls += 1
            self.most = max(self.most, self.spent + 0.3 * self.in_flight)
        with self._lock:
            self.in_flight -= 1
            self.spent += self.tokens_out * 18.75 / 1e6
        return replace(usual, usage=Usage(tokens_in=10, tokens_out=self.tokens_out))


def perform_together(stage: Stage, runs: list[UUID]) -> None:
    """Every run's first decision at the same moment, a thread for each, and nothing after it."""
    ids = [stage.step(run, KEY).id for run in runs if stage.step(run, KEY).state == "ready"]
    with unit_of_work() as work:
        for step_id in ids:
            work.steps.set(step_id, not_before=None)
    barrier = Barrier(len(ids))

    def one(step_id: UUID) -> None:
        desk = Desk("one")
        desk.stopping.set()
        barrier.wait()
        perform_steps(step_id, desk)

    threads = [Thread(target=one, args=(step_id,)) for step_id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def sums(runs: list[UUID]) -> tuple[float, float]:
    with reading() as look:
        found = [look.runs.get(run) for run in runs]
    return sum(run.cost_usd for run in found), sum(run.cost_reserved for run in found)


def states(stage: Stage, runs: list[UUID]) -> list[str]:
    return sorted(stage.step(run, KEY).state for run in runs)


@pytest.mark.parametrize("scope", ["study"])
def test_twenty_slots_never_commit_more_than_the_cap(stage: Stage, scripted: Script, own_models: AddModel, scope: str):
    till = Till(16_000)
    scripted.say(KEY, *[till] * 20)
    _, runs = launch(stage, own_models("dear", THIRTY_CENTS), 20, **{scope: Budget(cost_usd=1.0)})
    for _ in range(3):
        if "ready" in states(stage, runs):
            perform_together(stage, runs)
    assert till.calls == 3
    assert till.most <= 1.0 + 1e-9
    assert states(stage, runs) == ["done"] * 3 + ["needs_operator"] * 17
    assert sums(runs) == (pytest.approx(0.9), pytest.approx(0.0))
    stopped = next(stage.step(run, KEY) for run in runs if stage.step(run, KEY).state == "needs_operator")
    assert stopped.stopped_by == "study"
    assert "the budget of the study is US$1.0000: US$0.9000 are used" in str(stopped.problem)
    assert stopped.attempts == 0
    for run in runs:
        stage.check_books(run)


def test_what_calls_did_not_use_is_given_to_those_that_waited(stage: Stage, scripted: Script, own_models: AddModel):
    till = Till(5_333)  # ten cents
    scripted.say(KEY, *[till] * 20)
    _, runs = launch(stage, own_models("dear", THIRTY_CENTS), 12, study=Budget(cost_usd=1.0))
    for _ in range(12):
        if "ready" in states(stage, runs):
            perform_together(stage, runs)
    assert till.calls == 8
    assert till.most <= 1.0 + 1e-9
    assert states(stage, runs) == ["done"] * 8 + ["needs_operator"] * 4
    assert {step.failures for run in runs for step in stage.steps(run)} == {0}


def test_a_run_stops_at_its_budget_of_calls_and_goes_on_once_it_is_raised(
    stage: Stage, scripted: Script, own_models: AddModel
):
    _, (run,) = launch(stage, own_models("cheap", "price_in = 0.0\nprice_out = 0.0"), run=Budget(calls=2))
    stage.play(run)
    (stuck,) = stage.steps(run, "needs_operator")
    assert (stuck.stopped_by, stuck.attempts) == ("run", 0)
    assert "the budget of the run is 2 calls: 2 calls are used" in str(stuck.problem)
    assert stage.run(run).calls_made == 2
    assert stage.events(run)[-1].kind == "operator_needed"
    wish = Wish(stage.user(), "Two were too few.")
    first = Budget(calls=2)
    for wrong in (Budget(calls=1), Budget(calls=2), Budget(calls=9, tokens=10)):
        with pytest.raises(InterventionRefusedError), unit_of_work() as work:
            raise_run_budget(work, run, wish, wrong, seen=first)
    with unit_of_work() as work:
        raise_run_budget(work, run, wish, Budget(calls=100), seen=first)
    with pytest.raises(InterventionRefusedError, match="it is 100 calls now"), unit_of_work() as work:
        raise_run_budget(work, run, wish, Budget(calls=300), seen=first)
    stage.play(run)
    assert stage.run(run).state == "finished"
    with reading() as look:
        (made,) = look.interventions.of_run(run)
    assert (made.kind, made.step_id) == ("raise_budget", None)
    assert made.after == {"scope": "run", "budget": Budget(calls=100).model_dump()}
    stage.check_books(run)
    with pytest.raises(InterventionRefusedError, match="finished by now"), unit_of_work() as work:
        raise_run_budget(work, run, wish, Budget(calls=200), seen=Budget(calls=100))


def test_a_studys_raised_budget_marks_and_wakes_every_open_run(stage: Stage, scripted: Script, own_models: AddModel):
    study, runs = launch(stage, own_models("cheap", "price_in = 0.0\nprice_out = 0.0"), 2, study=Budget(calls=1))
    for run in runs:
        stage.play(run)
    assert [len(stage.steps(run, "needs_operator")) for run in runs] == [1, 1]
    with unit_of_work() as work:
        raise_study_budget(work, study, Wish(stage.user(), "Too few."), Budget(), seen=Budget(calls=1))
    for run in runs:
        stage.play(run)
    assert [stage.run(run).state for run in runs] == ["finished", "finished"]
    assert [stage.run(run).interventions for run in runs] == [1, 1]
    for seen, words in ((Budget(), "can only be raised"), (Budget(calls=1), "it is no bound now")):
        with pytest.raises(InterventionRefusedError, match=words), unit_of_work() as work:
            raise_study_budget(work, study, Wish(stage.user(), "Again."), Budget(calls=5), seen=seen)


def test_hours_are_counted_from_the_start(stage: Stage, scripted: Script, own_models: AddModel):
    _, (run,) = launch(stage, own_models("cheap", "price_in = 0.0\nprice_out = 0.0"), run=Budget(hours=1e-9))
    stage.play(run)
    assert "hours, and the time is over" in str(stage.step(run, KEY).problem)
    assert stage.calls(run) == ()


def test_an_unknown_price_refuses_a_cost_budget_at_launch_and_in_the_study_file(stage: Stage, own_models: AddModel):
    model = own_models("secret", "")
    with pytest.raises(UnpricedBudgetError, match="none is known for own/secret"):
        launch(stage, model, run=Budget(cost_usd=1))
    launch(stage, model, run=Budget(calls=1))
    file = study_file(design(players=(choose_model(model, 1.0),), budgets=Budgets(study=Budget(cost_usd=2))))
    assert "[budgets.study]\ncost_usd = 2.0" in file
    with pytest.raises(StudyFileError, match="a cost budget needs prices"):
        read_study_file(file)
    assert read_study_file(file.replace("cost_usd = 2.0", "calls = 7")).budgets == Budgets(study=Budget(calls=7))


def test_a_step_may_not_be_changed_to_a_model_without_a_price(stage: Stage, scripted: Script, own_models: AddModel):
    scripted.say(KEY, ChatError("never", final=True))
    secret = own_models("secret", "")
    _, (run,) = launch(stage, own_models("dear", THIRTY_CENTS), run=Budget(cost_usd=9))
    stage.play(run)
    wish = Wish(stage.user(), "Try another.")
    with pytest.raises(InterventionRefusedError, match="price of own/secret is not known"), unit_of_work() as work:
        retry_changed(work, stage.step(run, KEY).id, wish, model=secret, temperature=None)


def test_a_price_that_went_missing_asks_an_operator(
    stage: Stage, scripted: Script, own_models: AddModel, monkeypatch: pytest.MonkeyPatch
):
    _, (run,) = launch(stage, own_models("dear", THIRTY_CENTS), run=Budget(cost_usd=9))
    from app.services import claiming  # noqa: PLC0415 - replaced in place

    known = claiming.model_entry
    monkeypatch.setattr(claiming, "model_entry", lambda name: known(name).model_copy(update={"price_out": None}))
    stage.play(run)
    assert "the price of own/dear is not known" in str(stage.step(run, KEY).problem)


def test_a_lost_calls_cost_stays_counted_and_its_late_answer_settles_it(
    stage: Stage, scripted: Script, own_models: AddModel
):
    _, (run,) = launch(stage, own_models("dear", THIRTY_CENTS), run=Budget(cost_usd=0.5))
    step = stage.step(run, KEY)

    def lose(request: ChatRequest, usual: ChatAnswer) -> ChatAnswer:
        with unit_of_work() as work:
            work.steps.set(step.id, lease_expires_at=work.now.replace(year=2000))
            release_step(work, step.id, run)
        record = stage.run(run)
        assert (record.cost_reserved, record.cost_presumed) == (pytest.approx(0.0), pytest.approx(0.3))
        assert stage.perform(run, KEY) == 0  # 0.30 are gone and 0.30 more do not fit
        return replace(usual, usage=Usage(tokens_in=10, tokens_out=100))

    scripted.say(KEY, lose)
    stage.perform(run, KEY)
    record = stage.run(run)
    assert (record.cost_reserved, record.cost_presumed) == (pytest.approx(0.0), pytest.approx(0.0))
    assert record.cost_usd == pytest.approx(100 * 18.75 / 1e6)
    assert stage.step(run, KEY).stopped_by == "run"
    stage.check_books(run)
    with reading(one_moment=True) as look:
        assert verify_run(look, look.runs.get(run)).problems == ()


def test_an_answer_whose_usage_is_not_said_counts_what_was_reserved(
    stage: Stage, scripted: Script, own_models: AddModel
):
    scripted.say(KEY, lambda _, usual: replace(usual, usage=Usage()))
    _, (run,) = launch(stage, own_models("dear", THIRTY_CENTS), run=Budget(cost_usd=0.5))
    stage.perform(run, KEY)
    record = stage.run(run)
    assert (record.cost_usd, record.cost_unknown) == (0.0, 1)
    assert record.cost_presumed == pytest.approx(0.3)
    with reading(one_moment=True) as look:
        assert verify_run(look, record).problems == ()


def test_a_design_without_budgets_asks_no_budget(stage: Stage, scripted: Script, monkeypatch: pytest.MonkeyPatch):
    def never(*_: object) -> None:
        raise AssertionError

    run = stage.launch(conditions=(Condition.SINGLE_PROMPT,))
    monkeypatch.setattr("app.storage.runs.Runs.budget", never)
    monkeypatch.setattr("app.storage.studies.Studies.lock_budget", never)
    monkeypatch.setattr("app.storage.steps.Steps.ahead", never)
    monkeypatch.setattr("app.storage.pauses.Pauses.current", never)
    stage.play(run)
    assert stage.run(run).state == "finished"
    assert studies.estimate_study(design()).calls
