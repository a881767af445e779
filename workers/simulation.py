"""Performing steps of simulations, and the heartbeat that keeps their leases."""

import gc
import os
import socket
import sys
from datetime import UTC, datetime
from threading import Event, Thread
from uuid import UUID

import structlog
from celery import Celery
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from celery.worker.consumer import Consumer
from sqlalchemy.exc import SQLAlchemyError

from app.jobs import Job, Queue
from app.services.performing import Desk, perform_steps
from app.services.unit_of_work import unit_of_work
from app.services.worlds import library
from app.settings import get_settings

HEARTBEATS_PER_LEASE = 4
LEAVE_SECONDS = 2.0
LOOKS_EVERY_SECONDS = 0.05
TURN_SECONDS = 0.02
"""How long a thread computes before another that wants to takes its turn: most end by themselves before that."""
GARBAGE_THRESHOLDS = 20_000, 20, 50
"""New objects until garbage is looked for among them, and how often the older ones are looked at too."""

log = structlog.get_logger()

_ENDED = Event()  # set once the last call is over: calls in flight keep their leases while the worker stops

DESK = Desk(worker=f"{socket.gethostname()}:{os.getpid()}")


def register(celery: Celery) -> None:
    """Make the simulation's tasks known."""

    @celery.task(name=str(Job.PERFORM_STEP))  # type: ignore[untyped-decorator]
    def perform_step(step_id: str) -> None:
        perform_steps(UUID(step_id), DESK)


@worker_ready.connect  # type: ignore[untyped-decorator]
def _get_ready(sender: Consumer, **_: object) -> None:
    keep_to(get_settings().processor)  # before the first thread: each inherits it from who starts it
    BEATS.queues = frozenset(sender.app.amqp.queues.consume_from)
    BEATS.start()
    sender.timer.call_repeatedly(LOOKS_EVERY_SECONDS, _look)
    if Queue.STEPS in BEATS.queues:
        sys.setswitchinterval(TURN_SECONDS)
        library()
        _set_aside()


def keep_to(processor: int | None) -> None:
    """Let this thread, and those it starts, run on one processor of those it may use, counted in turn from 0.

    Only one thread of a process computes at a time: to hand that over between processors costs as much as a statement.
    """
    if processor is not None and hasattr(os, "sched_setaffinity"):
        usable = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {usable[processor % len(usable)]})


def _look() -> None:
    """Nothing: a worker whose threads were all taken asks for messages only when its loop turns, else once a second."""


def _set_aside() -> None:
    """What is loaded by now stays: looking for garbage in it again and again would hold up every call."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def _stop_claiming(**_: object) -> None:
    DESK.stopping.set()


@worker_shutdown.connect  # type: ignore[untyped-decorator]
def _take_leave(**_: object) -> None:
    """A worker that ended its last call is no longer listed; one that is killed is, until its leases lapse."""
    if not BEATS.is_alive():
        return
    _ENDED.set()
    BEATS.join(LEAVE_SECONDS)
    try:
        with unit_of_work() as work:
            work.workers.remove(DESK.worker)
    except SQLAlchemyError as error:
        log.warning("worker not signed off", error=type(error).__name__)


class Heartbeat(Thread):
    """Says that the process is alive and renews its leases, of which an auditor holds none."""

    def __init__(self) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.queues: frozenset[str] = frozenset()

    def run(self) -> None:
        """Beat until the last call is over."""
        started_at = datetime.now(UTC)
        while not _ENDED.is_set():
            try:
                with unit_of_work() as work:
                    work.steps.renew(DESK.held)
                    work.workers.beat(DESK.worker, started_at, work.now, self.queues)
            except SQLAlchemyError as error:
                log.warning("heartbeat missed", error=type(error).__name__)
            _ENDED.wait(get_settings().lease_seconds / HEARTBEATS_PER_LEASE)


BEATS = Heartbeat()
