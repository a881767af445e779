"""The fake provider's player in a browser: added as a model, and launched with."""

import re

from playwright.sync_api import Page, expect

from app.providers.fake_server import FakeProvider

STUDY = re.compile(r"/studies/[0-9a-f-]{36}$")


def register(page: Page, address: str, provider: FakeProvider, model: str = "player") -> None:
    """Add a model of the provider as an admin does."""
    page.goto(f"{address}/models/new")
    page.locator("#name").fill(f"fake/{model}")
    page.locator("#family").fill("fake-players")
    page.locator("#provider").select_option("openai_compatible")
    page.locator("#wire_model").fill(model)
    page.locator("#endpoint").fill(provider.base_url)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text(f"fake/{model}").first).to_be_visible()


def launch_with_player(page: Page) -> str:
    """Launch what the open form says, with that model alone and without a pace; gives the study's address."""
    for box in page.locator("input[name=players]").all():
        box.set_checked(box.get_attribute("value") == "fake/player")
    page.locator("#pace_seconds").fill("0")
    page.get_by_role("button", name="Launch").click()
    page.wait_for_url(STUDY)
    return page.url
