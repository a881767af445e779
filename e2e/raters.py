"""Making a panel as an operator does, and coming in and rating as raters do."""

import csv
import io
import re
from pathlib import Path

import psycopg
from playwright.sync_api import Browser, Page, expect

from app.embedded.instance_note import read_note
from e2e.conftest import Instance

OTHERS = ("frontier_accuracy", "timing", "layer_choice", "reinvention_courage")
FIRST = "hindsight_leakage"
SECRETS = ("Hollowbrook", "secret run", "no_red_team", "Clandestine")
ITEM = re.compile(r"/rate/item/[0-9a-f-]{36}")
NUMBER = re.compile(r"(?:Item|Practice) (\d+) of")


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
    """An operator's page, signed in."""
    page = browser.new_page()
    page.goto(instance.link())
    page.get_by_role("button", name="Sign in").click()
    return page


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
    page.get_by_role("button", name="Save the draft").click()
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
    return "/rate/join/" + page.locator("#issued code").inner_text().rpartition("/")[2]


def come_in(page: Page, address: str, path: str) -> str:
    """Claim, note the code, agree; gives the return code."""
    page.goto(address + path)
    page.get_by_role("button", name="Accept the invitation").click()
    code = page.locator("#code").inner_text()
    page.get_by_role("link", name="Go on").click()
    page.get_by_role("button", name="I agree, begin").click()
    page.wait_for_url(ITEM)
    return code


def come_back(page: Page, address: str, code: str) -> None:
    """Come in again by the return code."""
    page.goto(f"{address}/rate/return")
    page.get_by_label("Return code").fill(code)
    page.get_by_role("button", name="Come back").click()


def end_sessions(instance: Instance, panel: str, slot: int) -> None:
    """Let the time of a rater's browsers be over, as twelve hours of waiting do."""
    note = read_note(Path(instance.environment["AUTOLAB_HOME"]))
    assert note
    address = note.variables["DATABASE_URL"].replace("+psycopg", "")
    query = "update rater_sessions set expires_at = now() - interval '1 second' where rater_id in "
    mine = "(select id from raters where panel_id = %s and slot = %s)"
    with psycopg.connect(address) as connection:
        assert connection.execute(query + mine, (panel.rpartition("/")[2], slot)).rowcount


def choose(page: Page, dimension: str, value: int) -> None:
    """Click a value of a scale."""
    page.locator(f'fieldset[data-dimension="{dimension}"] label', has=page.locator(f'input[value="{value}"]')).click()


def lock_first(page: Page, value: int) -> None:
    """Score the first dimension and open what happened."""
    choose(page, FIRST, value)
    page.locator("#send").click()
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()


def rate(page: Page, value: int) -> None:
    """Rate the item at hand with the mouse and wait for what comes next."""
    lock_first(page, value)
    for name in OTHERS:
        choose(page, name, value)
    here = page.url
    page.locator("#send").click()
    page.wait_for_url(lambda url: url.partition("#")[0] != here.partition("#")[0])


def rate_by_keys(page: Page, value: int) -> int:
    """Rate the item at hand by keyboard alone; gives the keystrokes it took (a chord counts once)."""
    strokes = 0

    def press(key: str) -> None:
        nonlocal strokes
        page.keyboard.press(key)
        strokes += 1

    digit = "x" if value == 10 else str(value)
    hear_keys(page)
    press(digit)
    press("Control+Enter")
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    hear_keys(page)
    here = page.url
    for _ in OTHERS:
        press(digit)
    press("Control+Enter")
    page.wait_for_url(lambda url: url.partition("#")[0] != here.partition("#")[0])
    return strokes


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
