"""Raters in real browsers: three at once with everything that goes wrong, keys, active time, and axe on every page."""

import re
from collections import Counter
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from e2e.conftest import ROOT, Instance
from e2e.raters import (
    FIRST,
    ITEM,
    OTHERS,
    SECRETS,
    choose,
    come_back,
    come_in,
    end_sessions,
    invite,
    lock_first,
    long_export,
    make_panel,
    number_of,
    operator,
    rate,
    rate_by_keys,
)

KEPT = ROOT / "test-results" / "agreement"
PHONE = {"width": 390, "height": 844}
ITEMS, REPEATS = 24, 3
ALL = ITEMS + REPEATS
ONE_SCALE = 'title = "One"\n[[dimensions]]\nid = "one"\nname = "One"\nkind = "numeric"\nfrom = 0\nto = 10\n'


def finish(page: Page) -> None:
    """Closing questions, then the end."""
    page.wait_for_url("**/rate/questions")
    page.get_by_role("button", name="Send the answers").click()
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Done. Thank you.")).to_be_visible()


def cut_once(page: Page) -> None:
    """The next submission reaches the server, but its answer is lost on the way."""
    cut = []

    def handler(route: Route) -> None:
        if cut:
            route.continue_()
            return
        cut.append(route.fetch())
        route.abort("connectionreset")

    page.route("**/submit", handler)


def rate_with_incidents(page: Page, instance: Instance, panel: str, code: str, turn: int) -> None:
    """The first rater's turn: sometimes a cut line, an ended session, a second tab, a double click."""
    if turn == 3:
        cut_once(page)
        rate(page, 3)
        page.unroute("**/submit")
    elif turn == 5:
        choose(page, FIRST, 7)
        expect(page.locator("#saved")).to_contain_text("saved")
        here = page.url
        end_sessions(instance, panel, 1)
        page.locator("summary", has_text="Note (optional)").click()
        page.locator("#note").press_sequentially("half a thought")
        expect(page.locator("#notice")).to_contain_text("Your session has ended")
        page.get_by_role("link", name="Come back with your code").click()
        page.get_by_label("Return code").fill(code)
        page.get_by_role("button", name="Come back").click()
        assert page.url == here
        expect(page.locator(f'input[name="v.{FIRST}"][value="7"]')).to_be_checked()
        expect(page.locator("#note")).to_have_value("half a thought")
        rate(page, 5)
    elif turn == 7:
        other = page.context.new_page()
        other.goto(page.url)
        choose(other, FIRST, 9)
        expect(other.locator("#saved")).to_contain_text("saved")
        choose(page, FIRST, 2)
        expect(page.get_by_role("heading", name="changed in two places")).to_be_visible()
        page.get_by_role("button", name="Keep this one").click()
        expect(page.locator(f'input[name="v.{FIRST}"][value="2"]')).to_be_checked()
        other.close()
        rate(page, 7)
    elif turn == 9:
        lock_first(page, 4)
        for name in OTHERS:
            choose(page, name, 4)
        page.locator("#send").dblclick()
        page.wait_for_function("number => !document.title.startsWith(`Item ${number} of`)", arg=turn + 1)
    elif turn == 11:
        page.locator("summary", has_text="Skip this item").click()
        page.get_by_label("cannot judge").check()
        page.locator("#skip").dblclick()
        page.wait_for_function("number => !document.title.startsWith(`Item ${number} of`)", arg=turn + 1)
    else:
        rate(page, turn % 10)


def rate_without_script(page: Page, instance: Instance, panel: str, code: str, turn: int) -> None:
    """The third rater's turn: once a half-filled form is sent after the session's end, and found again."""
    if turn != 6:
        rate(page, turn % 10)
        return
    here = page.url
    choose(page, FIRST, 6)
    page.locator("summary", has_text="Note (optional)").click()
    page.locator("#note").fill("half a thought")
    end_sessions(instance, panel, 3)
    page.locator("#send").click()
    page.get_by_label("Return code").fill(code)
    page.get_by_role("button", name="Come back").click()
    assert page.url == here
    expect(page.locator(f'input[name="v.{FIRST}"][value="6"]')).to_be_checked()
    expect(page.locator("#note")).to_have_value("half a thought")
    rate(page, 6)


def test_three_raters_at_once_lose_and_double_nothing(browser: Browser, instance: Instance):
    desk = operator(browser, instance)
    fields = {"items": str(ITEMS), "cap": "0", "repeats": str(REPEATS), "raters": "4", "guesses": "2"}
    panel = make_panel(desk, instance, count=30, training=2, **fields)
    paths = [invite(desk, panel, slot) for slot in (1, 2, 3)]
    contexts = [
        browser.new_context(),
        browser.new_context(viewport=PHONE, has_touch=True),
        browser.new_context(java_script_enabled=False),
    ]
    mouse, phone, plain = (context.new_page() for context in contexts)
    bodies: list[str] = []
    for page in (mouse, phone, plain):
        page.on("response", lambda answer: bodies.append(answer.url))
    codes = [come_in(page, instance.address, path) for page, path in zip((mouse, phone, plain), paths, strict=True)]
    for page, how in ((mouse, rate), (phone, rate_by_keys), (plain, rate)):
        for _ in range(2):
            if ITEM.search(page.url):
                how(page, 5)
            page.get_by_role("link", name=re.compile("Next practice item|Go on to the ratings")).click()
    orders: dict[str, list[str]] = {"mouse": [], "phone": [], "plain": []}
    strokes = []
    for turn in range(ALL):
        for name, page in (("mouse", mouse), ("phone", phone), ("plain", plain)):
            assert number_of(page) == turn + 1
            orders[name].append(page.locator("#part-part_2").inner_text())
            content = page.content()
            assert not [word for word in SECRETS if word in content]
        rate_with_incidents(mouse, instance, panel, codes[0], turn)
        strokes.append(rate_by_keys(phone, turn % 11))
        rate_without_script(plain, instance, panel, codes[2], turn)
        if turn == 13:
            again = browser.new_page()
            come_back(again, instance.address, codes[1])
            assert number_of(again) == turn + 2
            again.close()
    for page in (mouse, phone, plain):
        finish(page)
    assert max(strokes) <= 12
    assert len({tuple(order) for order in orders.values()}) == 3
    assert_whole(desk, panel)
    desk.get_by_role("button", name="Close for good").click()
    expect(desk.get_by_role("link", name="Adjudication")).to_be_visible()
    read_report(desk)
    for context in contexts:
        context.close()


def read_report(desk: Page) -> None:
    """The closed panel's report opens; PDF and CSV come down and are kept for bench/recompute.py."""
    desk.get_by_role("link", name="Agreement", exact=True).click()
    expect(desk.get_by_role("heading", name="Agreement of 4 raters on 24 decisions")).to_be_visible()
    expect(desk.locator("#said")).to_contain_text("No rating from Rater D")
    for link, name in (("PDF", "raters.pdf"), ("CSV, long", "raters-long.csv"), ("JSON", "raters.json")):
        with desk.expect_download() as found:
            desk.get_by_role("link", name=link, exact=True).first.click()
        found.value.save_as(KEPT / name)
    assert (KEPT / "raters.pdf").read_bytes().startswith(b"%PDF")


def assert_whole(desk: Page, panel: str) -> None:
    """Three raters, 27 places each, one rating a place (one of them skipped), five values a rating."""
    lines = long_export(desk, panel)
    places = Counter((line["rater"], line["position"]) for line in lines)
    assert len(places) == 3 * ALL
    assert set(places.values()) == {5}
    skipped = {(line["rater"], line["position"]) for line in lines if line["skip_reason"]}
    assert skipped == {("Rater A", "12")}
    assert all(line["value"] for line in lines if not line["skip_reason"])
    without_script = {line["active_reason"] for line in lines if line["rater"] == "Rater C"}
    assert without_script == {"the page ran without a script"}
    assert all(line["active_ms"] for line in lines if line["rater"] == "Rater B")
    repeated = Counter((line["rater"], line["item"]) for line in lines if line["occasion"] == "2")
    assert len(repeated) == 3 * REPEATS
    desk.goto(panel)
    expect(desk.get_by_text("27 of 27")).to_have_count(3)
    expect(desk.get_by_text("0 of 27")).to_have_count(1)


def test_active_time_leaves_idle_minutes_out(browser: Browser, instance: Instance):
    desk = operator(browser, instance)
    panel = make_panel(desk, instance, count=6, rubric=ONE_SCALE, items="6", cap="0", raters="1")
    path = invite(desk, panel, 1)
    page = browser.new_page()
    page.clock.install(time=1_800_000_000_000)
    come_in(page, instance.address, path)
    page.clock.pause_at(1_800_003_600_000)
    page.reload()
    work(page, 30)
    page.clock.run_for(600_000)
    work(page, 20)
    choose(page, "one", 7)
    page.locator("#send").click()
    page.wait_for_function("() => document.title.startsWith('Item 2')", polling=100)
    times = {int(line["active_ms"]) for line in long_export(desk, panel)}
    assert len(times) == 1
    assert 48_000 <= times.pop() <= 52_000
    page.close()


def work(page: Page, seconds: int) -> None:
    """Move the mouse once a second on the page's own clock."""
    page.mouse.move(100, 200)
    for second in range(seconds):
        page.clock.run_for(1_000)
        page.mouse.move(100 + second % 7, 210 + second % 5)


def test_keys_go_by_one_set_ten_flag_and_fall_silent_in_text(browser: Browser, instance: Instance):
    desk = operator(browser, instance)
    panel = make_panel(desk, instance, count=6, items="6", cap="0", raters="1")
    page = browser.new_page()
    come_in(page, instance.address, invite(desk, panel, 1))
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


def test_a_reader_hears_dimension_value_and_anchor_and_tab_and_arrows_suffice(browser: Browser, instance: Instance):
    desk = operator(browser, instance)
    panel = make_panel(desk, instance, count=6, items="6", cap="0", raters="1")
    page = browser.new_page()
    come_in(page, instance.address, invite(desk, panel, 1))
    group = page.get_by_role("group", name="Hindsight leakage")
    seven = group.get_by_role("radio", name="7", exact=True)
    expect(seven).to_have_accessible_description(re.compile("One or two phrases are surer than their day"))
    seven.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    expect(group.get_by_role("radio", name="8", exact=True)).to_be_checked()
    expect(group.locator("[data-anchor]")).to_contain_text("above 7")
    tab_to(page, "#send")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    for name in OTHERS:
        tab_to(page, f'fieldset[data-dimension="{name}"] input')
        page.keyboard.press("ArrowRight")
    tab_to(page, "#send")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.title.startsWith('Item 2')")
    page.close()


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until something of the selector has the focus."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never came to {selector}")


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return [f"{page.title()}: {one['id']} {[node['target'] for node in one['nodes']][:3]}" for one in found] + (
        [f"{page.title()}: wider than the window"] if wide else []
    )


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_on_any_rater_page(browser: Browser, instance: Instance, scheme: str, width: int):
    desk = operator(browser, instance)
    fields = {"items": "5", "cap": "0", "raters": "3", "guesses": "1", "repeats": "0"}
    panel = make_panel(desk, instance, count=6, training=1, **fields)
    path, other = invite(desk, panel, 1), invite(desk, panel, 2)
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 844})
    page = context.new_page()
    found = []

    def look() -> None:
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found.extend(violations(page))

    page.goto(instance.address + path)
    look()
    page.get_by_role("button", name="Accept the invitation").click()
    look()
    page.get_by_role("link", name="Go on").click()
    look()
    page.get_by_role("button", name="I agree, begin").click()
    page.wait_for_url(ITEM)
    look()
    lock_first(page, 5)
    look()
    for name in OTHERS:
        choose(page, name, 5)
    page.locator("#send").click()
    page.wait_for_url("**/feedback/*")
    look()
    page.get_by_role("link", name="Go on to the ratings").click()
    page.locator("#show-keys").click()
    look()
    page.get_by_role("button", name="Close").click()
    conflict(context, page)
    look()
    page.get_by_role("button", name="Keep this one").click()
    for _ in range(5):
        rate(page, 6)
    page.wait_for_url("**/rate/questions")
    look()
    for address in ("answers", "pause", "nowhere", "return", "join/none"):
        page.goto(f"{instance.address}/rate/{address}")
        look()
    page.goto(f"{instance.address}/rate/")
    page.get_by_role("button", name="Send the answers").click()
    look()
    page.get_by_role("button", name="Finish").click()
    look()
    page.get_by_role("button", name="Leave this browser").click()
    code = come_in(page, instance.address, other)
    look_when_held(page, look, desk, instance, panel, code)
    context.close()
    assert found == []


def look_when_held(page: Page, look: Callable[[], None], desk: Page, instance: Instance, panel: str, code: str) -> None:
    """Blocked after the practice, paused, the session over, a wrong code, a revoked invitation, and closed."""
    lock_first(page, 10)
    for name in OTHERS:
        choose(page, name, 10)
    page.locator("#send").click()
    page.wait_for_url("**/feedback/*")
    start = f"{instance.address}/rate/"
    page.goto(start)
    expect(page.get_by_role("heading", name="A word before you go on")).to_be_visible()
    look()
    revoked = invite(desk, panel, 3)
    desk.goto(panel)
    desk.locator("summary", has_text="Access").nth(2).click()
    desk.get_by_role("button", name="Revoke the link").click()
    page.goto(instance.address + revoked)
    expect(page.get_by_role("heading", name="This invitation cannot be used")).to_be_visible()
    look()
    desk.get_by_role("button", name="Pause all raters").click()
    page.goto(start)
    expect(page.get_by_role("heading", name="Rating is paused")).to_be_visible()
    look()
    page.goto(f"{start}pause")
    end_sessions(instance, panel, 2)
    page.get_by_role("button", name="Leave this browser").click()
    expect(page.get_by_text("Your session had ended")).to_be_visible()
    look()
    page.get_by_label("Return code").fill("AAAA-AAAA-AAAA-AAAA")
    page.get_by_role("button", name="Come back").click()
    expect(page.get_by_text("No rater has this code")).to_be_visible()
    look()
    desk.get_by_role("button", name="Close for good").click()
    come_back(page, instance.address, code)
    expect(page.get_by_role("heading", name="This session is closed")).to_be_visible()
    look()


def conflict(context: BrowserContext, page: Page) -> None:
    """Edit the item at hand in a second tab, then here."""
    other = context.new_page()
    other.goto(page.url)
    choose(other, FIRST, 9)
    expect(other.locator("#saved")).to_contain_text("saved")
    other.close()
    choose(page, FIRST, 2)
    expect(page.get_by_role("heading", name="changed in two places")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_on_the_operators_pages_of_a_panel(
    browser: Browser, instance: Instance, scheme: str, width: int
):
    desk = operator(browser, instance)
    panel = make_panel(desk, instance, count=6, items="6", cap="0", raters="2")
    invite(desk, panel, 1)
    state = desk.context.storage_state()
    context = browser.new_context(storage_state=state, color_scheme=scheme, viewport={"width": width, "height": 844})
    page = context.new_page()
    found = []
    draft = make_panel(page, instance, count=6, lock=False, items="6", cap="0")
    addresses = [draft, f"{draft}/blinding", f"{draft}/training?key=item%20001", panel, f"{panel}/design"]
    addresses += [f"{panel}/blinding", f"{panel}/amend"]
    for address in [f"{instance.address}/panels", f"{instance.address}/panels/new", *addresses]:
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found += violations(page)
    page.goto(panel)
    page.get_by_role("button", name="Close for good").click()
    page.goto(f"{panel}/adjudication")
    found += violations(page)
    context.close()
    assert found == []
