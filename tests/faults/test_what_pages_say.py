"""What pages say of calls through each API: the answer, the prompts, the searches, and refusals per condition."""

import json
from uuid import UUID

import pytest

from app.library.reader import schedule
from app.providers.answered import written_text
from app.providers.fake_server import Fault, Rule
from app.services.boards import show_study
from app.services.call_pages import show_call
from app.services.era_pages import show_era
from app.services.live_searches import LookedUp
from app.services.run_pages import show_run
from app.services.step_pages import show_step
from app.services.unit_of_work import reading
from app.storage.calls import Calls
from app.templating import render
from tests.faults.rehearsed import APIS, Bench

pytestmark = pytest.mark.services


def searched_page(searches: object) -> str:
    return render("calls/searches.html", {"view": {"searches": searches}})


@pytest.mark.parametrize("api", APIS)
def test_a_call_shows_its_prompts_and_its_answer(bench: Bench, api: str):
    run = bench.launch(api)
    bench.stage.perform(run, "E1/decision")
    (call,) = bench.stage.calls(run, "E1/decision")
    with reading() as look:
        view = show_call(look, call.id)
    assert len(view.messages) == 2
    assert "1990" in view.messages[1][1].shown
    assert view.answer is not None
    assert "company_name" in json.loads(view.answer.shown)
    assert view.searches is None


@pytest.mark.parametrize("api", APIS)
def test_writing_by_hand_begins_with_the_last_answer(bench: Bench, api: str):
    run = bench.launch(api)
    bench.misbehave(Rule(fault=Fault.OUT_OF_RANGE, nth=(2, 3)))
    bench.stage.play(run)
    step = bench.stage.step(run, "E1/review")
    assert step.state == "needs_operator"
    with reading() as look:
        view = show_step(look, step.id)
    assert "for request" in str(view.nodes)


@pytest.mark.parametrize("api", ["anthropic", "openai"])
def test_a_call_with_web_search_shows_what_was_looked_up(bench: Bench, api: str):
    bench.let_judges_search(api)
    nine = schedule("history-1990-2040")
    run = bench.launch(api, nine.model_copy(update={"eras": nine.eras[6:7]}))
    bench.stage.play(run)
    (call,) = bench.stage.calls(run, "E7/review")
    with reading() as look:
        view = show_call(look, call.id)
    page = searched_page(view.searches)
    assert "what is done today" in page
    assert "https://example.org/page" in page
    assert looked_up_in(run) == (LookedUp(call.id, could=True, queries=1, pages=1), ())
    assert call.cost_usd == pytest.approx((call.tokens_in * 3 + call.tokens_out * 15) / 1e6 + 0.01)


def test_a_live_era_without_web_search_says_so(bench: Bench):
    nine = schedule("history-1990-2040")
    run = bench.launch("openai_compatible", nine.model_copy(update={"eras": nine.eras[6:7]}))
    assert looked_up_in(run) == (None, ())
    bench.stage.play(run)
    (call,) = bench.stage.calls(run, "E7/review")
    assert looked_up_in(run) == (LookedUp(call.id, could=False), ("E7",))


def looked_up_in(run: UUID) -> tuple[LookedUp | None, tuple[str, ...]]:
    """What E7's page says, and what the run's page says."""
    with reading() as look:
        found = show_era(look, run, "E7").looked_up
    with reading() as look, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Calls, "texts", None)  # a live page, asked for at every step, reads no answers
        return found, show_run(look, run).unsearched


def test_a_study_counts_refusals_and_truncations_by_condition_and_model(bench: Bench):
    run = bench.launch("openai")
    bench.misbehave(Rule(fault=Fault.REFUSAL, nth=(1,)), Rule(fault=Fault.TRUNCATED, nth=(3,)))
    bench.stage.play(run)
    with reading() as look:
        view = show_study(look, look.runs.get(run).study_id)
    found = [(one.condition, one.model, one.stop, one.calls) for one in view.stops]
    assert found == [
        ("single_prompt", "fake/openai-judge", "truncated", 1),
        ("single_prompt", "fake/openai-player", "refused", 1),
    ]
    page = render("studies/facts.html", {"view": view})
    assert "2 answers were refused by a model or cut off" in page


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, None),
        ({"text": "x"}, "x"),
        ({"choices": []}, None),
        ({"choices": [{"message": {"content": [{"text": "x"}]}}]}, "x"),
        ({"choices": [{"message": {"content": None, "refusal": "no"}}]}, None),
        ({"content": [{"type": "text", "text": "x"}]}, "x"),
        ({"output": [{"content": [{"type": "refusal", "refusal": "no"}]}]}, None),
    ],
)
def test_the_text_is_found_in_any_body(body: dict[str, object], text: str | None):
    assert written_text(body) == text
