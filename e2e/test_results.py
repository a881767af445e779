"""A controlled rehearsal from launch to its plots and tests, as a person sees them; and the same without scripts."""

import re

import pytest
from playwright.sync_api import Browser, expect

from e2e.conftest import Instance
from e2e.looks import grave

DONE = 240_000
FIGURES = ("era-totals", "gaps", "total-hindsight", "subscores", "layer-distance")


@pytest.fixture(scope="module")
def study(browser: Browser, instance: Instance) -> tuple[dict, str]:
    """A finished study of 4 conditions, 5 repetitions and 2 players: the browser's state and the study's address."""
    page = browser.new_page()
    page.goto(instance.link())
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{instance.address}/studies/new?from=rehearsal")
    page.locator("input[name=schedules][value='history-1990-2040']").uncheck()
    page.locator("input[name=schedules][value='history-short']").check()
    for condition in ("no_playbook", "no_red_team", "single_prompt"):
        page.locator(f"input[name=conditions][value={condition}]").check()
    page.locator("input[name=players][value='rehearsal/bold']").check()
    page.locator("#repetitions").fill("5")
    page.locator("#pace_seconds").fill("0")
    expect(page.locator("#estimate")).to_contain_text("first under Holm")
    page.get_by_role("button", name="Launch").click()
    page.wait_for_url(re.compile(r"/studies/[0-9a-f-]{36}$"))
    address = page.url
    expect(page.locator(".facts").first).to_contain_text("40 of 40", timeout=DONE)
    state = page.context.storage_state()
    page.close()
    return state, address


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_figures_are_drawn_and_fit(browser: Browser, study: tuple[dict, str], scheme: str, width: int):
    state, address = study
    size = {"width": width, "height": 900}
    page = browser.new_context(storage_state=state, color_scheme=scheme, viewport=size).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{address}/results")
    for name in FIGURES:
        page.locator(f"#{name}").scroll_into_view_if_needed()
        expect(page.locator(f"#{name} .drawn canvas")).to_be_visible(timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert said == []
    page.locator("#gaps summary").click()
    expect(page.locator("#gaps tbody tr").first).to_be_visible()
    page.context.close()


def test_hypotheses_deviations_and_comparison(browser: Browser, study: tuple[dict, str]):
    state, address = study
    page = browser.new_context(storage_state=state).new_page()
    page.goto(f"{address}/results")
    expect(page.get_by_role("heading", name="Hypotheses, fixed before launch")).to_be_visible()
    expect(page.locator(".hypotheses tbody")).to_contain_text("exact, 1,024 arrangements")
    for place in (0, 10, 30):
        page.locator("input[name=run]").nth(place).check()
    page.get_by_role("button", name="Compare the ticked runs").click()
    expect(page.locator(".compare thead th")).to_have_count(4)
    page.locator(".compare tbody th a").first.click()
    expect(page.locator(".difference").first).to_be_visible()
    page.goto(f"{address}/deviations")
    expect(page.get_by_text("Every run, setting, step and call is as designed")).to_be_visible()
    page.context.close()


def test_without_scripts_figures_are_pictures(browser: Browser, study: tuple[dict, str]):
    state, address = study
    page = browser.new_context(storage_state=state, java_script_enabled=False).new_page()
    page.goto(f"{address}/results")
    picture = page.locator("#era-totals img")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box
    assert box["height"] > 200
    page.locator("#era-totals summary").click()
    expect(page.locator("#era-totals tbody tr").first).to_be_visible()
    page.context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_nothing_serious_for_axe(
    browser: Browser, instance: Instance, study: tuple[dict, str], scheme: str, width: int
):
    state, address = study
    size = {"width": width, "height": 900}
    page = browser.new_context(storage_state=state, color_scheme=scheme, viewport=size).new_page()
    page.goto(f"{address}/results")
    runs = "&".join(f"run={box.get_attribute('value')}" for box in page.locator("input[name=run]").all()[:2])
    whole = [f"{address}/results?scale=auditor", f"{address}/results", f"{address}/deviations"]
    whole += [f"{instance.address}/compare?{runs}&era=E1", f"{instance.address}/imports/new"]
    found: list[str] = []
    for path in whole:
        page.goto(path)
        for summary in page.locator("details > summary").all()[:3]:
            summary.click()
        found += grave(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert found == []
    page.context.close()
