"""Takes the pictures of the guide and the README: `python -m e2e.pictures [CHAPTER ...]`, or `poe pictures`.

Everything is taken from a throwaway instance with the rehearsal model, started here and removed at the end.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from app.cli.chromium import FLAGS, find_chromium
from app.providers.fake_server import FakeProvider, Fault, Rule, Script, fake_provider
from e2e.conftest import ROOT, Instance, started
from e2e.small_png import small_png

FOLDER = ROOT / "docs" / "pictures"
LARGEST = 150_000
WIDE, PHONE = 1280, 390
SETTLE_MILLISECONDS = 500
SILENT = Rule(fault=Fault.HANG, schema_name="decision", contains="It is 1996-01-01", seconds=4)
SCRIPT = Script(
    rules=(
        SILENT.model_copy(update={"model": "player", "times": 2}),  # in one run, for the chapter of a stuck step
        SILENT.model_copy(update={"model": "mute", "times": 4}),  # in two runs, for the chapter of the audit
    )
)
PATIENCE = {"AUTOLAB_CALL_SECONDS": "4", "AUTOLAB_CALL_FAILURES": "2", "AUTOLAB_REHEARSAL_PACE": "0.4"}


@dataclass
class Camera:
    """A browser that is signed in to an instance, and takes pictures of its pages."""

    browser: Browser
    instance: Instance
    provider: FakeProvider
    state: dict
    folder: Path = FOLDER

    def page(self, width: int = WIDE, scheme: str = "light", *, guest: bool = False) -> Page:
        """A new page, signed in unless it is a guest's."""
        context = self.browser.new_context(
            storage_state=None if guest else self.state,
            color_scheme=scheme,
            viewport={"width": width, "height": 900},
            has_touch=width == PHONE,
        )
        return context.new_page()

    def take(self, page: Page, name: str, *, height: int = 860, at: Locator | None = None) -> None:
        """Keep what a page shows as a picture: from its top, or from an element on."""
        page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
        page.mouse.move(0, 0)
        if at is None:
            page.evaluate("scrollTo(0, 0)")
        else:
            at.evaluate("element => scrollTo(0, element.getBoundingClientRect().top + scrollY - 16)")
        page.wait_for_timeout(SETTLE_MILLISECONDS)
        self.keep(name, page.screenshot(animations="disabled", caret="hide"))

    def keep(self, name: str, picture: bytes) -> None:
        """Write a picture small; fails where it is not."""
        blank = self.browser.new_page()
        small = small_png(blank, picture)
        blank.close()
        assert len(small) <= LARGEST, f"{name}.png has {len(small):,} bytes, at most {LARGEST:,} are kept"
        (self.folder / f"{name}.png").write_bytes(small)
        sys.stdout.write(f"{name}.png, {len(small):,} bytes\n")
        sys.stdout.flush()


def main() -> None:
    """Take the pictures of the chapters named, or of all."""
    from e2e.picture_chapters import CHAPTERS  # noqa: PLC0415 - the chapters know the camera

    wanted = sys.argv[1:] or list(CHAPTERS)
    unknown = sorted(set(wanted) - set(CHAPTERS))
    if unknown:
        sys.exit(f"There is no chapter {unknown[0]}. Chapters: {', '.join(CHAPTERS)}.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with camera() as taken:
        for name in wanted:
            CHAPTERS[name](taken)


@contextmanager
def camera() -> Iterator[Camera]:
    """A camera in front of an instance of its own; models of a provider beside it are silent in an era's decision."""
    path = find_chromium()
    if path is None:
        sys.exit("There is no Chromium. ./autolab test installs one, or set AUTOLAB_CHROMIUM to its path.")
    with (
        fake_provider(script=SCRIPT) as provider,
        started(PATIENCE) as instance,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        page = browser.new_page()
        page.goto(instance.first_link)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(re.compile(r"/$|/home$"))
        state = page.context.storage_state()
        page.close()
        yield Camera(browser, instance, provider, dict(state))
        browser.close()


if __name__ == "__main__":
    main()
