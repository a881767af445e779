"""A look at a page as a machine can: axe, and whether anything sticks out of the window, wide and narrow."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

VIEWS = (("light", 1280), ("dark", 390))
GRAVE = {"serious", "critical"}
REPEATED = {"exclude": [["tbody tr:nth-child(n+25)"], ["li:nth-child(n+25)"]]}
"""Rows that one loop wrote after 24 others: contrast costs a millisecond a text, and some tables have hundreds."""


def violations(page: Page) -> list[dict]:
    """What axe finds on the page; shadows at edges are taken off, for it measures no contrast over a gradient."""
    page.evaluate("document.querySelectorAll('.wide').forEach(one => { one.style.backgroundImage = 'none'; })")
    return Axe().run(page, context=REPEATED).response["violations"]


def grave(page: Page) -> list[str]:
    """What axe finds serious on the page, with where."""
    return [
        f"{page.url}: {one['id']} {[node['target'] for node in one['nodes']][:3]}"
        for one in violations(page)
        if one["impact"] in GRAVE
    ]


class Looks:
    """What axe finds on pages, and what sticks out of the window, in light and wide and in dark and narrow."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.paths: set[str] = set()

    def at(self, page: Page) -> None:
        self.paths.add(re.sub(r"^https?://[^/]+/rate|[?#].*$", "", page.url) or "/")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        for scheme, width in VIEWS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 844})
            name = f"{page.title()} ({scheme}, {width} px)"
            for one in violations(page):
                self.found.append(f"{name}: {one['id']} {[node['target'] for node in one['nodes']][:3]}")
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                self.found.append(f"{name}: wider than the window")
