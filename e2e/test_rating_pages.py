"""Every page of a panel in a browser: keys, what a screen reader hears, and axe on all that can be met."""

import re

import pytest
from fastapi.routing import APIRoute
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.imports.rating_rubrics import EXAMPLE
from app.web.rate import create_rate_app
from e2e.conftest import Instance
from e2e.looks import Looks
from e2e.raters import (
    FIRST,
    ITEM,
    OTHERS,
    choose,
    close,
    come_back,
    come_in,
    end_sessions,
    enter,
    enter_code,
    hear_keys,
    invite,
    leaving,
    lock_first,
    make_panel,
    operator,
    rate,
    tab_to,
)


@pytest.fixture(scope="module")
def panel(browser: Browser, instance: Instance) -> str:
    """A small panel whose slots the tests share out."""
    return make_panel(operator(browser, instance), instance, count=6, items="6", cap="0", raters="2")


def test_keys_go_by_one_set_ten_flag_and_fall_silent_in_text(browser: Browser, instance: Instance, panel: str):
    page = browser.new_page()
    come_in(page, instance.address, invite(operator(browser, instance), panel, 1))
    radio = page.locator(f'input[name="v.{FIRST}"]')
    page.keyboard.press("x")
    expect(radio.nth(10)).to_be_checked()
    radio.nth(10).focus()
    page.keyboard.press("ArrowLeft")
    expect(radio.nth(9)).to_be_checked()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(radio.nth(10)).to_be_checked()
    page.keyboard.press("f")
    expect(page.locator("#flagged")).to_be_checked()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.get_by_label("Single keys are on").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("3")
    expect(radio.nth(10)).to_be_checked()
    page.locator("#show-keys").click()
    page.get_by_label("Single keys are on").check()
    page.get_by_role("button", name="Close").click()
    page.locator("summary", has_text="Note (optional)").click()
    page.locator("#note").fill("")
    page.locator("#note").press_sequentially("0 f ? 3")
    expect(page.locator("#note")).to_have_value("0 f ? 3")
    expect(radio.nth(10)).to_be_checked()
    page.close()


def test_a_reader_hears_dimension_value_and_anchor_and_tab_and_arrows_suffice(
    browser: Browser, instance: Instance, panel: str
):
    page = browser.new_page()
    come_in(page, instance.address, invite(operator(browser, instance), panel, 2))
    group = page.get_by_role("group", name="Hindsight leakage")
    seven = group.get_by_role("radio", name="7", exact=True)
    expect(seven).to_have_accessible_description(re.compile("One or two phrases are surer than their day"))
    seven.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    expect(group.get_by_role("radio", name="8", exact=True)).to_be_checked()
    expect(group.locator("[data-anchor]")).to_contain_text("above 7")
    tab_to(page.locator("#send"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    for name in OTHERS:
        tab_to(page.locator(f'fieldset[data-dimension="{name}"] input').first)
        page.keyboard.press("ArrowRight")
    tab_to(page.locator("#send"))
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.title.startsWith('Item 2')")
    page.close()


def test_steps_names_and_two_values_are_set_by_keys(browser: Browser, instance: Instance):
    desk = operator(browser, instance)
    panel = make_panel(desk, instance, count=6, rubric=EXAMPLE, items="6", cap="0", raters="1")
    page = browser.new_page()
    come_in(page, instance.address, invite(desk, panel, 1), enter)
    hear_keys(page)
    for key in ("2", "1", "4"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    for name, words in (("Kind of lesson", "verification"), ("Did the business change?", "yes"), ("Clarity", "1")):
        radio = page.get_by_role("group", name=name).get_by_role("radio", name=words, exact=True)
        expect(radio).to_be_checked()
    expect(page.get_by_role("group", name="Caution").locator("[data-state]")).to_have_text("much")
    with leaving(page):
        page.keyboard.press("Control+Enter")
    page.close()


@pytest.fixture
def looks() -> Looks:
    return Looks()


def test_axe_finds_nothing_on_any_rater_page(browser: Browser, instance: Instance, looks: Looks):
    desk = operator(browser, instance)
    fields = {"items": "5", "cap": "0", "raters": "3", "guesses": "1", "repeats": "0"}
    panel = make_panel(desk, instance, count=6, training=1, **fields)
    path, other = invite(desk, panel, 1), invite(desk, panel, 2)
    page = browser.new_context().new_page()
    from_invitation_to_practice(page, instance.address + path, looks)
    from_practice_to_the_end(page, instance, looks)
    page.get_by_role("button", name="Leave this browser").click()
    code = come_in(page, instance.address, other)
    where_raters_are_held(page, desk, instance, panel, looks)
    close(desk)
    come_back(page, instance.address, code)
    expect(page.get_by_role("heading", name="This session is closed")).to_be_visible()
    looks.at(page)
    page.context.close()
    assert looks.found == []
    assert [one for one in pages_of_raters() if not any(one.fullmatch(path) for path in looks.paths)] == []


def pages_of_raters() -> list[re.Pattern[str]]:
    """The address of every page in the rater's area."""
    routes = [one for one in create_rate_app().routes if isinstance(one, APIRoute) and "GET" in one.methods]
    return [one.path_regex for one in routes]


def from_invitation_to_practice(page: Page, address: str, looks: Looks) -> None:
    """Invitation, return code, the code's page once it is over, consent, both phases of an item, feedback."""
    page.goto(address)
    looks.at(page)
    page.get_by_role("button", name="Accept the invitation").click()
    looks.at(page)
    page.context.clear_cookies(name="rating_code")
    page.reload()
    expect(page.get_by_text("Your code was shown when you accepted")).to_be_visible()
    looks.at(page)
    page.goto(address)
    expect(page.get_by_role("heading", name="This invitation cannot be used")).to_be_visible()
    looks.at(page)
    page.goto(re.sub("join/.*", "", address))
    looks.at(page)
    page.get_by_role("button", name="I agree, begin").click()
    page.wait_for_url(ITEM)
    page.locator("#send").click()
    expect(page.get_by_text("Not sent yet.")).to_be_visible()
    looks.at(page)
    lock_first(page, 5)
    looks.at(page)
    for name in OTHERS:
        choose(page, name, 5)
    page.locator("#send").click()
    page.wait_for_url("**/feedback/*")
    looks.at(page)
    page.get_by_role("link", name="Go on to the ratings").click()


def from_practice_to_the_end(page: Page, instance: Instance, looks: Looks) -> None:
    """The keys, two versions, closing questions, own answers, a change, what fails, and the end."""
    page.locator("#show-keys").click()
    looks.at(page)
    page.get_by_role("button", name="Close").click()
    page.goto(f"{instance.address}/rate/answers")
    looks.at(page)
    page.goto(f"{instance.address}/rate/")
    conflict(page.context, page)
    looks.at(page)
    page.get_by_role("button", name="Keep this one").click()
    for _ in range(5):
        rate(page, 6)
    page.wait_for_url("**/rate/questions")
    looks.at(page)
    page.get_by_role("button", name="Send the answers").click()
    looks.at(page)
    page.get_by_role("link", name="Change item 2").click()
    expect(page.get_by_role("heading", name="Change your scores")).to_be_visible()
    looks.at(page)
    for address in ("pause", "nowhere"):
        page.goto(f"{instance.address}/rate/{address}")
        looks.at(page)
    page.goto(f"{instance.address}/rate/")
    page.get_by_role("button", name="Finish").click()
    looks.at(page)


def where_raters_are_held(page: Page, desk: Page, instance: Instance, panel: str, looks: Looks) -> None:
    """Blocked after the practice, paused, the session over, a wrong code, and a revoked invitation."""
    lock_first(page, 10)
    for name in OTHERS:
        choose(page, name, 10)
    page.locator("#send").click()
    page.wait_for_url("**/feedback/*")
    start = f"{instance.address}/rate/"
    page.goto(start)
    expect(page.get_by_role("heading", name="A word before you go on")).to_be_visible()
    looks.at(page)
    revoked = invite(desk, panel, 3)
    desk.goto(panel)
    desk.locator("summary", has_text="Access").nth(2).click()
    desk.get_by_role("button", name="Revoke the link").click()
    page.goto(instance.address + revoked)
    expect(page.get_by_role("heading", name="This invitation cannot be used")).to_be_visible()
    desk.get_by_role("button", name="Pause all raters").click()
    page.goto(start)
    expect(page.get_by_role("heading", name="Rating is paused")).to_be_visible()
    looks.at(page)
    page.goto(f"{start}pause")
    end_sessions(instance, panel, 2)
    page.get_by_role("button", name="Leave this browser").click()
    expect(page.get_by_text("Your session had ended")).to_be_visible()
    looks.at(page)
    enter_code(page, "AAAA-AAAA-AAAA-AAAA")
    expect(page.get_by_text("No rater has this code")).to_be_visible()
    looks.at(page)


def conflict(context: BrowserContext, page: Page) -> None:
    """Edit the item at hand in a second tab, then here."""
    other = context.new_page()
    other.goto(page.url)
    choose(other, FIRST, 9)
    expect(other.locator("#saved")).to_contain_text("saved")
    other.close()
    choose(page, FIRST, 2)
    expect(page.get_by_role("heading", name="changed in two places")).to_be_visible()


def test_axe_finds_nothing_on_the_operators_pages_of_a_panel(browser: Browser, instance: Instance, looks: Looks):
    page = operator(browser, instance)
    panel = make_panel(page, instance, count=6, items="6", cap="0", raters="2")
    invite(page, panel, 1)
    draft = make_panel(page, instance, count=6, lock=False, items="6", cap="0")
    addresses = [draft, f"{draft}/blinding", f"{draft}/training?key=item%20001", panel, f"{panel}/design"]
    addresses += [f"{panel}/blinding", f"{panel}/amend"]
    for address in [f"{instance.address}/panels", f"{instance.address}/panels/new", *addresses]:
        page.goto(address)
        looks.at(page)
    page.close()
    assert looks.found == []
