"""The stream of a tab."""

import asyncio

from app import live
from app.web.live import gathered
from tests.web.conftest import Browser


def test_stranger_gets_no_stream(stranger: Browser):
    assert stranger.get("/live?topic=studies").url.path == "/sign-in"


def test_stream_begins_with_news_and_tells_what_was_asked_for(services: None):
    async def first(count: int) -> list[str]:
        names = gathered(frozenset({"run:1"}))
        found = [await anext(names)]
        await asyncio.sleep(0.3)
        live.publish(["run:2", "run:1", "study:9"])
        found += [await asyncio.wait_for(anext(names), timeout=5) for _ in range(count - 1)]
        await names.aclose()
        return found

    assert asyncio.run(first(2)) == ["connected", "run:1"]


def test_many_changes_are_told_as_one(services: None):
    async def batches() -> list[str]:
        names = gathered(frozenset({"studies"}))
        await anext(names)
        await asyncio.sleep(0.3)
        live.publish(["study:1"])
        found = [await asyncio.wait_for(anext(names), timeout=5)]
        live.publish(["study:1", "study:2"])
        live.publish(["study:3"])
        found.append(await asyncio.wait_for(anext(names), timeout=5))
        await names.aclose()
        return found

    assert asyncio.run(batches()) == ["study:1", "study:1 study:2 study:3"]
