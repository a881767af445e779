"""Claim - perform - record: one thread takes a step, asks with no transaction open, records, takes the next."""

from collections.abc import Callable
from dataclasses import replace
from threading import Event, Lock
from typing import TypeVar
from uuid import UUID, uuid4

import structlog
from sqlalchemy.exc import InternalError, OperationalError

from app.domain.engine.answers import AnswerError
from app.providers.chat import ChatError
from app.services.claiming import Performance, claim_step
from app.services.recording import read_performance, record_artifact, record_failure, record_misfit
from app.services.unit_of_work import Work, unit_of_work
from app.storage.session import OutrunError
from app.storage.steps import Claim

RECORDING_TRIES = 30
RECORDING_PAUSE_SECONDS = 1.0

log = structlog.get_logger()

T = TypeVar("T")


class Desk:
    """One worker process at its work: the leases it holds now, and whether it is asked to stop."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.stopping = Event()
        self._lock = Lock()
        self._held: set[UUID] = set()

    @property
    def held(self) -> tuple[UUID, ...]:
        """Tokens of the leases held now: what the heartbeat renews."""
        with self._lock:
            return tuple(self._held)

    def claim(self) -> Claim:
        """A fresh claim, held from now until it is let go."""
        claim = Claim(token=uuid4(), worker=self.worker)
        with self._lock:
            self._held.add(claim.token)
        return claim

    def let_go(self, token: UUID) -> None:
        """The claim is over."""
        with self._lock:
            self._held.discard(token)


def perform_steps(step_id: UUID, desk: Desk) -> int:
    """Perform a step if it is to be had, then each next one this thread claimed; gives the number of calls made."""
    first = desk.claim()
    try:
        performance = _claimed(step_id, first)
    except BaseException:
        desk.let_go(first.token)
        raise
    if performance is None:
        desk.let_go(first.token)
    calls = 0
    while performance is not None:
        calls += 1
        performance = _performed(performance, desk)
    return calls


def _claimed(step_id: UUID, claim: Claim) -> Performance | None:
    with unit_of_work() as work:
        return claim_step(work, step_id, claim)


def _performed(performance: Performance, desk: Desk) -> Performance | None:
    """One call, recorded; gives the next call this thread is to make, already journaled."""
    token = performance.lease.token
    following: Performance | None = None
    following_claim: Claim | None = None
    try:
        try:
            answer = performance.voice.answer(performance.request, performance.exact)
        except ChatError as error:
            failure = error
            _recorded(desk, performance, lambda work, one: record_failure(work, one, failure))
            return None
        try:
            artifact = read_performance(performance, answer)
        except AnswerError as error:
            problem = str(error)
            following = _recorded(desk, performance, lambda work, one: record_misfit(work, one, answer, problem))
            return following
        following_claim = None if desk.stopping.is_set() else desk.claim()
        following = _recorded(
            desk, performance, lambda work, one: record_artifact(work, one, answer, artifact, following_claim)
        )
        return following
    finally:
        if following is None or following.lease.token != token:
            desk.let_go(token)
        if following_claim and (following is None or following.lease.token != following_claim.token):
            desk.let_go(following_claim.token)


def _recorded(desk: Desk, performance: Performance, write: Callable[[Work, Performance], T]) -> T:
    """Write in one transaction, again under the run's lock if the run has moved since it was seen.

    While the database is away, wait for it: the answer was paid for.
    """
    for left in reversed(range(RECORDING_TRIES)):
        try:
            with unit_of_work() as work:
                return write(work, performance)
        except OutrunError:
            pass
        except (OperationalError, InternalError) as error:  # the second where the process was suspended for minutes
            if not left:
                raise
            log.warning("database away, recording again", error=type(error.orig).__name__, left=left)
            desk.stopping.wait(RECORDING_PAUSE_SECONDS)
        performance = replace(performance, seen=None)
    raise AssertionError  # pragma: no cover - the loop returns or raises
