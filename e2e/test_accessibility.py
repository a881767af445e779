"""Every page, in light and dark, without anything that axe calls serious."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import Instance
from e2e.looks import grave

WIDTHS = {"light": 1280, "dark": 390}


@pytest.fixture(scope="module")
def paths(browser: Browser, instance: Instance) -> tuple[dict, list[str]]:
    """A signed-in state, and the pages of a finished study."""
    page = browser.new_page()
    page.goto(instance.link())
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{instance.address}/studies/new?from=rehearsal")
    page.locator("input[name=schedules][value='history-1990-2040']").uncheck()
    page.locator("input[name=schedules][value='history-short']").check()
    page.get_by_label("Single prompt", exact=False).first.check()
    page.get_by_role("button", name="Launch").click()
    page.wait_for_url(re.compile(r"/studies/[0-9a-f-]{36}$"))
    study = page.url.removeprefix(instance.address)
    page.get_by_role("link", name="full r01", exact=True).click()
    page.wait_for_url("**/runs/*")
    run = page.url.removeprefix(instance.address)
    expect(page.locator(".facts .state.done")).to_have_text("finished", timeout=90_000)
    page.goto(f"{instance.address}{run}/documents/E2/attack")
    call = page.get_by_role("link", name="written by a call").get_attribute("href")
    page.goto(f"{instance.address}{call}")
    step = page.get_by_role("link", name="The step’s page").get_attribute("href")
    state = page.context.storage_state()
    page.close()
    whole = ["/", "/studies", "/studies/new", "/interventions", "/record", "/models", "/health", "/users", "/account"]
    whole += [f"{study}/judges", f"{study}/checks"]
    whole += [study, f"{study}/interventions", f"{study}/exports", run, f"{run}?era=E1", call, step, "/nowhere"]
    whole += [f"{run}/eras/E2", f"{run}/eras/E2/window", f"{run}/documents/E2/attack", f"{run}/documents/E1/review"]
    return state, whole


@pytest.fixture(params=["light", "dark"])
def view(request: pytest.FixtureRequest, browser: Browser, paths: tuple[dict, list[str]]) -> Iterator[Page]:
    width = WIDTHS[request.param]
    context = browser.new_context(
        storage_state=paths[0], color_scheme=request.param, viewport={"width": width, "height": 900}
    )
    yield context.new_page()
    context.close()


def test_pages_for_the_signed_in_have_nothing_serious(view: Page, paths: tuple[dict, list[str]], instance: Instance):
    found: list[str] = []
    for path in paths[1]:
        view.goto(f"{instance.address}{path}")
        for summary in view.locator("details > summary").all()[:3]:
            summary.click()
        found += grave(view)
        if view.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{path}: wider than the window")
    assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_sign_in_pages_have_nothing_serious(browser: Browser, instance: Instance, scheme: str):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    found: list[str] = []
    for path in ("/sign-in", "/sign-in/none"):
        page.goto(f"{instance.address}{path}")
        found += grave(page)
    context.close()
    assert found == []
