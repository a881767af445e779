"""Upkeep: what was lost with a process or a broker is found in Postgres and sent again."""

from collections.abc import Iterable
from datetime import timedelta
from threading import Lock

import structlog
from psycopg.errors import LockNotAvailable
from sqlalchemy.exc import OperationalError

from app.domain.engine.ledger import EventKind, body_hash
from app.domain.ids import RunId, StepId
from app.domain.wording import counted
from app.jobs import Job
from app.services.locked_run import LockedRun
from app.services.unit_of_work import Work, reading, unit_of_work
from app.settings import get_settings
from app.storage.session import wait_at_most

SENT_AGAIN_AFTER = timedelta(seconds=20)
"""A ready step that nobody took for so long is sent again: its message may be lost."""

WORKER_FORGOTTEN_AFTER = timedelta(days=1)
BATCH = 500
LOCK_SECONDS = 1.0
"""A sweep waits no longer for a run: whoever holds it may be suspended, and the others' steps wait for the sweep."""

log = structlog.get_logger()

_SWEEPING = Lock()


def sweep() -> int:
    """Release lapsed leases, send what is overdue; gives how many steps were sent. Safe to run anywhere, any time.

    Does nothing while this process sweeps already: slow sweeps must not take the threads of those that make calls.
    """
    if not _SWEEPING.acquire(blocking=False):
        return 0
    try:
        with reading() as look:
            lapsed = look.steps.lapsed(limit=BATCH)
        released = _release_all(lapsed)
        with unit_of_work() as work:
            overdue = work.steps.overdue(after=SENT_AGAIN_AFTER, limit=BATCH)
            for step_id in overdue:
                work.enqueue(Job.PERFORM_STEP, step_id)
    finally:
        _SWEEPING.release()
    return released + len(overdue)


def _release_all(lapsed: Iterable[tuple[StepId, RunId]]) -> int:
    """Free steps, except those of runs that somebody holds for long: a later sweep finds them again."""
    released, held = 0, set[RunId]()
    for step_id, run_id in lapsed:
        if run_id in held:
            continue
        try:
            with unit_of_work() as work:
                wait_at_most(work.session, LOCK_SECONDS)
                release_step(work, step_id, run_id)
                released += 1
        except OperationalError as error:
            if not isinstance(error.orig, LockNotAvailable):
                raise
            log.warning("run passed over, somebody holds it", run=str(run_id))
            held.add(run_id)
    return released


def release_step(work: Work, step_id: StepId, run_id: RunId) -> None:
    """Free a step whose worker is gone; its call is journaled as lost and stays counted."""
    run = LockedRun(work, run_id)
    failures = work.steps.release(step_id)
    if failures is None:
        return
    for call in work.calls.lose(step_id, work.now):
        run.tell(EventKind.CALL_ENDED, {"call": str(call.id), "outcome": "lost"})
        run.add(calls_lost=1, tokens_in=call.tokens_estimated, cost_unknown=1)
        run.release(call.tokens_reserved, call.cost_reserved, presumed=True)
    if failures >= get_settings().call_failures:  # a step that takes its worker down would be paid for without end
        problem = f"{counted(failures, 'call')} in a row lost with the worker or ended without an answer"
        work.steps.set(step_id, state="needs_operator", problem=problem)
        run.tell(EventKind.OPERATOR_NEEDED, {"step": work.steps.get(step_id).key, "problem_sha256": body_hash(problem)})
    else:
        work.enqueue(Job.PERFORM_STEP, step_id)
    run.write()


def tidy() -> None:
    """Drop expired sessions and links, and workers not seen for a day."""
    with unit_of_work() as work:
        work.users.forget_expired(work.now)
        work.workers.forget(unseen_for=WORKER_FORGOTTEN_AFTER)
