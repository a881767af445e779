"""Three raters at once, by touch, by keys alone and without JavaScript, with everything that goes wrong."""

from collections import Counter
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from e2e.conftest import ROOT, Instance
from e2e.looks import Looks
from e2e.raters import (
    FIRST,
    OTHERS,
    SECRETS,
    Press,
    choose,
    click,
    close,
    come_back,
    come_in,
    end_sessions,
    enter,
    enter_code,
    finish,
    hear_keys,
    invite,
    leaving,
    lock_first,
    long_export,
    make_panel,
    number_of,
    operator,
    rate,
    rate_by_keys,
    tab_to,
    tap,
    write,
)

KEPT = ROOT / "test-results" / "agreement"
PHONE = {"width": 390, "height": 844}
ITEMS, REPEATS = 24, 3
ALL = ITEMS + REPEATS
LEFT_AT = 13
ONE_SCALE = 'title = "One"\n[[dimensions]]\nid = "one"\nname = "One"\nkind = "numeric"\nfrom = 0\nto = 10\n'
SPIES = (
    "for (const kind of ['pointerdown', 'mousedown', 'touchstart']) addEventListener(kind, () => pointed(kind), true)"
)


@dataclass
class Rater:
    """One of the three: how the page is used, the way back, and what was seen so far."""

    page: Page
    press: Press
    code: str
    texts: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


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


def twice(rater: Rater, selector: str) -> None:
    """A double tap, or a double click."""
    target = rater.page.locator(selector)
    if rater.press is not tap:
        target.dblclick()
        return
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box
    for _ in range(2):
        rater.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def submit_twice(rater: Rater) -> None:
    """Rate the item at hand with a double click on *Submit*."""
    lock_first(rater.page, 4, rater.press)
    for name in OTHERS:
        choose(rater.page, name, 4, rater.press)
    with leaving(rater.page):
        twice(rater, "#send")


def skip_twice(rater: Rater) -> None:
    """Skip the item at hand with a double click."""
    rater.press(rater.page.locator("summary", has_text="Skip this item"))
    rater.press(rater.page.get_by_label("cannot judge"))
    with leaving(rater.page):
        twice(rater, "#skip")


def lose_the_session(rater: Rater, instance: Instance, panel: str, slot: int) -> None:
    """The session ends over a half-filled form, which is found again behind the return code; then it is rated."""
    page, here = rater.page, rater.page.url
    choose(page, FIRST, 7, rater.press)
    has_script = rater.press is tap
    if has_script:
        expect(page.locator("#saved")).to_contain_text("saved")
    rater.press(page.locator("summary", has_text="Note (optional)"))
    end_sessions(instance, panel, slot)
    write(page.locator("#note"), "half a thought", rater.press)
    if has_script:
        expect(page.locator("#notice")).to_contain_text("Your session has ended")
        rater.press(page.get_by_role("link", name="Come back with your code"))
    else:
        rater.press(page.locator("#send"))
    enter_code(page, rater.code, rater.press)
    expect(page).to_have_url(here)
    expect(page.locator(f'input[name="v.{FIRST}"][value="7"]')).to_be_checked()
    expect(page.locator("#note")).to_have_value("half a thought")
    rate(page, 5, rater.press)


def edit_in_two_tabs(rater: Rater) -> None:
    """Both versions are shown, one is kept; then the item is rated."""
    page = rater.page
    other = page.context.new_page()
    other.goto(page.url)
    choose(other, FIRST, 9, rater.press)
    expect(other.locator("#saved")).to_contain_text("saved")
    choose(page, FIRST, 2, rater.press)
    expect(page.get_by_role("heading", name="changed in two places")).to_be_visible()
    rater.press(page.get_by_role("button", name="Keep this one"))
    expect(page.locator(f'input[name="v.{FIRST}"][value="2"]')).to_be_checked()
    other.close()
    rate(page, 7, rater.press)


def rate_by_touch(rater: Rater, instance: Instance, panel: str, turn: int) -> None:
    """The phone's turn: sometimes a cut line, an ended session, a second tab, a double tap."""
    if turn == 3:
        cut_once(rater.page)
        rate(rater.page, 3, tap)
        rater.page.unroute("**/submit")
    elif turn == 5:
        lose_the_session(rater, instance, panel, 1)
    elif turn == 7:
        edit_in_two_tabs(rater)
    elif turn == 9:
        submit_twice(rater)
    elif turn == 11:
        skip_twice(rater)
    else:
        rate(rater.page, turn % 10, tap)


def rate_without_script(rater: Rater, instance: Instance, panel: str, turn: int) -> None:
    """The turn of the browser without JavaScript: sometimes an ended session, or a double click."""
    if turn == 6:
        lose_the_session(rater, instance, panel, 3)
    elif turn == 10:
        submit_twice(rater)
    elif turn == 12:
        skip_twice(rater)
    else:
        rate(rater.page, turn % 10)


def keyboard_context(browser: Browser, pointed: list[str]) -> BrowserContext:
    """A desktop browser that notes every use of mouse or finger."""

    def note(kind: str) -> None:
        pointed.append(kind)

    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.expose_function("pointed", note)
    context.add_init_script(SPIES)
    return context


def practise(rater: Rater) -> None:
    """Two practice items with their feedback."""
    for words in ("Next practice item", "Go on to the ratings"):
        if rater.press is enter:
            rate_by_keys(rater.page, 5)
        else:
            rate(rater.page, 5, rater.press)
        rater.press(rater.page.get_by_role("link", name=words))


def look(rater: Rater, turn: int) -> None:
    """What a rater finds before each rating: the next number, another text, and nothing that must not be known."""
    assert number_of(rater.page) == turn + 1
    rater.places.append(rater.page.url.partition("#")[0])
    rater.texts.append(rater.page.locator("#part-part_2").inner_text())
    content = rater.page.content()
    assert not [word for word in SECRETS if word in content]


def go_on_elsewhere(rater: Rater, context: BrowserContext, address: str) -> None:
    """Come back with the return code in another browser, by keys: to the same item, with the same order behind."""
    here, rater.page = rater.page, context.new_page()
    come_back(rater.page, address, rater.code, enter)
    expect(rater.page).to_have_title(here.title())
    expect(rater.page).to_have_url(here.url)
    here.context.close()
    rater.page.goto(f"{address}/rate/answers")
    changes = rater.page.get_by_role("link", name="Change item")
    assert [address + str(one.get_attribute("href")) for one in changes.all()] == rater.places
    enter(rater.page.get_by_role("link", name="Go on"))
    hear_keys(rater.page)


def test_three_raters_at_once_lose_and_double_nothing(browser: Browser, instance: Instance):
    desk = operator(browser, instance)
    fields = {"items": str(ITEMS), "cap": "0", "repeats": str(REPEATS), "raters": "4", "guesses": "2"}
    panel = make_panel(desk, instance, count=30, training=2, **fields)
    pointed: list[str] = []
    contexts = [
        browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True),
        keyboard_context(browser, pointed),
        browser.new_context(java_script_enabled=False),
    ]
    raters = []
    for slot, (context, press) in enumerate(zip(contexts, (tap, enter, click), strict=True), start=1):
        page = context.new_page()
        raters.append(Rater(page, press, come_in(page, instance.address, invite(desk, panel, slot), press)))
    phone, keys, plain = raters
    for rater in raters:
        practise(rater)
    strokes = []
    for turn in range(ALL):
        for rater in raters:
            look(rater, turn)
        rate_by_touch(phone, instance, panel, turn)
        strokes.append(rate_by_keys(keys.page, turn % 11))
        rate_without_script(plain, instance, panel, turn)
        if turn == LEFT_AT:
            go_on_elsewhere(keys, keyboard_context(browser, pointed), instance.address)
    for rater in raters:
        finish(rater.page, rater.press)
        rater.page.context.close()
    assert pointed == []
    assert max(strokes) <= 12
    assert len({tuple(rater.texts) for rater in raters}) == 3
    assert_whole(desk, panel)
    close(desk)
    settle_one(desk)
    read_report(desk)


def settle_one(desk: Page) -> None:
    """Adjudication opens, hides who said what, and takes a value by keys."""
    enter(desk.get_by_role("link", name="Adjudication"))
    value = desk.get_by_label("Settle on").first
    tab_to(value)
    desk.keyboard.press("ArrowDown")
    write(desk.get_by_label("Reason").first, "midway", enter)
    desk.keyboard.press("Enter")
    expect(desk.locator(".state", has_text="settled on").first).to_be_visible()
    assert "Rater A" not in desk.locator("main").inner_text()
    looks = Looks()
    looks.at(desk)
    assert looks.found == []


def read_report(desk: Page) -> None:
    """The closed panel's report opens and says who did not rate; PDF and long file are kept for other tools."""
    desk.get_by_role("link", name="Agreement", exact=True).click()
    expect(desk.get_by_role("heading", name="Agreement of 4 raters on 24 decisions")).to_be_visible()
    expect(desk.locator("#said")).to_contain_text("No rating from Rater D")
    for name, file in (("PDF", "raters.pdf"), ("CSV, long", "raters-long.csv")):
        with desk.expect_download() as found:
            desk.get_by_role("link", name=name, exact=True).first.click()
        found.value.save_as(KEPT / file)
    assert (KEPT / "raters.pdf").read_bytes().startswith(b"%PDF")


def assert_whole(desk: Page, panel: str) -> None:
    """Three raters, 27 places each, one rating a place (two of them skipped), five values a rating."""
    lines = long_export(desk, panel)
    places = Counter((line["rater"], line["position"]) for line in lines)
    assert len(places) == 3 * ALL
    assert set(places.values()) == {5}
    skipped = {(line["rater"], line["position"]) for line in lines if line["skip_reason"]}
    assert skipped == {("Rater A", "12"), ("Rater C", "13")}
    assert all(line["value"] for line in lines if not line["skip_reason"])
    without_script = {line["active_reason"] for line in lines if line["rater"] == "Rater C"}
    assert without_script == {"the page ran without a script"}
    assert all(line["active_ms"] for line in lines if line["rater"] != "Rater C")
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
    page.clock.install(time=1_800_000_000)
    come_in(page, instance.address, path)
    page.clock.pause_at(1_800_003_600)
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
