"""What the guide's pictures show, a function a chapter: each makes what it needs and leaves its pictures."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path

from playwright.sync_api import Page, expect

from e2e.conftest import ROOT
from e2e.fake_player import STUDY, launch_with_player, register
from e2e.pictures import PHONE, Camera
from e2e.raters import come_in, invite, lock_first, rate

DONE = 120_000
AUDITED = """
name = "History beside two worlds"
schedules = ["history-short", "fictional-7", "fictional-11"]
conditions = ["full", "no_red_team"]
players = ["fake/mute"]
judge = "rehearsal/strict"
author = "rehearsal/author"
briefings = "model"
"""
PLANTED = "By 2003 every office read its mail in a browser. In 2004 search will belong to whoever ranks pages."
OPEN_YEAR = "2004"
SAID = (
    "Machines are compared by hand, and nobody agrees",
    "Buyers ask for a number before they sign",
    "Tests that somebody else can repeat",
    "A record of every test, kept with its date",
    "One trade first, then its suppliers",
)

RATED = """
name = "Decisions to rate"
schedule = "history-short"
conditions = ["full", "no_red_team"]
repetitions = 4
players = ["rehearsal/steady"]
judge = "rehearsal/strict"
author = "rehearsal/author"
"""


def rehearsal(camera: Camera) -> None:
    """The launch page, a study and its runs while they are at work, and the same on a phone."""
    page = camera.page()
    page.goto(f"{camera.instance.address}/studies/new?from=rehearsal")
    expect(page.locator("#estimate-calls")).to_have_text("65")
    camera.take(page, "launch")
    page.get_by_label("No Red Team").check()
    page.locator("#repetitions").fill("3")
    expect(page.locator("#estimate-calls")).to_have_text("363")
    page.get_by_role("button", name="Launch").click()
    page.wait_for_url(STUDY)
    expect(page.get_by_role("link", name=re.compile("full r01, E4: at work"))).to_be_visible(timeout=DONE)
    camera.take(page, "study", height=620)
    page.get_by_role("link", name="full r01", exact=True).click()
    expect(page.locator(".seat.busy").first).to_be_visible(timeout=DONE)
    camera.take(page, "run")
    phone = camera.page(PHONE, "dark")
    phone.goto(page.url)
    camera.take(phone, "run-phone-dark", height=844)
    page.go_back()
    expect(page.locator(".facts").first).to_contain_text("6 of 6", timeout=2 * DONE)
    page.goto(f"{page.url}/results")
    totals = page.locator("#era-totals")
    totals.scroll_into_view_if_needed()
    expect(totals.locator(".drawn canvas")).to_be_visible(timeout=DONE)
    camera.take(page, "results", height=720, at=totals)


def models(camera: Camera) -> None:
    """The registry, the form of a model, and what Try shows."""
    page = camera.page()
    page.goto(f"{camera.instance.address}/models/new")
    camera.take(page, "model-new")
    register(page, camera.instance.address, camera.provider)
    page.goto(f"{camera.instance.address}/models")
    page.get_by_role("button", name="Try fake/player").click()
    expect(page.get_by_role("heading", name="fake/player was tried")).to_be_visible()
    camera.take(page, "model-try", height=360)
    page.goto(f"{camera.instance.address}/models")
    camera.take(page, "models", height=480, at=page.locator("tr", has_text="rehearsal/author").first)


def stuck(camera: Camera) -> None:
    """A step that needs an operator: on Home, its page, the form, and the mark that stays."""
    page = camera.page()
    address = camera.instance.address
    page.goto(f"{address}/models")
    if not page.get_by_text("fake/player").count():
        register(page, address, camera.provider)
    page.goto(f"{address}/studies/new?from=rehearsal")
    page.locator("#name").fill("A decision that timed out")
    page.locator("input[name=schedules][value='history-1990-2040']").uncheck()
    page.locator("input[name=schedules][value='history-short']").check()
    study = launch_with_player(page)
    waits = page.get_by_role("link", name=re.compile("Look and decide on full r01"))
    expect(waits.first).to_be_visible(timeout=DONE)
    home = camera.page()
    home.goto(address)
    camera.take(home, "stuck-home", height=520)
    waits.first.click()
    expect(page.get_by_text("silence: nothing came for").first).to_be_visible()
    camera.take(page, "stuck-step", height=900)
    form = page.locator("form.by-hand")
    form.get_by_label("Company name").fill("Handmade Evaluation")
    camera.take(page, "stuck-write", height=900, at=page.locator("#by-hand"))
    decide(page)
    page.goto(study)
    expect(page.get_by_role("link", name=re.compile("written by hand"))).to_be_visible(timeout=DONE)
    camera.take(page, "stuck-mark", height=520)


def decide(page: Page, rationale: str = "") -> None:
    """Fill the form of a decision in and send it."""
    form = page.locator("form.by-hand")
    if rationale:
        form.locator("[name='rationale']").fill(rationale)
    for box in form.locator(".leaf select").all():
        box.select_option(index=1)
    for box, said in zip(form.locator(".leaf input, .leaf textarea").all(), cycle(SAID), strict=False):
        if not box.input_value():
            box.fill("1998" if box.get_attribute("inputmode") == "numeric" else said)
    form.get_by_label("Reason, kept for ever").fill("Nothing came from the provider for half an hour")
    form.get_by_role("button", name="Write this document").last.click()
    page.wait_for_url("**/runs/*")


def audit(camera: Camera) -> None:
    """The Audit tab, a passage to decide about, a document with its marks, the truth of worlds, and a world."""
    page = camera.page()
    register(page, camera.instance.address, camera.provider, "mute")
    study = f"{camera.instance.address}/studies/{launched(camera, AUDITED, mend=by_hand)}"
    page.goto(f"{study}/audit")
    camera.take(page, "audit")
    camera.take(page, "audit-selection", height=430, at=page.locator("#selection"))
    camera.take(page, "audit-truth", height=640, at=page.locator("#layers"))
    camera.take(page, "audit-quality", height=520, at=page.locator("#quality"))
    page.goto(f"{study}/audit/findings?probe=dates")
    camera.take(page, "audit-list", height=640)
    planted = page.locator("article, li, tr, section").filter(has_text=OPEN_YEAR).last
    planted.locator("a.button[href*='/findings/']").first.click()
    page.get_by_label("Not a hit").check()
    page.get_by_label("Reason").fill("A forecast, and worded as one: nobody needs to remember 2004 for it.")
    camera.take(page, "audit-decide", height=760)
    page.locator("a[href*='/documents/'][href$='/decision']").first.click()
    camera.take(
        page,
        "audit-document",
        height=960,
        at=page.locator("mark").first.locator("xpath=ancestor::*[preceding-sibling::h2 or preceding-sibling::h3][1]"),
    )
    page.goto(f"{camera.instance.address}/record/worlds?seed=7")
    chapter = page.locator("details.chapter").nth(2)
    chapter.locator("> summary").click()
    chapter.locator(".guess > summary").click()
    camera.take(page, "world", height=760, at=chapter.locator("> ul.annals > li").nth(-5))
    camera.take(page, "world-technologies", at=page.locator("#technologies"))
    page.goto(f"{study}/checks")
    page.get_by_label("Outcome flip").check()
    expect(page.locator("aside")).to_contain_text("tokens", timeout=DONE)
    camera.take(page, "check-plan", height=900)


def by_hand(camera: Camera, study: str) -> None:
    """Write every decision of a study that waits, with passages in it that the probes mark."""
    page = camera.page()
    while True:
        page.goto(f"{camera.instance.address}/studies/{study}")
        waits = page.get_by_role("link", name=re.compile("Look and decide on"))
        if not waits.count():
            break
        waits.first.click()
        page.locator("form.by-hand").get_by_label("Company name").fill("Handmade Evaluation")
        decide(page, PLANTED)
    expect(page.locator(".facts").first).to_contain_text("6 of 6", timeout=DONE)
    page.close()


def launched(camera: Camera, text: str, mend: Callable[[Camera, str], None] | None = None) -> str:
    """The id of a study that was run to its end, audited too: by the command line, and by ``mend`` where it waits."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.toml"
        file.write_text(text, encoding="utf-8")
        done = command(camera, "app.cli.main", "run", str(file), waits=mend is not None)
    found = re.search(r"/studies/([0-9a-f-]{36})", done)
    assert found, done
    if mend:
        mend(camera, found.group(1))
    page = camera.page()
    page.goto(f"{camera.instance.address}/studies/{found.group(1)}/audit")
    read = page.locator(".facts dd").filter(has_text=re.compile("^0$"))
    for _ in range(60):
        if page.get_by_text("No document of this study is audited yet").count() == 0 and not read.nth(4).count():
            break
        page.wait_for_timeout(1000)
        page.reload()
    page.wait_for_timeout(4000)
    page.close()
    return found.group(1)


def command(camera: Camera, module: str, *words: str, waits: bool = False) -> str:
    """What a command of the instance prints; with ``waits`` a run may need an operator at its end."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=ROOT, env=camera.instance.environment, capture_output=True, text=True, check=False, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0 or waits, done.stdout + done.stderr
    return done.stdout


def rating(camera: Camera) -> None:
    """A panel's page, an item on a screen and on a phone, and the agreement report of a closed panel."""
    study = launched(camera, RATED)
    page = camera.page()
    page.goto(f"{camera.instance.address}/panels/new")
    page.locator("#name").fill("Do people agree?")
    page.locator("input[name=source][value=studies]").check()
    page.locator(f"input[name=studies][value='{study}']").check()
    camera.take(page, "panel-new", height=820)
    page.get_by_role("button", name="Make the draft").click()
    page.wait_for_url(re.compile(r"/panels/[0-9a-f-]{36}$"))
    panel = page.url
    camera.take(page, "panel-design", height=760)
    page.get_by_role("button", name="Lock the design").click()
    expect(page.get_by_role("heading", name="Raters")).to_be_visible()
    paths = [invite(page, panel, slot) for slot in (1, 2)]
    rater = camera.page(guest=True)
    come_in(rater, camera.instance.address, paths[0])
    camera.take(rater, "rate")
    rate(rater, 6)
    phone = camera.page(PHONE, guest=True)
    come_in(phone, camera.instance.address, paths[1])
    lock_first(phone, 7)
    camera.take(phone, "rate-phone", height=844, at=phone.locator("fieldset[data-dimension]").nth(1))
    page.goto(panel)
    camera.take(page, "panel", height=700)
    closed: Mapping[str, str] = json.loads(command(camera, "e2e.closed_panels").splitlines()[-1])
    page.goto(f"{camera.instance.address}/panels/{closed['planted']}")
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("Agreement of 3 raters"))).to_be_visible()
    camera.take(page, "agreement", height=740)


def citing(camera: Camera) -> None:
    """The Exports tab, and the first page of a study's report."""
    plain = AUDITED.replace("History beside two worlds", "Foresight or recall").replace("fake/mute", "rehearsal/steady")
    study = launched(camera, plain)
    page = camera.page()
    page.goto(f"{camera.instance.address}/studies/{study}/exports")
    camera.take(page, "exports", height=860)
    with tempfile.TemporaryDirectory() as folder:
        command(camera, "e2e.report_pages", study, folder)
        camera.keep("report", (Path(folder) / "1.png").read_bytes())


CHAPTERS: Mapping[str, Callable[[Camera], None]] = {
    "rehearsal": rehearsal,
    "models": models,
    "stuck": stuck,
    "audit": audit,
    "rating": rating,
    "citing": citing,
}
