"""The stream of a tab."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Timer

import pytest
import redis
from anyio.from_thread import start_blocking_portal

from app import live
from app.settings import get_settings
from app.web.live import gathered
from tests.web.conftest import Browser


def finished(work: Callable[..., Awaitable[list[str]]], *given: int) -> list[str]:
    """What it comes to in a thread of its own: browser tests of the same process leave a loop running in this one."""
    with start_blocking_portal() as portal:
        return portal.call(work, *given)


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

    assert finished(first, 2) == ["connected", "run:1"]


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

    assert finished(batches) == ["study:1", "study:1 study:2 study:3"]


def test_a_name_changed_a_hundred_times_in_a_moment_is_published_once(services: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live, "GATHERED_SECONDS", 0.4)
    with redis.Redis.from_url(get_settings().needed_redis_url()) as client, client.pubsub() as heard:
        heard.subscribe(live.CHANNEL)
        assert heard.get_message(timeout=5)["type"] == "subscribe"
        for number in range(100):
            live.publish([f"run:{number % 2}", "study:1"])
        told = [heard.get_message(timeout=5)["data"].decode() for _ in range(3)]
        assert (sorted(told), heard.get_message(timeout=0.6)) == (["run:0", "run:1", "study:1"], None)


def test_names_are_published_at_once_where_no_thread_is_to_be_had(services: None, monkeypatch: pytest.MonkeyPatch):
    def refused(timer: Timer) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Timer, "start", refused)
    with redis.Redis.from_url(get_settings().needed_redis_url()) as client, client.pubsub() as heard:
        heard.subscribe(live.CHANNEL)
        assert heard.get_message(timeout=5)["type"] == "subscribe"
        for name in ("run:1", "run:2"):
            live.publish([name])
            assert heard.get_message(timeout=5)["data"].decode() == name
