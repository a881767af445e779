"""The agreement report in a browser: opened, read by tab, and every hard case kept as a picture."""

import json
import subprocess
import sys

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from e2e.conftest import ROOT, Instance
from e2e.looks import grave
from tests.agreement_report.simulated import CASES, SAID

KEPT = ROOT / "test-results" / "agreement"
VIEWS = {"dark": ("dark", 1280), "phone": ("light", 390)}
"""Both schemes and both widths, each once."""
TABS = ("summary", "dimension", "raters", "items", "judge", "compare", "method")


@pytest.fixture(scope="module")
def panels(instance: Instance) -> dict[str, str]:
    """Closed panels by name."""
    command = [sys.executable, "-m", "e2e.closed_panels"]
    done = subprocess.run(
        command, cwd=ROOT, env=instance.environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def signed_in(browser: Browser, instance: Instance) -> dict:
    page = browser.new_page()
    page.goto(instance.link())
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("main")).to_be_visible()
    state = page.context.storage_state()
    page.close()
    return state


@pytest.fixture
def page(browser: Browser, signed_in: dict):
    context = browser.new_context(storage_state=signed_in, viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def test_the_report_is_read_by_tab(page: Page, panels: dict[str, str], instance: Instance):
    page.goto(f"{instance.address}/panels/{panels['plain']}")
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.get_by_role("heading", name="Agreement of 3 raters on 90 decisions")).to_be_visible()
    page.evaluate("window.mark = 'same page'")
    page.get_by_role("link", name="By dimension").click()
    page.get_by_role("navigation", name="Dimension").get_by_role("link", name="Timing").click()
    expect(page.get_by_role("heading", name="Timing, 0 to 10")).to_be_visible()
    for figure in page.locator("figure.plot").all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator(".drawn canvas")).to_be_visible()
    page.get_by_text("Table of its numbers").first.click()
    expect(page.locator("figure .numbers tbody tr").first).to_be_visible()
    assert page.evaluate("window.mark") == "same page"
    assert "tab=dimension" in page.url


def test_a_planted_judge_is_found_and_a_plain_one_is_not_blamed(page: Page, panels: dict[str, str], instance: Instance):
    page.goto(f"{instance.address}/panels/{panels['planted']}/report?tab=judge&dimension=composite-score")
    words = page.locator("#judge-words")
    expect(words).to_contain_text("points higher, against the humans, than on the others")
    expect(words).to_contain_text("model alpha/one")
    expect(words).to_contain_text("points per 100 words")
    page.goto(f"{instance.address}/panels/{panels['plain']}/report?tab=judge&dimension=composite-score")
    expect(words).to_contain_text("cannot be told from that of the panel’s members".replace("’", "'"))


def test_two_panels_are_compared(page: Page, panels: dict[str, str], instance: Instance):
    page.goto(f"{instance.address}/panels/{panels['plain']}/report?tab=compare")
    page.get_by_label("Panel", exact=True).select_option(panels["planted"])
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#compared")).to_contain_text("Plain less Planted, on 90 shared items")


def test_cases_say_their_words_and_fit_the_window(page: Page, panels: dict[str, str], instance: Instance):
    found: list[str] = []
    for case in CASES:
        page.goto(f"{instance.address}/panels/{panels[case]}/report")
        assert SAID[case] in page.locator("#said").inner_text(), case
        page.screenshot(path=KEPT / f"{case}.png", full_page=True)
        found += too_wide(page)
    assert found == []


@pytest.mark.parametrize("view", list(VIEWS))
def test_tabs_draw_their_figures_and_fit_the_window(
    browser: Browser, signed_in: dict, panels: dict[str, str], instance: Instance, view: str
):
    scheme, width = VIEWS[view]
    context = browser.new_context(
        storage_state=signed_in, color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    page = context.new_page()
    found: list[str] = []
    for tab in TABS:
        page.goto(f"{instance.address}/panels/{panels['planted']}/report?tab={tab}")
        for figure in page.locator("figure.plot").all():
            figure.scroll_into_view_if_needed()
            expect(figure.locator(".drawn canvas")).to_be_visible()
        page.screenshot(path=KEPT / f"tab-{tab}-{view}.png", full_page=True)
        found += too_wide(page) + grave(page)
    context.close()
    assert found == []


def too_wide(page: Page) -> list[str]:
    """The page's address if it sticks out of the window."""
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return [f"{page.url}: wider than the window"] if wide else []


def test_a_report_on_paper_says_that_it_is_being_made(page: Page, panels: dict[str, str], instance: Instance):
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    page.route("**/report.pdf*", hold)
    page.goto(f"{instance.address}/panels/{panels['plain']}/report")
    page.get_by_role("link", name="PDF", exact=True).press("Enter")
    note = page.get_by_role("status").filter(has_text="Making the report")
    expect(note).to_be_visible()
    page.get_by_role("link", name="PDF", exact=True).click()
    with page.expect_download() as found:
        asked[0].fulfill(body="%PDF-1.7", headers={"Content-Disposition": 'attachment; filename="agreement.pdf"'})
    assert found.value.suggested_filename == "agreement.pdf"
    assert len(asked) == 1
    expect(page.get_by_text("The file is ready")).to_be_visible()


def test_the_report_is_read_without_scripts(
    browser: Browser, signed_in: dict, panels: dict[str, str], instance: Instance
):
    context = browser.new_context(storage_state=signed_in, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{instance.address}/panels/{panels['plain']}/report")
    page.get_by_role("link", name="Raters", exact=True).click()
    expect(page.get_by_role("heading", name="Is one rater harsher?")).to_be_visible()
    expect(page.locator("figure img").first).to_be_visible()
    context.close()
