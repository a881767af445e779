"""From the printed link to nine finished eras, as a person sees it."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import Instance

DONE = 90_000
KEEP_SEATS = """() => {
  window.seen = new Set(); window.mark = "same page";
  setInterval(() => {
    document.querySelectorAll(".seat.busy").forEach(seat => window.seen.add(seat.id));
    const cards = [...document.querySelectorAll(".eras .state.busy")].map(state => state.textContent);
    if (cards.some(text => text.includes("second reading"))) window.seen.add("seat-E0-reading");
  }, 50);
}"""
# The second reading goes on while the board has moved to the next era: then the card of its era shows it.
WATCHED = {"memo-frontier_research", "memo-product_engineering", "memo-market_capital"} | {
    "attack", "decision", "review", "reading", "briefing"
}  # fmt: skip


def seats_seen(page: Page) -> set[str]:
    """Every seat that was seen working, without the era."""
    return {re.sub(r"^seat-E\d-", "", seat) for seat in page.evaluate("[...window.seen]")}


def assert_finished(page: Page) -> None:
    """All nine eras are done, and the page was never loaded again."""
    expect(page.locator(".facts .state.done")).to_have_text("finished", timeout=DONE)
    expect(page.locator(".eras .state.done")).to_have_count(9)
    expect(page.locator(".eras .total")).to_have_count(9)
    assert page.evaluate("window.mark") == "same page"
    expect(page.locator(".tag.rehearsal").first).to_be_visible()


def assert_fits(page: Page) -> None:
    """Nothing sticks out of the window's width."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nine_eras_are_watched_live_with_the_mouse_and_on_a_phone_by_keyboard(
    browser: Browser, page: Page, fresh_instance: Instance
):
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_viewport_size({"width": 1280, "height": 900})
    design_with_the_mouse(page, fresh_instance.first_link)
    design_by_keyboard(phone, fresh_instance)
    launch_with_the_mouse(page)
    launch_by_keyboard(phone)
    for watched in (page, phone):
        assert_finished(watched)
        assert seats_seen(watched) >= WATCHED
        assert_fits(watched)
    phone.close()
    read_with_the_mouse(page)


def design_with_the_mouse(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Rehearsal study").click()
    expect(page.locator("#estimate-calls")).to_have_text("65")
    page.get_by_label("No Red Team").check()
    expect(page.locator("#estimate-calls")).to_have_text("121")
    page.get_by_label("No Red Team").uncheck()
    expect(page.locator("#estimate-calls")).to_have_text("65")


def launch_with_the_mouse(page: Page) -> None:
    page.get_by_role("button", name="Launch").click()
    expect(page.get_by_role("link", name="full r01, E1: at work")).to_be_visible()
    expect(page.locator("#live-state")).to_have_text("live")
    page.get_by_role("link", name="full r01", exact=True).click()
    page.evaluate(KEEP_SEATS)
    assert_fits(page)


def read_with_the_mouse(page: Page) -> None:
    expect(page.locator(".facts").first).to_contain_text("65 of 65")
    page.locator(".eras a").nth(1).click()
    page.get_by_role("link", name="Read E2 whole").click()
    page.locator("#late-E2-memo-frontier_research > summary").click()
    expect(page.locator("article#document-E2-memo-frontier_research h3").first).to_be_visible()
    page.locator("#late-window summary").click()
    expect(page.locator("#window li").nth(20)).to_be_visible()


def press_to(page: Page, name: str, key: str = "Enter", most: int = 120) -> None:
    """Go on with Tab until the focus stands on the control of that name, then press a key."""
    for _ in range(most):
        page.keyboard.press("Tab")
        spoken = page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.innerText")
        if (spoken or "").strip() == name:
            visible = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert visible != "none", f"{name} shows no focus"
            page.keyboard.press(key)
            return
    pytest.fail(f"Tab never reached {name}")


def design_by_keyboard(page: Page, instance: Instance) -> None:
    page.goto(instance.link())
    page.keyboard.press("Enter")
    page.wait_for_url(f"{instance.address}/")
    assert_fits(page)
    press_to(page, "Rehearsal study")
    page.wait_for_url("**/studies/new?from=rehearsal")
    assert_fits(page)


def launch_by_keyboard(page: Page) -> None:
    press_to(page, "Launch")
    page.wait_for_url(re.compile(r"/studies/[0-9a-f-]{36}$"))
    assert_fits(page)
    press_to(page, "full r01")
    page.wait_for_url("**/runs/*")
    page.evaluate(KEEP_SEATS)
    assert_fits(page)


def test_launching_works_without_scripts(browser: Browser, instance: Instance):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(instance.link())
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{instance.address}/studies/new?from=rehearsal")
    page.locator("input[name=schedules][value='history-1990-2040']").uncheck()
    page.locator("input[name=schedules][value='history-short']").check()
    page.get_by_role("button", name="Update the estimate").click()
    expect(page.locator("#estimate-calls")).to_have_text("21")
    page.get_by_role("button", name="Launch").click()
    expect(page.get_by_role("heading", name="Rehearsal study")).to_be_visible()
    page.get_by_role("link", name="full r01", exact=True).click()
    page.get_by_text("Cancel…").click()
    page.get_by_label("Reason, kept for ever").last.fill("It was only a trial")
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.locator(".facts .state.fail")).to_have_text("cancelled")
    context.close()


def test_reading_on_is_not_disturbed_by_news(page: Page, instance: Instance):
    page.goto(instance.link())
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{instance.address}/studies/new?from=rehearsal")
    page.get_by_role("button", name="Launch").click()
    page.get_by_role("link", name="full r01", exact=True).click()
    page.get_by_text("Pause…").click()
    page.get_by_label("Reason, kept for ever").first.fill("Half a sen")
    expect(page.locator(".eras .state.done").first).to_be_visible(timeout=DONE)
    expect(page.get_by_label("Reason, kept for ever").first).to_have_value("Half a sen")
    expect(page.get_by_label("Reason, kept for ever").first).to_be_focused()
    page.keyboard.type("tence")
    page.keyboard.press("Enter")
    expect(page.locator(".note.hand")).to_contain_text("Half a sentence")
    expect(page.locator(".facts .state.fail")).to_have_text("paused")
