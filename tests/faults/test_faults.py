"""Each fault of the fake provider once in a run, through each API: it completes, waits, or asks for an operator."""

import re
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from app.domain.protocol.conditions import Condition
from app.providers.fake_server import Fault, Rule
from app.services.errors import RefusedError
from app.services.interventions import Wish, retry_step
from app.services.pauses import pauses, resume_model
from app.services.unit_of_work import reading, unit_of_work
from app.settings import get_settings
from tests.faults.rehearsed import APIS, PRICE_IN, PRICE_OUT, Bench

pytestmark = pytest.mark.services

TABLE = Path(__file__).parents[2] / "docs" / "faults.md"
SECOND = (2,)
"""The second request of a run of a single founder is the first review: it holds scores."""
KEY = "E1/review"
TRANSIENT = {
    Fault.OVERLOADED: "HTTP 529",
    Fault.SERVER_ERROR: "HTTP 500",
    Fault.CUT: "the connection failed",
    Fault.HUGE: "larger than 5,242,880 bytes",
    Fault.NOT_JSON: "not JSON",
}
SILENT = {Fault.HANG: "silence", Fault.DRIP: "the total deadline"}
UNFIT = {
    Fault.TRUNCATED: ("cut off at its token limit", "truncated"),
    Fault.REFUSAL: ("refused to answer", "refused"),
    Fault.OUT_OF_RANGE: ("scores.0.value", "complete"),
}
through_each_api = pytest.mark.parametrize("api", APIS)


def states(bench: Bench, run: UUID, key: str = KEY) -> list[str]:
    return [call.state for call in bench.stage.calls(run, key)]


def finish(bench: Bench, run: UUID) -> None:
    """Bring a run to its end, with sound books."""
    bench.stage.play(run)
    assert bench.stage.run(run).state == "finished"
    bench.check(run)


def begun(bench: Bench, api: str, *rules: Rule) -> UUID:
    """A run that was played until it can go no further, with sound books."""
    run = bench.launch(api)
    bench.misbehave(*rules)
    bench.stage.play(run)
    bench.check(run)
    return run


def stops(bench: Bench, run: UUID) -> dict[str, int]:
    with reading() as look:
        counts = look.outcomes.of_study(look.runs.get(run).study_id)
    assert {one.condition for one in counts} <= {Condition.SINGLE_PROMPT}
    return {one.stop: one.calls for one in counts}


@through_each_api
def test_answer(bench: Bench, api: str):
    run = begun(bench, api)
    record = bench.stage.run(run)
    assert (record.state, record.calls_made, stops(bench, run)) == ("finished", record.calls_owed, {})
    assert record.cost_usd == pytest.approx((record.tokens_in * PRICE_IN + record.tokens_out * PRICE_OUT) / 1e6)


@through_each_api
def test_rate_limited(bench: Bench, api: str):
    run = begun(bench, api, Rule(fault=Fault.RATE_LIMITED, nth=SECOND, retry_after=77.0))
    (step,) = bench.waiting(run)
    (call,) = bench.stage.calls(run, KEY)
    assert (step.key, call.state, call.cost_usd) == (KEY, "failed", 0.0)
    assert 76 <= (step.not_before - call.ended_at).total_seconds() <= 100
    bench.let_time_pass(run)
    finish(bench, run)


@through_each_api
def test_quota(bench: Bench, api: str):
    run = begun(bench, api, Rule(fault=Fault.QUOTA, nth=SECOND))
    judge = f"fake/{api}-judge"
    with reading() as look:
        (pause,) = pauses(look)
    assert judge in pause.models
    assert f"fake/{api}-player" in pause.models, "one account, one pause"
    assert (pause.steps_waiting, bench.stage.step(run, KEY).failures) == (1, 0)
    other = bench.launch(api)
    bench.stage.play(other)
    assert bench.stage.calls(other) == (), "the provider is paused for every study"
    with unit_of_work() as work:
        assert resume_model(work, judge) == 2
    finish(bench, run)
    finish(bench, other)
    with unit_of_work() as work, pytest.raises(RefusedError):
        resume_model(work, judge)


@through_each_api
@pytest.mark.parametrize("fault", TRANSIENT)
def test_transient(bench: Bench, api: str, fault: Fault):
    run = begun(bench, api, Rule(fault=fault, nth=SECOND))
    assert TRANSIENT[fault] in bench.stage.step(run, KEY).problem
    assert [step.key for step in bench.waiting(run)] == [KEY]
    check_bill(bench, run, known=fault in {Fault.OVERLOADED, Fault.SERVER_ERROR})
    bench.let_time_pass(run)
    finish(bench, run)
    assert states(bench, run) == ["failed", "answered"]


@through_each_api
@pytest.mark.parametrize("fault", SILENT)
def test_silent(bench: Bench, api: str, fault: Fault):
    bench.hurry()
    run = begun(bench, api, Rule(fault=fault, nth=SECOND, seconds=0.05 if fault is Fault.DRIP else 60.0))
    assert SILENT[fault] in bench.stage.step(run, KEY).problem
    check_bill(bench, run, known=False)
    bench.let_time_pass(run)
    finish(bench, run)
    assert states(bench, run) == ["failed", "answered"]


@pytest.mark.parametrize("fault", [Fault.RATE_LIMITED, Fault.SERVER_ERROR])
def test_a_provider_that_stays_in_trouble_needs_an_operator(bench: Bench, fault: Fault):
    run = begun(bench, "anthropic", Rule(fault=fault))
    for _ in range(get_settings().call_failures - 1):
        bench.let_time_pass(run)
        bench.stage.play(run)
    step = bench.stage.step(run, "E1/decision")
    assert (step.state, step.failures) == ("needs_operator", get_settings().call_failures)
    assert len(bench.provider.seen) == get_settings().call_failures
    bench.misbehave()
    retry(bench, run, "E1/decision")
    finish(bench, run)


@through_each_api
def test_fenced(bench: Bench, api: str):
    run = begun(bench, api, Rule(fault=Fault.FENCED))
    assert bench.stage.run(run).state == "finished"
    assert bench.stage.run(run).calls_made == bench.stage.run(run).calls_owed


@through_each_api
@pytest.mark.parametrize("fault", UNFIT)
def test_unfit(bench: Bench, api: str, fault: Fault):
    said, stop = UNFIT[fault]
    run = begun(bench, api, Rule(fault=fault, nth=SECOND))
    assert bench.stage.run(run).state == "finished", "it was asked again, with what was wrong, and answered"
    first, second = bench.stage.calls(run, KEY)
    assert (first.state, first.stop, second.state, second.stop) == ("refused", stop, "answered", "complete")
    assert said in first.error
    assert first.cost_usd > 0
    with reading() as look:
        assert said in look.calls.texts(second.id)[0]
    assert stops(bench, run) == ({} if stop == "complete" else {stop: 1})


@through_each_api
@pytest.mark.parametrize("fault", UNFIT)
def test_unfit_twice(bench: Bench, api: str, fault: Fault):
    said, stop = UNFIT[fault]
    run = begun(bench, api, Rule(fault=fault, nth=(2, 3)))
    step = bench.stage.step(run, KEY)
    assert step.state == "needs_operator"
    assert said in step.problem
    assert stops(bench, run) == ({} if stop == "complete" else {stop: 2})
    retry(bench, run, KEY)
    finish(bench, run)


@through_each_api
def test_unfit_text(bench: Bench, api: str):
    run = begun(bench, api, Rule(fault=Fault.UNFIT_TEXT, nth=SECOND))
    assert bench.stage.run(run).state == "finished"
    (call,) = bench.stage.calls(run, KEY)
    with reading() as look:
        assert '"_cleaned": true' in (look.calls.texts(call.id)[1] or "").replace('":true', '": true')
        review = next(kept for kept in look.artifacts.of_run(run) if kept.key == KEY)
    assert "\ufffd" in review.artifact.model_dump_json()


@through_each_api
def test_wrong_usage(bench: Bench, api: str):
    run = begun(bench, api, Rule(fault=Fault.WRONG_USAGE, nth=SECOND))
    (call,) = bench.stage.calls(run, KEY)
    assert (call.tokens_in, call.tokens_out, call.cost_usd) == (999_999_999, None, None)
    record = bench.stage.run(run)
    assert (record.state, record.cost_unknown) == ("finished", 1)
    assert record.cost_presumed > 0, "what was reserved for it stays counted"


@through_each_api
def test_cut_context(bench: Bench, api: str):
    run = begun(bench, api, Rule(fault=Fault.CUT_CONTEXT, nth=SECOND))
    step = bench.stage.step(run, KEY)
    assert (step.state, states(bench, run)) == ("needs_operator", ["failed"])
    assert "cut the context silently" in step.problem
    (call,) = bench.stage.calls(run, KEY)
    assert call.tokens_in > 0, "what was paid is counted"
    assert call.cost_usd == pytest.approx((call.tokens_in * PRICE_IN + call.tokens_out * PRICE_OUT) / 1e6)
    retry(bench, run, KEY)
    finish(bench, run)


def check_bill(bench: Bench, run: UUID, *, known: bool) -> None:
    """An error costs nothing; a call whose outcome nobody knows is counted with what was reserved for it."""
    (call,) = bench.stage.calls(run, KEY)
    record = bench.stage.run(run)
    assert call.cost_usd == (0.0 if known else None)
    assert record.cost_unknown == (0 if known else 1)
    assert record.cost_presumed == pytest.approx(0.0 if known else call.cost_reserved)


def retry(bench: Bench, run: UUID, key: str) -> None:
    by = bench.stage.user()
    with unit_of_work() as work:
        retry_step(work, bench.stage.step(run, key).id, Wish(by, "the provider was looked at"))


def test_the_table_names_every_fault_with_its_tests():
    rows = re.findall(r"^\| `([a-z_]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", TABLE.read_text("utf-8"), re.MULTILINE)
    assert [name for name, *_ in rows] == [fault.value for fault in Fault]
    for name, _, behaviour, tests in rows:
        assert behaviour.strip()
        for test in re.findall(r"`(test_\w+)`", tests):
            assert name in faults_of(globals()[test]), f"{test} does not try {name}"


def faults_of(test: Callable[..., None]) -> set[str]:
    """The faults a test tries: those of its parameters, else that of its name."""
    marks = [mark for mark in test.pytestmark if mark.name == "parametrize" and mark.args[0] == "fault"]
    tried = {str(fault) for mark in marks for fault in mark.args[1]}
    return tried or {test.__name__.removeprefix("test_")}
