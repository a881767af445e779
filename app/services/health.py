"""Health: database, broker, workers, the oldest ready step, the version."""

import tomllib
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

import redis
from sqlalchemy import text

from app.jobs import Queue
from app.services.pauses import PausedAccount, pauses
from app.services.unit_of_work import Reading
from app.settings import ROOT, get_settings
from app.storage.overviews import Waiting
from app.storage.workers import WorkerRecord

SEEN_LATELY = timedelta(seconds=30)
TOO_OLD = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """A worker that was seen lately, or one that was not and still holds leases."""

    worker: WorkerRecord
    is_alive: bool
    calls_in_flight: int

    @property
    def makes_calls(self) -> bool:
        """Whether it takes steps."""
        return Queue.STEPS in self.worker.queues

    @property
    def audits(self) -> bool:
        """Whether it takes audits."""
        return Queue.AUDITS in self.worker.queues


@dataclass(frozen=True, slots=True)
class HealthView:
    """What an operator looks at first when nothing moves; ``oldest_seconds`` is None when no step is ready.

    ``earlier`` counts workers of the last day that ended without saying so and hold nothing any more.
    """

    version: str
    database: str
    broker: str | None
    workers: tuple[WorkerLine, ...]
    earlier: int
    waiting: Waiting
    oldest_seconds: float | None
    is_late: bool
    calls_in_flight: int
    paused: tuple[PausedAccount, ...]

    @property
    def has_workers(self) -> bool:
        """Whether a worker that makes calls was seen lately."""
        return any(line.is_alive for line in self.workers if line.makes_calls)

    @property
    def has_auditors(self) -> bool:
        """Whether a worker that audits was seen lately."""
        return any(line.is_alive for line in self.workers if line.audits)


def show_health(reading: Reading) -> HealthView:
    """One look at everything."""
    held = reading.steps.held_by_worker()
    known = [
        WorkerLine(worker, reading.now - worker.seen_at < SEEN_LATELY, held.get(worker.name, 0))
        for worker in reading.workers.all()
    ]
    workers = tuple(line for line in known if line.is_alive or line.calls_in_flight)
    waiting = reading.overviews.waiting()
    oldest = waiting.oldest_ready_at
    age = max(timedelta(), reading.now - oldest) if oldest else None
    return HealthView(
        version=version(),
        database=str(reading.session.execute(text("show server_version")).scalar_one()),
        broker=_broker(),
        workers=workers,
        earlier=len(known) - len(workers),
        waiting=waiting,
        oldest_seconds=age.total_seconds() if age is not None else None,
        is_late=age is not None and age > TOO_OLD,
        calls_in_flight=sum(held.values()),
        paused=pauses(reading),
    )


@lru_cache(maxsize=1)
def version() -> str:
    """The software's version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def _broker() -> str | None:
    """The broker's version, or None if it does not answer."""
    try:
        with redis.Redis.from_url(
            get_settings().needed_redis_url(), socket_timeout=2, socket_connect_timeout=2
        ) as client:
            told = client.info("server")
    except redis.RedisError:
        return None
    assert isinstance(told, dict)
    return str(told.get("valkey_version") or told.get("redis_version"))
