"""Making a panel as an operator does, and coming in and rating as raters do: by mouse, by touch, or by keys alone."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, Locator, Page, StorageState, expect

from app.embedded.instance_note import read_note
from e2e.conftest import Instance

OTHERS = ("frontier_accuracy", "timing", "layer_choice", "reinvention_courage")
FIRST = "hindsight_leakage"
SECRETS = ("Hollowbrook", "secret run", "no_red_team", "Clandestine")
ITEM = re.compile(r"/rate/item/[0-9a-f-]{36}")
NUMBER = re.compile(r"(?:Item|Practice) (\d+) of")
MOST_TABS = 80
Press = Callable[[Locator], None]
SIGNED_IN: dict[str, StorageState] = {}


def click(target: Locator) -> None:
    """With the mouse."""
    target.click()


def tap(target: Locator) -> None:
    """With a finger."""
    target.tap()


def enter(target: Locator) -> None:
    """By keys: Tab until it has the focus, then Enter."""
    tab_to(target)
    target.page.keyboard.press("Enter")


def tab_to(target: Locator) -> None:
    """Press Tab until the focus is there."""
    for _ in range(MOST_TABS):
        if target.evaluate("one => one === document.activeElement"):
            return
        target.page.keyboard.press("Tab")
    pytest.fail(f"Tab never came to {target}")


def table(count: int, *, training: int = 0, words: int = 120) -> str:
    """Items of twelve runs in three eras; the first few have consensus values."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    dimensions = (FIRST, *OTHERS)
    consensus = [f"consensus:{name}" for name in dimensions]
    writer.writerow(
        ["key", "unit", "era", "condition", "text:Briefing", "text:Decision", "outcome", "names", *consensus]
    )
    for number in range(count):
        name = f"Hollowbrook{number % 12}"
        text = f"**{name}** sells time; {name}'s plan is patience. " + "The plan goes on. " * (words // 4)
        values = [5] * 5 if number < training else [""] * 5
        writer.writerow([
            f"item {number:03d}", f"secret run {number % 12}", f"E{number % 3}", ("full", "no_red_team")[number % 2],
            "Modems get faster. " * 20, text, f"OUTCOME-{number}: modems got faster.", name, *values,
        ])  # fmt: skip
    return out.getvalue()


def operator(browser: Browser, instance: Instance) -> Page:
    """An operator's page, signed in once for all tests of an instance."""
    if instance.address not in SIGNED_IN:
        page = browser.new_page()
        page.goto(instance.link())
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("main")).to_be_visible()
        SIGNED_IN[instance.address] = page.context.storage_state()
        page.close()
    return browser.new_page(storage_state=SIGNED_IN[instance.address])


def make_panel(
    page: Page, instance: Instance, *, count: int, rubric: str = "", training: int = 0, lock: bool = True, **fields: str
) -> str:
    """Make a panel over a table and lock it, unless it stays a draft; gives its address."""
    page.goto(f"{instance.address}/panels/new")
    page.locator("#name").fill("Clandestine panel")
    page.locator("input[value=table]").check()
    content = table(count, training=training)
    page.locator("#file").set_input_files([{"name": "items.csv", "mimeType": "text/csv", "buffer": content.encode()}])
    if rubric:
        page.locator("input[value=custom]").check()
        page.locator("summary", has_text="Your own rubric").click()
        page.locator("#rubric_text").fill(rubric)
    page.get_by_role("button", name="Make the draft").click()
    page.wait_for_url(re.compile(r"/panels/[0-9a-f-]{36}$"))
    for name, value in fields.items():
        page.locator(f"#{name}").fill(value)
    page.locator("main").evaluate("main => { main.dataset.old = 'yes'; }")
    page.get_by_role("button", name="Save the draft").click()
    expect(page.locator("main[data-old]")).to_have_count(0)
    page.wait_for_load_state()
    if not lock:
        return page.url
    page.get_by_role("button", name="Lock the design").click()
    expect(page.get_by_role("heading", name="Raters")).to_be_visible()
    return page.url


def invite(page: Page, panel: str, slot: int) -> str:
    """The path of a slot's invitation."""
    page.goto(panel)
    page.locator("summary", has_text="Access").nth(slot - 1).click()
    page.locator(f"#name-{slot}").fill(f"Person {slot}")
    page.get_by_role("button", name="Make the link").nth(0).click()
    return "/rate/join/" + page.locator("#issued-text").input_value().rpartition("/")[2]


def close(page: Page) -> None:
    """End the panel on its page."""
    page.locator("summary", has_text="Close the panel").click()
    page.get_by_role("button", name="Close for good").click()


def come_in(page: Page, address: str, path: str, press: Press = click) -> str:
    """Claim, note the code, agree; gives the return code."""
    page.goto(address + path)
    press(page.get_by_role("button", name="Accept the invitation"))
    code = page.locator("#code").inner_text()
    press(page.get_by_role("link", name="Go on"))
    press(page.get_by_role("button", name="I agree, begin"))
    page.wait_for_url(ITEM)
    return code


def come_back(page: Page, address: str, code: str, press: Press = click) -> None:
    """Come in again by the return code."""
    page.goto(f"{address}/rate/return")
    enter_code(page, code, press)


def enter_code(page: Page, code: str, press: Press = click) -> None:
    """Write the return code and send it."""
    write(page.get_by_label("Return code"), code, press)
    press(page.get_by_role("button", name="Come back"))


def write(field: Locator, text: str, press: Press = click) -> None:
    """Go to a field and write into it."""
    (tab_to if press is enter else press)(field)
    field.page.keyboard.type(text)


def finish(page: Page, press: Press = click) -> None:
    """Closing questions, then the end."""
    page.wait_for_url("**/rate/questions")
    guess = page.get_by_label("Which setting was it made in?").first
    if press is enter:
        tab_to(guess)
        page.keyboard.press("ArrowDown")
    else:
        guess.select_option(index=1)
    expect(guess).not_to_have_value("unknown")
    press(page.get_by_role("button", name="Send the answers"))
    press(page.get_by_role("button", name="Finish"))
    expect(page.get_by_role("heading", name="Done. Thank you.")).to_be_visible()


def end_sessions(instance: Instance, panel: str, slot: int) -> None:
    """Let the time of a rater's browsers be over, as twelve hours of waiting do."""
    note = read_note(Path(instance.environment["AUTOLAB_HOME"]))
    assert note
    address = note.variables["DATABASE_URL"].replace("+psycopg", "")
    query = "update rater_sessions set expires_at = now() - interval '1 second' where rater_id in "
    mine = "(select id from raters where panel_id = %s and slot = %s)"
    with psycopg.connect(address) as connection:
        assert connection.execute(query + mine, (panel.rpartition("/")[2], slot)).rowcount


def choose(page: Page, dimension: str, value: int, press: Press = click) -> None:
    """Press a value of a scale."""
    scale = page.locator(f'fieldset[data-dimension="{dimension}"]')
    press(scale.locator("label", has=page.locator(f'input[value="{value}"]')))


def lock_first(page: Page, value: int, press: Press = click) -> None:
    """Score the first dimension and open what happened."""
    choose(page, FIRST, value, press)
    press(page.locator("#send"))
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()


def rate(page: Page, value: int, press: Press = click) -> None:
    """Rate the item at hand and wait for what comes next."""
    lock_first(page, value, press)
    for name in OTHERS:
        choose(page, name, value, press)
    with leaving(page):
        press(page.locator("#send"))


@contextmanager
def leaving(page: Page) -> Iterator[None]:
    """What is done inside leads to another page."""
    here = page.url.partition("#")[0]
    yield
    page.wait_for_url(lambda url: url.partition("#")[0] != here, wait_until="domcontentloaded")


def rate_by_keys(page: Page, value: int) -> int:
    """Rate the item at hand by keyboard alone; gives the keystrokes it took (a chord counts once)."""
    digit = "x" if value == 10 else str(value)
    hear_keys(page)
    keys = [digit, "Control+Enter"]
    for key in keys:
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    hear_keys(page)
    more = [*(digit for _ in OTHERS), "Control+Enter"]
    with leaving(page):
        for key in more:
            page.keyboard.press(key)
    return len(keys) + len(more)


def hear_keys(page: Page) -> None:
    """Wait until the page's script listens."""
    expect(page.locator("#show-keys")).to_be_visible()


def number_of(page: Page) -> int:
    """The number of the item at hand, once the page stands: coming in and sending lead over others."""
    expect(page).to_have_title(NUMBER)
    found = NUMBER.search(page.title())
    assert found, page.title()
    return int(found.group(1))


def long_export(page: Page, panel: str) -> list[dict[str, str]]:
    """The lines of the panel's long file."""
    text = page.request.get(f"{panel}/exports/ratings-long.csv").text()
    return list(csv.DictReader(io.StringIO(text)))
