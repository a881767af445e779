"""Published Run 001, E6, played again: the board times out, the operator decides alone, the judge is told.

The published run's launch service was away for about thirty minutes, the operator wrote the board's decision, so that
there was no independent Red Team, and the judge was told.
"""

import csv
import io
import re
from collections.abc import Iterator
from statistics import mean

import pytest
from playwright.sync_api import Page, expect

from app.providers.fake_server import FakeProvider, Fault, Rule, Script, fake_provider
from e2e.conftest import Instance, started
from e2e.fake_player import launch_with_player, register

DONE = 90_000
FAILURES, CALL_SECONDS = 2, 4
WORDS = "The launch service timed out; the operator wrote this decision, without an independent Red Team."
OUTAGE = Rule(fault=Fault.HANG, schema_name="board", contains="It is 2020-01-01", times=FAILURES, seconds=CALL_SECONDS)


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    """A provider over HTTP whose board of E6 is silent until an operator is asked."""
    with fake_provider(script=Script(rules=(OUTAGE,))) as running:
        yield running


@pytest.fixture
def impatient() -> Iterator[Instance]:
    """An instance that waits seconds where Run 001 waited half an hour."""
    patience = {"AUTOLAB_CALL_SECONDS": CALL_SECONDS, "AUTOLAB_CALL_FAILURES": FAILURES}
    with started({name: str(value) for name, value in patience.items()}) as running:
        yield running


def launch(page: Page, address: str) -> str:
    """Launch a pilot of nine eras with that model; gives the study's address."""
    page.goto(f"{address}/studies/new?from=rehearsal")
    page.locator("input[name=preset][value=pilot]").check()
    page.locator("input[name=briefings][value=model]").check()
    return launch_with_player(page)


def decide_alone(page: Page) -> None:
    """Write the decision through the typed form, and tell the judge."""
    page.get_by_role("link", name="without an independent Red Team").click()
    form = page.locator("form.by-hand")
    expect(form.locator("[name='attack.summary']")).to_have_count(0)
    form.get_by_label("Company name").fill("Handmade Evaluation")
    for box in form.locator(".leaf select").all():
        box.select_option(index=1)
    for box in form.locator(".leaf input, .leaf textarea").all():
        if not box.input_value():
            box.fill("2022" if box.get_attribute("inputmode") == "numeric" else "Measure what machines do, by hand")
    form.get_by_label("Reason, kept for ever").fill("The launch service timed out for half an hour")
    form.get_by_label("Tell the judge").check()
    form.get_by_label("The exact words the judge gets").fill(WORDS)
    form.get_by_role("button", name="Write this document").last.click()
    page.wait_for_url("**/runs/*")


def test_the_operator_decides_alone_and_every_result_says_so(page: Page, impatient: Instance, provider: FakeProvider):
    page.goto(impatient.first_link)
    page.get_by_role("button", name="Sign in").click()
    register(page, impatient.address, provider)
    study = launch(page, impatient.address)

    stuck = page.get_by_role("link", name="Look and decide on full r01, E6/board")
    expect(stuck).to_be_visible(timeout=DONE)
    stuck.click()
    expect(page.get_by_text("silence: nothing came for").first).to_be_visible()
    decide_alone(page)
    expect(page.locator(".facts .state.done")).to_have_text("finished", timeout=DONE)
    check_marks(page, study)
    check_export(page.request.get(f"{study}/exports/scores.csv").text())
    check_results(page, study)


def check_marks(page: Page, study: str) -> None:
    """The mark on the run's page, its era and the study's grid."""
    expect(page.locator(".note.hand")).to_contain_text("the judge was told")
    expect(page.locator(".eras .state.hand")).to_have_text("by hand")
    page.get_by_role("link", name="Read the era").click()
    expect(page.get_by_text(WORDS).first).to_be_visible()
    page.goto(study)
    expect(page.get_by_role("link", name=re.compile("full r01, E6: .*written by hand"))).to_be_visible()


def check_export(text: str) -> None:
    """The export marks the era, and the total without it is another."""
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["era"] for line in lines if line["intervened"] == "yes"] == ["E6"]
    trained = [line for line in lines if line["mode"] == "training"]
    totals = [float(line["subscore_sum_x2"]) for line in trained]
    without = [float(line["subscore_sum_x2"]) for line in trained if line["intervened"] == "no"]
    assert len(without) == len(totals) - 1
    assert mean(without) != mean(totals)


def check_results(page: Page, study: str) -> None:
    """The study's totals with the era and without it, each saying which."""
    page.goto(f"{study}/results")
    runs = page.get_by_role("form", name="Runs")
    expect(runs).to_contain_text("With interventions: 1 era (full r01 E6) carries one")
    kept = runs.locator("tbody tr").inner_text()
    page.get_by_role("navigation", name="Interventions").get_by_role("link", name="without").click()
    expect(runs).to_contain_text("Without interventions: 1 era (full r01 E6) left out")
    expect(runs.locator("tbody tr")).not_to_have_text(kept)
